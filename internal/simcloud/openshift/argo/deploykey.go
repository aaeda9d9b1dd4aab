package argo

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"strings"

	"golang.org/x/crypto/ssh"
)

// newDeployKey returns an ed25519 key: an authorized_keys line, and PEM. The real one is RSA of 4096 bits, which takes seconds
// to generate.
func newDeployKey() (public, private string, err error) {
	open, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", "", err
	}
	line, err := ssh.NewPublicKey(open)
	if err != nil {
		return "", "", err
	}
	block, err := ssh.MarshalPrivateKey(secret, "")
	if err != nil {
		return "", "", err
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(line))), string(pem.EncodeToMemory(block)), nil
}
