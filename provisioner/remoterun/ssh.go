package remoterun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"
)

const (
	// sshLimit bounds, on the wall clock, a whole run on a host.
	sshLimit = 10 * time.Minute
	// loginLimit bounds connection and login.
	loginLimit = 30 * time.Second
	sshPort    = "22"
	// maxStderr is how much of a program's stderr is kept, in bytes.
	maxStderr = 4 << 10
)

// SSHOptions are the dependencies of a Host.
type SSHOptions struct {
	Target  string // [user@]host[:port]; what is not given comes from Config, or else from the local user's name
	Network network.Network
	// Agent connects to the SSH agent whose keys authenticate us; nil: there is none.
	Agent func(ctx context.Context) (net.Conn, error)
	// Keys are files with private keys, which authenticate us after those of the agent; missing files are ignored.
	Keys []string
	// Config are files in the format of ssh_config(5), the user's own first; missing files are ignored. Of them HostName, User,
	// Port, IdentityFile, IdentitiesOnly and ProxyJump count.
	Config []string
	// KnownHosts are files in OpenSSH's format with the keys of hosts; missing files are ignored.
	KnownHosts []string
}

// Host is a Runner on a host over SSH.
type Host struct {
	options    SSHOptions
	user       string
	address    string   // host:port
	alias      string   // the arguments by which ssh finds this address; "": those of the address itself
	keys       []string // files
	preferKeys bool     // the files are of this host, and tried before the keys of the agent
	onlyKeys   bool     // no other keys of the agent are tried
	jump       *Host    // by which it is reached; nil: directly
}

// NewHost returns a Runner on a host, which is reached as ssh would. It does not connect.
func NewHost(options SSHOptions) (*Host, error) {
	t, err := parseSSHTarget(options.Target)
	if err != nil {
		return nil, err
	}
	config, err := readSSHConfig(options.Config)
	if err != nil && (t.user == "" || t.port == "") {
		return nil, err
	}
	return config.resolve(options, options.Target, maxJumps)
}

func isHost(name string) bool {
	return name != "" && !strings.HasPrefix(name, "-") && !strings.ContainsAny(name, " @/%\\") && text.Sanitize(name) == name
}

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

func newTargetError(target string, err error) error {
	return fault.New(fault.Invalid, fmt.Sprintf("read %q", target), err).
		WithHint("use a host such as ssh:admin@bastion.example.net or ssh:192.0.2.10:2222")
}

// Run runs a program on the host. The program is copied to a temporary folder there, which is deleted when it ends, also if the
// connection breaks.
func (h *Host) Run(ctx context.Context, program Program, input []byte, seen func(text string)) ([]byte, error) {
	packed, err := packProgram(program)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, sshLimit)
	defer cancel()
	seen("logs in at " + h.address + " as " + h.user)
	client, err := h.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = client.Close() })
	defer stop()
	if err := h.checkPlatform(ctx, client); err != nil {
		return nil, err
	}
	seen("uploads the program, " + formatMegabytes(int64(len(packed.content))) + ", and runs it")
	return h.execute(ctx, client, packed, input)
}

func (h *Host) checkPlatform(ctx context.Context, client *ssh.Client) error {
	const op = "detect the platform of the host"
	session, err := client.NewSession()
	if err != nil {
		return h.toSessionFault(ctx, op, err)
	}
	defer func() { _ = session.Close() }()
	buffer := &limitedBuffer{left: maxStderr}
	session.Stdout = buffer
	if err := session.Run("uname -sm"); err != nil {
		return h.toSessionFault(ctx, op, err)
	}
	if system := strings.TrimSpace(buffer.String()); system != "Linux x86_64" {
		return fault.Newf(fault.Invalid, op, "it is %q, but the program requires Linux on x86_64", text.Sanitize(system)).
			WithHint("choose a Linux host on amd64")
	}
	return nil
}

