package environment

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"exoshift/provisioner/openshift/bootstraphost"
	"exoshift/state"
)

// rehearsalKey is the file of the SSH key for rehearsals without a key in the answers.
const rehearsalKey = state.KeyFile

// NewRehearsalAgent connects to the user's agent, unless the cluster uses the rehearsal's own key.
func NewRehearsalAgent(spec state.Spec, folder state.Folder) (bootstraphost.Agent, error) {
	if _, err := folder.Read(rehearsalKey); errors.Is(err, fs.ErrNotExist) {
		return NewSSHAgent(), nil
	}
	key, line, err := EnsureRehearsalKey(folder)
	if err != nil {
		return nil, err
	}
	if spec.OpenShift.SSHKey != line {
		return NewSSHAgent(), nil
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: &key}); err != nil {
		return nil, fmt.Errorf("keep the rehearsal's SSH key: %w", err)
	}
	return func(context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() { _ = agent.ServeAgent(ring, theirs) }() // ends when the other end is closed
		return ours, nil
	}, nil
}

// EnsureRehearsalKey returns the rehearsal's own key, for clusters whose answers have none, and its authorized_keys line.
func EnsureRehearsalKey(folder state.Folder) (key ed25519.PrivateKey, authorized string, err error) {
	if key, err = loadOrCreateKey(folder); err != nil {
		return nil, "", fmt.Errorf("make the rehearsal's SSH key: %w", err)
	}
	public, err := ssh.NewPublicKey(key.Public())
	if err != nil {
		return nil, "", fmt.Errorf("make the rehearsal's SSH key: %w", err)
	}
	return key, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public))) + " rehearsal", nil
}

func loadOrCreateKey(folder state.Folder) (ed25519.PrivateKey, error) {
	content, err := folder.Read(rehearsalKey)
	if errors.Is(err, fs.ErrNotExist) {
		return newKey(folder)
	}
	if err != nil {
		return nil, err
	}
	parsed, err := ssh.ParseRawPrivateKey(content)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s contains no ed25519 key", folder.Path(rehearsalKey))
	}
	return *key, nil
}

func newKey(folder state.Folder) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(key, "rehearsal")
	if err != nil {
		return nil, err
	}
	return key, folder.Write(rehearsalKey, pem.EncodeToMemory(block))
}
