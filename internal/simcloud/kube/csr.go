package kube

import (
	"encoding/base64"
	"encoding/pem"
)

// signable checks a new certificate signing request and stamps it with who asks, which the client cannot choose.
func signable(object Object, user User) error {
	kind := builtin()[requests]
	content, err := base64.StdEncoding.DecodeString(object.Text("spec.request"))
	if block, _ := pem.Decode(content); err != nil || block == nil || block.Type != "CERTIFICATE REQUEST" {
		return unprocessable(kind, object.Name(), "spec.request: Invalid value: PEM block type must be CERTIFICATE REQUEST")
	}
	if object.Text("spec.signerName") == "" {
		return unprocessable(kind, object.Name(), "spec.signerName: Required value")
	}
	object.Set("spec.username", user.Name)
	object.Set("spec.groups", user.Groups)
	return nil
}