// execute keeps stdin open until the end: the host takes its end as a sign that the client is gone.
func (h *Host) execute(ctx context.Context, client *ssh.Client, packed payload, input []byte) ([]byte, error) {
	const op = "run the program on the host"
	session, err := client.NewSession()
	if err != nil {
		return nil, h.toSessionFault(ctx, op, err)
	}
	defer func() { _ = session.Close() }()
	complaint, output := &limitedBuffer{left: maxStderr}, &limitedBuffer{left: maxReport + 1}
	session.Stdout, session.Stderr = output, complaint
	into, err := session.StdinPipe()
	if err != nil {
		return nil, h.toSessionFault(ctx, op, err)
	}
	defer func() { _ = into.Close() }()
	if err := session.Start(buildScript(packed, len(input))); err != nil {
		return nil, h.toSessionFault(ctx, op, err)
	}
	go func() { // ends with the session
		_, _ = io.Copy(into, io.MultiReader(bytes.NewReader(packed.content), bytes.NewReader(input)))
	}()
	if err := session.Wait(); err != nil {
		return nil, h.toExitFault(ctx, op, err, complaint.String())
	}
	if output.Len() > maxReport {
		return nil, fault.Newf(fault.Invalid, op, "its output is larger than %d bytes", maxReport).WithHint("check fewer endpoints at once: --only")
	}
	return output.Bytes(), nil
}

func (h *Host) connect(ctx context.Context) (*ssh.Client, error) {
	const op = "log in"
	config, err := h.buildConfig(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := h.dial(ctx)
	if err != nil {
		return nil, err
	}
	late, cancel := context.WithTimeout(ctx, loginLimit)
	defer cancel()
	stop := context.AfterFunc(late, func() { _ = conn.Close() })
	through, channels, requests, err := ssh.NewClientConn(conn, h.address, config)
	if !stop() && err == nil {
		err = context.Cause(late)
	}
	if err != nil {
		_ = conn.Close()
		return nil, h.toLoginFault(late, op, err)
	}
	return ssh.NewClient(through, channels, requests), nil
}

// dial connects directly, or through the host that leads there.
func (h *Host) dial(ctx context.Context) (conn net.Conn, err error) {
	const op = "log in"
	from := "here"
	if h.jump == nil {
		conn, err = h.options.Network.Connect(ctx, h.address)
	} else {
		from = h.jump.address
		var gate *ssh.Client
		if gate, err = h.jump.connect(ctx); err != nil {
			return nil, err
		}
		if conn, err = gate.DialContext(ctx, "tcp", h.address); err == nil {
			return jumpConn{conn, gate}, nil
		}
		_ = gate.Close()
	}
	if err != nil {
		return nil, fault.New(fault.Transient, op, err).WithHint("make sure that %s is reached from %s: %s", h.address, from, h.formatCommand())
	}
	return conn, nil
}

// jumpConn is a connection through another host; closed, it logs out there.
type jumpConn struct {
	net.Conn
	gate *ssh.Client
}

func (c jumpConn) Close() error { return errors.Join(c.Conn.Close(), c.gate.Close()) }

func (h *Host) buildConfig(ctx context.Context) (*ssh.ClientConfig, error) {
	keys, err := h.loadHostKeys()
	if err != nil {
		return nil, err
	}
	own, unusable := loadKeys(h.keys)
	held, err := h.listAgentSigners(ctx)
	switch {
	case len(own) > 0: // as for ssh, the agent may be gone
	case err != nil:
		return nil, fault.New(fault.Denied, "log in", err).WithHint("start an agent and add your key: eval $(ssh-agent); ssh-add")
	case h.options.Agent == nil:
		return nil, newNoKeyFault(unusable)
	}
	if h.onlyKeys {
		held = selectSigners(held, h.keys)
	}
	signers := append(held, own...)
	if h.preferKeys {
		signers = append(own, held...)
	}
	return &ssh.ClientConfig{
		User: h.user, Auth: []ssh.AuthMethod{ssh.PublicKeys(signers...)},
		HostKeyAlgorithms: keys.algorithms, HostKeyCallback: keys.check,
	}, nil
}

func (h *Host) listAgentSigners(ctx context.Context) ([]ssh.Signer, error) {
	if h.options.Agent == nil {
		return nil, nil
	}
	conn, err := h.options.Agent(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to the SSH agent: %w", err)
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() }) // the signers need it until then
	return agent.NewClient(conn).Signers()
}
