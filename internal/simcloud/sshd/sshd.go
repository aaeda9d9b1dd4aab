// Package sshd is the SSH server of simulated machines: one user, the keys in a file of the machine, commands without a terminal.
package sshd

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"sync"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/simcloud/machine"
)

const (
	port = 22
	// HostKeyFile is what the server is known by.
	HostKeyFile = "/etc/ssh/ssh_host_ed25519_key"
)

// Server is the SSH server of a machine.
type Server struct {
	User           string
	AuthorizedKeys string // path
	// LogIn is called with each login; nil: nothing is.
	LogIn func(user, from string)
	// Execute runs a command line.
	Execute func(ctx context.Context, line string, in io.Reader, out, complaints io.Writer) (status uint32)
}

// Serve serves logins until ctx ends.
func (s Server) Serve(ctx context.Context, m machine.Machine) error {
	key, err := loadHostKey(m)
	if err != nil {
		return err
	}
	config := &ssh.ServerConfig{PublicKeyCallback: func(who ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		return s.checkKey(m, who, key)
	}}
	config.AddHostKey(key)
	listener, err := m.Listen(port)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	var sessions sync.WaitGroup
	defer sessions.Wait()
	for {
		conn, err := listener.Accept()
		if err != nil {
			return nil
		}
		sessions.Go(func() { s.serveLogin(ctx, conn, config) })
	}
}

// loadHostKey generates the key if there is none, as sshd-keygen does.
func loadHostKey(m machine.Machine) (ssh.Signer, error) {
	if content, ok := m.ReadFile(HostKeyFile); ok {
		return ssh.ParsePrivateKey(content)
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		return nil, err
	}
	if err := m.WriteFile(HostKeyFile, pem.EncodeToMemory(block)); err != nil {
		return nil, err
	}
	return ssh.NewSignerFromKey(private)
}

func (s Server) checkKey(m machine.Machine, who ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
	lines, _ := m.ReadFile(s.AuthorizedKeys)
	for who.User() == s.User {
		known, _, _, rest, err := ssh.ParseAuthorizedKey(lines)
		if err != nil {
			break
		}
		if bytes.Equal(known.Marshal(), key.Marshal()) {
			return nil, nil
		}
		lines = rest
	}
	return nil, errors.New("permission denied")
}

func (s Server) serveLogin(ctx context.Context, conn net.Conn, config *ssh.ServerConfig) {
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	login, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	if s.LogIn != nil {
		s.LogIn(login.User(), conn.RemoteAddr().String())
	}
	var open sync.WaitGroup
	defer open.Wait()
	open.Go(func() { ssh.DiscardRequests(requests) })
	for offered := range channels {
		if offered.ChannelType() != "session" {
			_ = offered.Reject(ssh.UnknownChannelType, "unknown channel type")
			continue
		}
		channel, asked, err := offered.Accept()
		if err != nil {
			return
		}
		open.Go(func() { s.serveSession(ctx, channel, asked) })
	}
}

func (s Server) serveSession(ctx context.Context, channel ssh.Channel, requests <-chan *ssh.Request) {
	defer func() { _ = channel.Close() }()
	for request := range requests {
		var command struct{ Line string }
		if request.Type != "exec" || ssh.Unmarshal(request.Payload, &command) != nil {
			_ = request.Reply(false, nil)
			continue
		}
		_ = request.Reply(true, nil)
		status := s.Execute(ctx, command.Line, channel, channel, channel.Stderr())
		_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{status}))
		return
	}
}
