package assets

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
	"sigs.k8s.io/yaml"
)

// NewHostKey returns a private key for the SSH server of a machine, Ed25519, as PEM. Whoever can read the user data of the machine can
// read the key: programs on the machine itself, and holders of API keys that may list instances.
func NewHostKey() (string, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", fmt.Errorf("generate a host key: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		return "", fmt.Errorf("generate a host key: %w", err)
	}
	return string(pem.EncodeToMemory(block)), nil
}

// FindHostKey returns what a machine with that cloud-config is known by, as a line of known_hosts without the host. Its errors do not
// quote the user data. Load balancers of earlier versions have no key of their own, which is an error.
func FindHostKey(userData []byte) (string, error) {
	var config struct {
		Keys struct {
			Ed25519 string `json:"ed25519_private"`
		} `json:"ssh_keys"`
	}
	if yaml.Unmarshal(userData, &config) != nil {
		return "", errors.New("its user data is not YAML")
	}
	if config.Keys.Ed25519 == "" {
		return "", errors.New("it was started without a host key of its own")
	}
	signer, err := ssh.ParsePrivateKey([]byte(config.Keys.Ed25519))
	if err != nil {
		return "", errors.New("the host key in its user data cannot be read")
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))), nil
}
