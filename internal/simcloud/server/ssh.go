package server

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/simcloud/fabric"
)

// SSH is an SSH server at port 22. With nil Admit and Serve it refuses every client.
type SSH struct {
	Version string // its version string, e.g. "SSH-2.0-OpenSSH_9.6p1"
	Key     ssh.Signer
	// Admit authenticates a client's key; its result is stored in the connection.
	Admit func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error)
	// Serve serves the channels of an authenticated client, until they end.
	Serve func(context.Context, *ssh.ServerConn, <-chan ssh.NewChannel)
}

// sshTimeout limits authentication, as with OpenSSH.
const sshTimeout = 2 * time.Minute

// DeriveHostKey returns the key of a host, which is derived from the seed.
func DeriveHostKey(seed []byte, host string) (ssh.Signer, error) {
	mac := hmac.New(sha256.New, seed)
	mac.Write([]byte("ssh host key of " + host))
	key, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(mac.Sum(nil)))
	if err != nil {
		return nil, fmt.Errorf("make the host key of %s: %w", host, err)
	}
	return key, nil
}

// FormatAuthorizedKey returns a public key as a known_hosts line without the host: "ssh-ed25519 AAAA…".
func FormatAuthorizedKey(key ssh.Signer) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
}

func (p SSH) open(s *Servers, _ Site, host *fabric.Host) error {
	l, err := host.Listen(22)
	if err != nil {
		return err
	}
	s.run(l, func() error { return p.serve(l) })
	return nil
}

func (p SSH) serve(l net.Listener) error {
	config := p.newConfig()
	ctx, cancel := context.WithCancel(context.Background())
	var sessions sync.WaitGroup
	defer sessions.Wait()
	defer cancel()
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		sessions.Go(func() {
			defer func() { _ = conn.Close() }()
			defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
			p.serveSession(ctx, conn, config)
		})
	}
}

func (p SSH) newConfig() *ssh.ServerConfig {
	admit := p.Admit
	if admit == nil || p.Serve == nil {
		admit = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
			return nil, errors.New("permission denied")
		}
	}
	config := &ssh.ServerConfig{ServerVersion: p.Version, PublicKeyCallback: admit}
	config.AddHostKey(p.Key)
	return config
}

func (p SSH) serveSession(ctx context.Context, conn net.Conn, config *ssh.ServerConfig) {
	_ = conn.SetDeadline(time.Now().Add(sshTimeout))
	client, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return // authentication failed
	}
	_ = conn.SetDeadline(time.Time{})
	defer func() { _ = client.Close() }()
	go ssh.DiscardRequests(requests)
	p.Serve(ctx, client, channels)
}
