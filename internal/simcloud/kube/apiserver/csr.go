package apiserver

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"reflect"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
)

// validateCSR validates a new certificate signing request and sets its requester, which the client cannot choose.
func validateCSR(object kube.Object, user User) error {
	refuse := func(message string) error {
		return kube.NewInvalid(kube.FindBuiltinKind(kube.CSRResource), object.Name(), message)
	}
	content, err := base64.StdEncoding.DecodeString(object.GetString("spec.request"))
	if err != nil {
		return kube.NewBadRequest("error decoding the body: %v", err)
	}
	block, _ := pem.Decode(content)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return refuse("spec.request: Invalid value: PEM block type must be CERTIFICATE REQUEST")
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err == nil {
		err = request.CheckSignature()
	}
	if err != nil {
		return refuse("spec.request: Invalid value: " + err.Error())
	}
	if !strings.Contains(object.GetString("spec.signerName"), "/") {
		return refuse("spec.signerName: Invalid value: must be a fully qualified domain and path of the form 'example.com/signer-name'")
	}
	usages := object.GetStrings("spec.usages")
	if len(usages) == 0 {
		return refuse("spec.usages: Required value: usages is required")
	}
	for i, usage := range usages {
		if !slices.Contains(listKeyUsages(), usage) || slices.Contains(usages[:i], usage) {
			return refuse("spec.usages: Unsupported or duplicate value: " + usage)
		}
	}
	delete(object.Map("spec"), "uid")
	object.Set("spec.username", user.Name)
	object.Set("spec.groups", user.Groups)
	return nil
}

func listKeyUsages() []string {
	return []string{"signing", "digital signature", "content commitment", "key encipherment", "key agreement", "data encipherment",
		"cert sign", "crl sign", "encipher only", "decipher only", "any", "server auth", "client auth", "code signing",
		"email protection", "s/mime", "ipsec end system", "ipsec tunnel", "ipsec user", "timestamping", "ocsp signing",
		"microsoft sgc", "netscape sgc"}
}

func recordDecisionTime(object kube.Object, now time.Time) {
	for _, c := range object.List("status.conditions") {
		for _, field := range []string{"lastUpdateTime", "lastTransitionTime"} {
			if c.GetString(field) == "" {
				c[field] = now.UTC().Format(time.RFC3339)
			}
		}
	}
}

// validateDecision: a decision requires the approval subresource, and cannot be changed.
func validateDecision(r request, before, after kube.Object) error {
	refuse := func(message string) error { return kube.NewInvalid(r.kind, r.name, "status.conditions: "+message) }
	const approved, denied = "Approved", "Denied"
	for _, c := range after.List("status.conditions") {
		if c.GetString("status") != "True" {
			return refuse("Invalid value: status must be True")
		}
	}
	for _, kind := range []string{approved, denied} {
		was, is := before.Condition(kind), after.Condition(kind)
		switch {
		case len(was) == 0 && len(is) > 0 && r.subresource != "approval":
			return refuse("Forbidden: may not be added except through approval: " + kind)
		case len(was) > 0 && len(is) == 0:
			return refuse("Forbidden: may not be removed: " + kind)
		case len(was) > 0 && !reflect.DeepEqual(was, is):
			return refuse("Forbidden: may not be changed: " + kind)
		}
	}
	if len(after.Condition(approved)) > 0 && len(after.Condition(denied)) > 0 {
		return refuse("Invalid value: Approved and Denied conditions are mutually exclusive")
	}
	return nil
}
