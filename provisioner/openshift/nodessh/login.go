// Package nodessh logs in to the cluster's machines by SSH, with the cluster's own key from the SSH agent of whoever runs the program.
package nodessh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// NodeUser is the user of RHCOS.
const NodeUser = "core"

// Agent connects to an SSH agent.
type Agent func(ctx context.Context) (net.Conn, error)

// LoginError is why a login fails that would fail again.
type LoginError struct{ error }

// Login is how to log in.
type Login struct {
	User  string
	Key   string // the line of authorized_keys that the machines were given; the agent has its private key
	Agent Agent
	// Algorithms are those of the host's key; nil: any.
	Algorithms []string
	CheckHost  func(key ssh.PublicKey) error
}

// Open logs in over a connection, which ends with ctx until it has. It offers only the cluster's own key: a server ends the login after a few
// keys, and it must not learn the others. The caller closes the connection after a failure.
func (l Login) Open(ctx context.Context, conn net.Conn) (*ssh.Client, error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	client, err := l.newClient(ctx, conn)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	return client, err
}

func (l Login) newClient(ctx context.Context, conn net.Conn) (*ssh.Client, error) {
	signer, leave, err := l.findSigner(ctx)
	if err != nil {
		return nil, &LoginError{err}
	}
	defer leave()
	through, channels, requests, err := ssh.NewClientConn(conn, conn.RemoteAddr().String(), &ssh.ClientConfig{
		User:              l.User,
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyAlgorithms: l.Algorithms,
		HostKeyCallback:   func(_ string, _ net.Addr, key ssh.PublicKey) error { return l.CheckHost(key) },
	})
	switch {
	case err == nil:
		return ssh.NewClient(through, channels, requests), nil
	case signer.asked && !signer.signed:
		return nil, &LoginError{errors.New("the SSH agent refused to use the cluster's key")}
	case strings.Contains(err.Error(), "unable to authenticate"): // the library has no type for this error
		return nil, &LoginError{errors.New("the machine rejects the cluster's key")}
	}
	return nil, err
}

// findSigner finds the cluster's key at the agent; leave closes the connection to the agent.
func (l Login) findSigner(ctx context.Context) (signer *trackedSigner, leave func(), err error) {
	public, _, _, _, err := ssh.ParseAuthorizedKey([]byte(l.Key))
	if err != nil {
		return nil, nil, fmt.Errorf("read the cluster's SSH key: %w", err)
	}
	conn, err := l.Agent(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("connect to the SSH agent: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	leave = func() {
		stop()
		_ = conn.Close()
	}
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		leave()
		return nil, nil, fmt.Errorf("list the keys of the SSH agent: %w", err)
	}
	index := slices.IndexFunc(signers, func(one ssh.Signer) bool { return bytes.Equal(one.PublicKey().Marshal(), public.Marshal()) })
	if index < 0 {
		leave()
		return nil, nil, errors.New("the SSH agent does not have the cluster's key")
	}
	return &trackedSigner{Signer: signers[index]}, leave, nil
}

// trackedSigner records how the agent uses the key: an owner who was asked to confirm its use once, and refused or did not
// answer, must not be asked every few seconds.
type trackedSigner struct {
	ssh.Signer
	asked, signed bool
}

// Sign is for keys with one algorithm.
func (p *trackedSigner) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	p.asked = true
	return p.record(p.Signer.Sign(rand, data))
}

// SignWithAlgorithm is for RSA keys, whose oldest algorithm no server accepts any more.
func (p *trackedSigner) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	p.asked = true
	if signer, ok := p.Signer.(ssh.AlgorithmSigner); ok {
		return p.record(signer.SignWithAlgorithm(rand, data, algorithm))
	}
	return p.Sign(rand, data)
}

func (p *trackedSigner) record(signature *ssh.Signature, err error) (*ssh.Signature, error) {
	p.signed = err == nil
	return signature, err
}
