package bootstraphost

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// nodeUser is the user of RHCOS.
const nodeUser = "core"

var errHostKeyMismatch = errors.New("its SSH server has another key than the machine")

type loginError struct{ error }

// connect offers only the cluster's own key: a server ends the login after a few keys, and it must not learn the others.
func (s *sshSession) connect(ctx context.Context, address netip.Addr, who *identity) error {
	conn, err := connect(ctx, s.net, address, sshPort)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	client, err := s.newClient(ctx, conn, who)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close()
		return err
	}
	s.client = client
	return nil
}

func (s *sshSession) newClient(ctx context.Context, conn net.Conn, who *identity) (*ssh.Client, error) {
	signer, leave, err := s.findSigner(ctx)
	if err != nil {
		return nil, &loginError{err}
	}
	defer leave()
	through, channels, requests, err := ssh.NewClientConn(conn, conn.RemoteAddr().String(), &ssh.ClientConfig{
		User:              s.user,
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyAlgorithms: []string{who.hostKey.Type()},
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			if !bytes.Equal(key.Marshal(), who.hostKey.Marshal()) {
				return errHostKeyMismatch
			}
			return nil
		},
	})
	switch {
	case err == nil:
		return ssh.NewClient(through, channels, requests), nil
	case signer.asked && !signer.signed:
		return nil, &loginError{errors.New("the SSH agent refused to use the cluster's key")}
	case strings.Contains(err.Error(), "unable to authenticate"): // the library has no type for this error
		return nil, &loginError{errors.New("the machine rejects the cluster's key")}
	}
	return nil, err
}

// findSigner finds the cluster's key at the agent; leave closes the connection to the agent.
func (s *sshSession) findSigner(ctx context.Context) (signer *trackedSigner, leave func(), err error) {
	public, _, _, _, err := ssh.ParseAuthorizedKey([]byte(s.key))
	if err != nil {
		return nil, nil, fmt.Errorf("read the cluster's SSH key: %w", err)
	}
	conn, err := s.agent(ctx)
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
