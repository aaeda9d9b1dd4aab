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

// SSH is an SSH server at port 22 that lets nobody in.
type SSH struct {
	Version string // how it greets, e.g. "SSH-2.0-OpenSSH_9.6p1"
	Key     ssh.Signer
}

// sshPatience is how long a client may take to prove itself, as with OpenSSH.
const sshPatience = 2 * time.Minute

// HostKey returns the key of a host. It is the same for the same seed.
func HostKey(seed []byte, host string) (ssh.Signer, error) {
	mac := hmac.New(sha256.New, seed)
	mac.Write([]byte("ssh host key of " + host))
	key, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(mac.Sum(nil)))
	if err != nil {
		return nil, fmt.Errorf("make the host key of %s: %w", host, err)
	}
	return key, nil
}

// AuthorizedKey returns a public key as a line of known hosts has it, without the name: "ssh-ed25519 AAAA…".
func AuthorizedKey(key ssh.Signer) string {
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
	config := &ssh.ServerConfig{ServerVersion: p.Version, PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
		return nil, errors.New("nobody is let in")
	}}
	config.AddHostKey(p.Key)
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
			_ = conn.SetDeadline(time.Now().Add(sshPatience))
			_, _, _, _ = ssh.NewServerConn(conn, config) // nobody is let in
		})
	}
}
