package inside

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

// user is whom RHCOS lets in.
const user = "core"

// errForeign is what a login ends in at a machine that is not the one we made.
var errForeign = errors.New("its SSH server has another key than the one that the machine was given")

// refusal is why nobody logs in, now or later.
type refusal struct{ error }

// login proves who we are with the cluster's own key alone: a server ends the attempt after a few keys, and the others
// are none of its business.
func (s *shell) login(ctx context.Context, address netip.Addr, who *identity) error {
	conn, err := connect(ctx, s.net, address, sshPort)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	client, err := s.enter(ctx, conn, who)
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

func (s *shell) enter(ctx context.Context, conn net.Conn, who *identity) (*ssh.Client, error) {
	signer, leave, err := s.signer(ctx)
	if err != nil {
		return nil, &refusal{err}
	}
	defer leave()
	through, channels, requests, err := ssh.NewClientConn(conn, conn.RemoteAddr().String(), &ssh.ClientConfig{
		User:              user,
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyAlgorithms: []string{who.hostKey.Type()},
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			if !bytes.Equal(key.Marshal(), who.hostKey.Marshal()) {
				return errForeign
			}
			return nil
		},
	})
	switch {
	case err == nil:
		return ssh.NewClient(through, channels, requests), nil
	case signer.asked && !signer.signed:
		return nil, &refusal{errors.New("the SSH agent was not allowed to use the cluster's key")}
	case strings.Contains(err.Error(), "unable to authenticate"): // the library's words; there is no type for it
		return nil, &refusal{errors.New("the machine does not accept the cluster's key")}
	}
	return nil, err
}

// signer finds the cluster's key at the agent; leave ends the conversation.
func (s *shell) signer(ctx context.Context) (signer *proof, leave func(), err error) {
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
		return nil, nil, fmt.Errorf("ask the SSH agent for its keys: %w", err)
	}
	index := slices.IndexFunc(signers, func(one ssh.Signer) bool { return bytes.Equal(one.PublicKey().Marshal(), public.Marshal()) })
	if index < 0 {
		leave()
		return nil, nil, errors.New("the SSH agent does not hold the cluster's key")
	}
	return &proof{Signer: signers[index]}, leave, nil
}

// proof is a key that notes how the agent uses it: an owner who was asked for it once, and said no or nothing, is not to
// be asked every few seconds.
type proof struct {
	ssh.Signer
	asked, signed bool
}

// Sign is for keys with one algorithm.
func (p *proof) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	p.asked = true
	return p.note(p.Signer.Sign(rand, data))
}

// SignWithAlgorithm is for RSA keys, whose oldest algorithm no server accepts any more.
func (p *proof) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	p.asked = true
	if signer, ok := p.Signer.(ssh.AlgorithmSigner); ok {
		return p.note(signer.SignWithAlgorithm(rand, data, algorithm))
	}
	return p.Sign(rand, data)
}

func (p *proof) note(signature *ssh.Signature, err error) (*ssh.Signature, error) {
	p.signed = err == nil
	return signature, err
}
