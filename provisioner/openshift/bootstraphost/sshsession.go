package bootstraphost

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift/nodessh"
	"exoshift/state"
)

const (
	sshPort = 22
	// readRecords is the only command that is ever run. It prints each file below a line with its name. That the files are
	// world-readable is not verified.
	readRecords = "tail -v -n +1 /var/log/openshift/*.json"
	// maxRecords bounds its output, in bytes.
	maxRecords = 4 << 20
)

// sshSession keeps one connection for all collections: the agent may ask its owner at each use of a key.
type sshSession struct {
	net      network.Network
	user     string
	key      string
	agent    Agent
	client   *ssh.Client
	loginErr error // why another login would be useless
}

func newSSHSession(net network.Network, key string, agent Agent) *sshSession {
	return &sshSession{net: net, user: nodessh.NodeUser, key: key, agent: agent}
}

func (s *sshSession) close() {
	if s.client != nil {
		_ = s.client.Close()
		s.client = nil
	}
}

func (s *sshSession) listRecords(ctx context.Context, address netip.Addr, who *identity) ([]state.ServiceRecord, error) {
	if s.agent == nil || s.loginErr != nil {
		return nil, s.loginErr
	}
	const op = "read the service records of the bootstrap machine"
	if s.client == nil {
		if err := s.connect(ctx, address, who); err != nil {
			return nil, s.toFault(op, err)
		}
	}
	printed, err := s.run(ctx, readRecords)
	if err != nil {
		s.close()
		return nil, fault.New(fault.Transient, op, err)
	}
	return parseRecords(printed), nil
}

func (s *sshSession) toFault(op string, err error) error {
	var refused *nodessh.LoginError
	switch {
	case errors.Is(err, errHostKeyMismatch):
		s.loginErr = fault.New(fault.Conflict, op, err).
			WithHint("check which machine has its address: another one, or one with other keys")
	case errors.As(err, &refused):
		s.loginErr = fault.New(fault.Denied, op, err).
			WithHint("the installation does not require it; to enable it, add the cluster's key to the SSH agent (ssh-add) and run again")
	default:
		return fault.New(fault.Transient, op, err)
	}
	return s.loginErr
}

var errHostKeyMismatch = errors.New("its SSH server has another key than the machine")

func (s *sshSession) connect(ctx context.Context, address netip.Addr, who *identity) error {
	conn, err := connect(ctx, s.net, address, sshPort)
	if err != nil {
		return err
	}
	login := nodessh.Login{User: s.user, Key: s.key, Agent: s.agent, Algorithms: []string{who.hostKey.Type()}, CheckHost: func(key ssh.PublicKey) error {
		if !bytes.Equal(key.Marshal(), who.hostKey.Marshal()) {
			return errHostKeyMismatch
		}
		return nil
	}}
	client, err := login.Open(ctx, conn)
	if err != nil {
		_ = conn.Close()
		return err
	}
	s.client = client
	return nil
}

// run closes the connection when ctx ends.
func (s *sshSession) run(ctx context.Context, command string) ([]byte, error) {
	client := s.client
	stop := context.AfterFunc(ctx, func() { _ = client.Close() })
	defer stop()
	session, err := client.NewSession()
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	complaint := &limitedBuffer{left: 1 << 10}
	session.Stderr = complaint
	output, err := session.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := session.Start(command); err != nil {
		return nil, err
	}
	printed, err := io.ReadAll(io.LimitReader(output, maxRecords))
	if err != nil || len(printed) == maxRecords {
		return printed, err
	}
	return printed, toCommandError(session.Wait(), len(printed) > 0, complaint.String())
}

func toCommandError(err error, printed bool, complaint string) error {
	var exit *ssh.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if printed || strings.Contains(complaint, "No such file") {
		return nil
	}
	return errors.New(sanitizeLine(complaint))
}

type limitedBuffer struct {
	bytes.Buffer
	left int
}

func (l *limitedBuffer) Write(b []byte) (int, error) {
	kept := min(len(b), l.left)
	l.left -= kept
	_, _ = l.Buffer.Write(b[:kept]) // never fails
	return len(b), nil
}
