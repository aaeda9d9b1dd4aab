package remoterun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/user"
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
	Target  string // [user@]host[:port]; without a user the local user's name is used
	Network network.Network
	// Agent connects to the SSH agent whose keys authenticate us; nil: there is none.
	Agent func(ctx context.Context) (net.Conn, error)
	// Keys are files with private keys, which authenticate us after those of the agent; missing files are ignored.
	Keys []string
	// KnownHosts are files in OpenSSH's format with the keys of hosts; missing files are ignored.
	KnownHosts []string
}

// Host is a Runner on a host over SSH.
type Host struct {
	options SSHOptions
	user    string
	address string // host:port
}

// NewHost returns a Runner on a host. It does not connect.
func NewHost(options SSHOptions) (*Host, error) {
	name, address, found := strings.Cut(options.Target, "@")
	if !found {
		current, err := user.Current()
		if err != nil {
			return nil, newTargetError(options.Target, err)
		}
		name, address = current.Username, options.Target
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = strings.Trim(address, "[]"), sshPort
	}
	if name == "" || !isHost(host) || !isPort(port) || text.Sanitize(name) != name {
		return nil, newTargetError(options.Target, errors.New("it names no user and host"))
	}
	return &Host{options: options, user: name, address: net.JoinHostPort(host, port)}, nil
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
		WithHint("name a host like ssh:admin@bastion.example.net or ssh:192.0.2.10:2222")
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
	const op = "look at what the host is"
	session, err := client.NewSession()
	if err != nil {
		return h.toSessionFault(ctx, op, err)
	}
	defer func() { _ = session.Close() }()
	said := &limitedBuffer{left: maxStderr}
	session.Stdout = said
	if err := session.Run("uname -sm"); err != nil {
		return h.toSessionFault(ctx, op, err)
	}
	if system := strings.TrimSpace(said.String()); system != "Linux x86_64" {
		return fault.Newf(fault.Invalid, op, "it is %q, and the program needs Linux on x86_64", text.Sanitize(system)).
			WithHint("choose a Linux host with an amd64 processor")
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
		return nil, fault.Newf(fault.Invalid, op, "it says more than %d bytes", maxReport).WithHint("check fewer endpoints at once: --only")
	}
	return output.Bytes(), nil
}

func (h *Host) connect(ctx context.Context) (*ssh.Client, error) {
	const op = "log in"
	config, err := h.buildConfig(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := h.options.Network.Connect(ctx, h.address)
	if err != nil {
		return nil, fault.New(fault.Transient, op, err).WithHint("make sure that %s is reached from here: %s", h.address, h.formatCommand())
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

func (h *Host) buildConfig(ctx context.Context) (*ssh.ClientConfig, error) {
	keys, err := h.loadHostKeys()
	if err != nil {
		return nil, err
	}
	own, unusable := loadKeys(h.options.Keys)
	held, err := h.listAgentSigners(ctx)
	switch {
	case len(own) > 0: // as for ssh, the agent may be gone
	case err != nil:
		return nil, fault.New(fault.Denied, "log in", err).WithHint("start an agent and give it your key: eval $(ssh-agent); ssh-add")
	case h.options.Agent == nil:
		return nil, newNoKeyFault(unusable)
	}
	return &ssh.ClientConfig{
		User: h.user, Auth: []ssh.AuthMethod{ssh.PublicKeys(append(held, own...)...)},
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
