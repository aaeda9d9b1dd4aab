package assets

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/crypto/ssh"
	"sigs.k8s.io/yaml"
)

// HostKey is the key of a machine's SSH server, Ed25519.
type HostKey struct {
	Private string // PEM
	Public  string // a line of known_hosts without the host
}

// NewHostKey generates a key. Whoever can read the user data of the machine can read it: programs on the machine itself, and holders
// of API keys that may list instances.
func NewHostKey() (HostKey, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return HostKey{}, fmt.Errorf("generate a host key: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		return HostKey{}, fmt.Errorf("generate a host key: %w", err)
	}
	known, err := ssh.NewPublicKey(public)
	if err != nil {
		return HostKey{}, fmt.Errorf("generate a host key: %w", err)
	}
	return HostKey{Private: string(pem.EncodeToMemory(block)), Public: strings.TrimSpace(string(ssh.MarshalAuthorizedKey(known)))}, nil
}

// privateHostKey is that key in a cloud-config, with its lines.
var privateHostKey = regexp.MustCompile(`(?m)^  ed25519_private: \|\n(?:    .*\n)*`)

// StripHostKey returns the user data of a machine without its private key: FindHostKey needs the public one only.
func StripHostKey(userData []byte) []byte { return privateHostKey.ReplaceAll(userData, nil) }

// FindHostKey returns what a machine with that cloud-config is known by, as a line of known_hosts without the host. Its errors do not
// quote the user data. Load balancers of earlier versions have no key of their own, which is an error.
func FindHostKey(userData []byte) (string, error) {
	var config struct {
		Keys struct {
			Ed25519 string `json:"ed25519_public"`
		} `json:"ssh_keys"`
	}
	if yaml.Unmarshal(userData, &config) != nil {
		return "", errors.New("its user data is not YAML")
	}
	if config.Keys.Ed25519 == "" {
		return "", errors.New("it was started without a host key of its own")
	}
	if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(config.Keys.Ed25519)); err != nil {
		return "", errors.New("the host key in its user data cannot be read")
	}
	return config.Keys.Ed25519, nil
}
