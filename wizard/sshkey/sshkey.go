// Package sshkey knows the forms and the types of SSH public keys.
package sshkey

import (
	"strings"

	"golang.org/x/crypto/ssh"
)

// Check returns what is wrong with a public key in authorized_keys format, and what is allowed; "" if nothing is. It never repeats the
// key: a private one may have been pasted.
func Check(line string) (problem, allowed string) {
	allowed = "one line in authorized_keys format, e.g. the content of ~/.ssh/id_ed25519.pub"
	if strings.Contains(line, "PRIVATE KEY") {
		return "this is a private key; remove it from the file, and replace the key if it may have leaked", allowed
	}
	_, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(line))
	switch {
	case err != nil:
		return "the value is not an SSH public key", allowed
	case len(rest) > 0 || strings.ContainsAny(strings.TrimSpace(line), "\n\r"):
		return "the value is more than one line", allowed
	case len(options) > 0:
		return "the line has authorized_keys options", "the key without options"
	}
	return "", ""
}

// Type returns the type of a public key, e.g. "ssh-ed25519"; "" if the line is none.
func Type(line string) string {
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return ""
	}
	return key.Type()
}

// IsExoscale reports whether Exoscale accepts keys of a type.
func IsExoscale(kind string) bool { return kind == ssh.KeyAlgoED25519 || kind == ssh.KeyAlgoRSA }

// IsFIPS reports whether openshift-install accepts keys of a type for a cluster in FIPS mode.
func IsFIPS(kind string) bool {
	switch kind {
	case ssh.KeyAlgoRSA, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521:
		return true
	}
	return false
}
