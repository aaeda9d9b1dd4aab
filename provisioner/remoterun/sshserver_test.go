package remoterun_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"

	"exoshift/internal/network"
	"exoshift/provisioner/remoterun"
)

// bastion is an SSH server on loopback that really runs the commands.
type bastion struct {
	*testing.T
	listener net.Listener
	config   *ssh.ServerConfig
	keys     []ssh.Signer // of the host
	known    string       // a known_hosts file
	temp     string       // the folder for temporary files of its commands
	uname    string       // its uname; "": the real one
	agent    agent.Agent
	mine     ed25519.PrivateKey // the key that it lets in

	mu      sync.Mutex
	tried   int // logins
	running sync.WaitGroup

	forwarded atomic.Int64 // connections to other hosts
}

func newBastion(t *testing.T) *bastion {
	t.Helper()
	b := &bastion{T: t, temp: t.TempDir(), known: filepath.Join(t.TempDir(), "known_hosts"), agent: agent.NewKeyring()}
	_, mine, err := ed25519.GenerateKey(rand.Reader)
	b.must(err)
	b.mine = mine
	b.must(b.agent.Add(agent.AddedKey{PrivateKey: mine}))
	signer, err := ssh.NewSignerFromSigner(mine)
	b.must(err)
	b.config = &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.tried++
		if string(key.Marshal()) != string(signer.PublicKey().Marshal()) {
			return nil, errors.New("somebody else")
		}
		return nil, nil
	}}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	b.must(err)
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	b.must(err)
	for _, private := range []any{ec, ed} {
		key, err := ssh.NewSignerFromKey(private)
		b.must(err)
		b.config.AddHostKey(key)
		b.keys = append(b.keys, key)
	}
	b.listener, err = net.Listen("tcp", "127.0.0.1:0")
	b.must(err)
	b.running.Go(b.serve)
	t.Cleanup(func() { _ = b.listener.Close() })
	b.knows(b.keys[1].PublicKey()) // not the one that the server prefers
	return b
}

func (b *bastion) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bastion) knows(key ssh.PublicKey) {
	line := knownhosts.Line([]string{b.listener.Addr().String()}, key)
	b.must(os.WriteFile(b.known, []byte(line+"\n"), 0o600))
}

func (b *bastion) host() *remoterun.Host {
	b.Helper()
	host, err := remoterun.NewHost(remoterun.SSHOptions{
		Target: "admin@" + b.listener.Addr().String(), KnownHosts: []string{b.known, b.known + "-none"}, Agent: b.connect,
		Network: network.Network{Dial: new(net.Dialer).DialContext},
	})
	b.must(err)
	return host
}

func (b *bastion) connect(context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	b.running.Go(func() { _ = agent.ServeAgent(b.agent, there) })
	return here, nil
}

func (b *bastion) serve() {
	for {
		conn, err := b.listener.Accept()
		if err != nil {
			return
		}
		b.running.Go(func() { b.talk(conn) })
	}
}

func (b *bastion) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_, channels, requests, err := ssh.NewServerConn(conn, b.config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for offer := range channels {
		if offer.ChannelType() == "direct-tcpip" {
			b.running.Go(func() { b.forward(offer) })
			continue
		}
		channel, wanted, err := offer.Accept()
		if err != nil {
			return
		}
		b.running.Go(func() { b.session(channel, wanted) })
	}
}

// forward connects a client to another host.
func (b *bastion) forward(offer ssh.NewChannel) {
	var to struct {
		Host       string
		Port       uint32
		From       string
		SourcePort uint32
	}
	_ = ssh.Unmarshal(offer.ExtraData(), &to)
	conn, err := net.Dial("tcp", net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port))))
	if err != nil {
		_ = offer.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	defer func() { _ = conn.Close() }()
	channel, wanted, err := offer.Accept()
	if err != nil {
		return
	}
	b.forwarded.Add(1)
	go ssh.DiscardRequests(wanted)
	go func() { _, _ = io.Copy(conn, channel); _ = conn.Close() }()
	_, _ = io.Copy(channel, conn)
	_ = channel.Close()
}

func (b *bastion) session(channel ssh.Channel, wanted <-chan *ssh.Request) {
	for wanted := range wanted {
		if wanted.Type != "exec" {
			_ = wanted.Reply(false, nil)
			continue
		}
		var order struct{ Command string }
		_ = ssh.Unmarshal(wanted.Payload, &order)
		_ = wanted.Reply(true, nil)
		b.running.Go(func() { b.run(channel, order.Command) })
	}
}

// run runs a command as sshd does: stdin ends with the connection, and the command is not killed.
func (b *bastion) run(channel ssh.Channel, command string) {
	defer func() { _ = channel.Close() }()
	if b.uname != "" && strings.HasPrefix(command, "uname") {
		command = "echo " + b.uname
	}
	shell := exec.Command("/bin/sh", "-c", command)
	shell.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + b.temp}
	shell.Stdout, shell.Stderr = channel, channel.Stderr()
	input, err := shell.StdinPipe()
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(input, channel)
		_ = input.Close()
	}()
	err = shell.Run()
	code := uint32(0)
	if err != nil {
		code = 255
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = uint32(exit.ExitCode())
		}
	}
	_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{code}))
}

// tidy fails if anything of a program is left.
func (b *bastion) tidy() {
	b.Helper()
	over := make(chan struct{})
	go func() { b.running.Wait(); close(over) }()
	select {
	case <-over:
	case <-time.After(10 * time.Minute):
		b.Fatal("something goes on that nobody waits for")
	}
	left, err := os.ReadDir(b.temp)
	b.must(err)
	for _, one := range left {
		b.Errorf("left behind: %s", one.Name())
	}
}
