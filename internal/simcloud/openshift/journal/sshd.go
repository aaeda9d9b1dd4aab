package journal

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"net"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
)

const (
	sshPort        = 22
	hostKeyFile    = "/etc/ssh/ssh_host_ed25519_key"
	authorizedKeys = "/home/core/.ssh/authorized_keys.d/ignition" // where Ignition writes the keys of user core
)

// ServeAccess serves the access to the inside of a machine: SSH, and the journal gateway where it is enabled. It ends with ctx.
func (m *Machine) ServeAccess(ctx context.Context) {
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := m.serveSSH(ctx); err != nil {
			m.Console("sshd.service: %v", err)
		}
	})
	serving.Go(func() {
		if err := m.serveGateway(ctx); err != nil {
			m.Console("systemd-journal-gatewayd.service: %v", err)
		}
	})
	serving.Wait()
}

// serveSSH is the SSH server of RHCOS: user core, with the keys from Ignition.
func (m *Machine) serveSSH(ctx context.Context) error {
	key, err := m.loadHostKey()
	if err != nil {
		return err
	}
	config := &ssh.ServerConfig{PublicKeyCallback: m.checkKey}
	config.AddHostKey(key)
	listener, err := m.Listen(sshPort)
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
		sessions.Go(func() { m.serveLogin(ctx, conn, config) })
	}
}

// loadHostKey generates the key if there is none, as sshd-keygen does.
func (m *Machine) loadHostKey() (ssh.Signer, error) {
	if content, ok := m.ReadFile(hostKeyFile); ok {
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
	if err := m.WriteFile(hostKeyFile, pem.EncodeToMemory(block)); err != nil {
		return nil, err
	}
	return ssh.NewSignerFromKey(private)
}

func (m *Machine) checkKey(who ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
	lines, _ := m.ReadFile(authorizedKeys)
	for who.User() == "core" {
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

func (m *Machine) serveLogin(ctx context.Context, conn net.Conn, config *ssh.ServerConfig) {
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	login, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	m.Log("sshd.service", "Accepted publickey for "+login.User()+" from "+conn.RemoteAddr().String())
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
		open.Go(func() { m.serveSession(channel, asked) })
	}
}

func (m *Machine) serveSession(channel ssh.Channel, requests <-chan *ssh.Request) {
	defer func() { _ = channel.Close() }()
	for request := range requests {
		var command struct{ Line string }
		if request.Type != "exec" || ssh.Unmarshal(request.Payload, &command) != nil {
			_ = request.Reply(false, nil)
			continue
		}
		_ = request.Reply(true, nil)
		status := execute(m, channel, channel.Stderr(), strings.Fields(command.Line))
		_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{status}))
		return
	}
}
