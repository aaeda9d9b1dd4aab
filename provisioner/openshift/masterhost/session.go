package masterhost

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/nodessh"
)

// result is how a command ended.
type result struct {
	printed   []byte
	complaint string // what it wrote to its other output, shortened
	status    int
}

// Limits of what a command may print, in bytes.
const (
	maxPrinted   = 1 << 20
	maxComplaint = 4 << 10
)

// connect returns the login to a master, which is kept: the agent may ask its owner at each use of a key.
func (h *Hosts) connect(ctx context.Context, name string, address netip.Addr) (*ssh.Client, error) {
	op := "log in to " + name
	if kept := h.logins[name]; kept != nil {
		return kept, nil
	}
	if h.agent == nil {
		return nil, fault.Newf(fault.Denied, op, "there is no SSH agent").WithHint("start one and add the cluster's key: ssh-add")
	}
	dialed, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := h.net.Connect(dialed, netip.AddrPortFrom(address, sshPort).String())
	if err != nil {
		return nil, fault.New(fault.Transient, op, err)
	}
	entered, leave := context.WithTimeout(ctx, loginTimeout)
	defer leave()
	login := nodessh.Login{User: nodessh.NodeUser, Key: h.key, Agent: h.agent, Algorithms: listAlgorithms(), CheckHost: func(key ssh.PublicKey) error {
		return h.checkKey(name, address, key)
	}}
	client, err := login.Open(entered, conn)
	if err != nil {
		_ = conn.Close()
		return nil, toFault(op, err)
	}
	h.logins[name] = client
	return client, nil
}

func toFault(op string, err error) error {
	var refused *nodessh.LoginError
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &refused):
		return fault.New(fault.Denied, op, err).WithHint("add the cluster's key to the SSH agent (ssh-add), and run the same command again")
	}
	return fault.New(fault.Transient, op, err)
}

// run runs a command. One that ends with another status than 0 is no error.
func (h *Hosts) run(ctx context.Context, name string, address netip.Addr, command string) (result, error) {
	return h.runWith(ctx, name, address, command, nil)
}

// runWith runs a command with what write writes as its input; nil: it has none.
func (h *Hosts) runWith(ctx context.Context, name string, address netip.Addr, command string, write func(io.Writer) error) (result, error) {
	client, err := h.connect(ctx, name, address)
	if err != nil {
		return result{}, err
	}
	op := "run " + command + " on " + name
	stop := context.AfterFunc(ctx, func() { _ = client.Close() })
	defer stop()
	done, err := execute(client, command, write)
	var known *fault.Error // of what is written
	switch {
	case errors.As(err, &known):
		h.forget(name)
		return result{}, known
	case err != nil:
		h.forget(name)
		return result{}, fault.New(fault.Transient, op, err)
	}
	return done, nil
}

func execute(client *ssh.Client, command string, write func(io.Writer) error) (done result, err error) {
	session, err := client.NewSession()
	if err != nil {
		return done, err
	}
	defer func() { _ = session.Close() }()
	complaint := &tail{limit: maxComplaint}
	session.Stderr = complaint
	output, err := session.StdoutPipe()
	if err != nil {
		return done, err
	}
	input, err := session.StdinPipe()
	if err != nil {
		return done, err
	}
	if err := session.Start(command); err != nil {
		return done, err
	}
	if write != nil {
		err = write(input)
	}
	if err := errors.Join(err, input.Close()); err != nil && write != nil && !errors.Is(err, io.EOF) {
		return done, err
	}
	if done.printed, err = io.ReadAll(io.LimitReader(output, maxPrinted)); err != nil {
		return done, err
	}
	if len(done.printed) == maxPrinted {
		return done, errors.New("it prints too much")
	}
	err = session.Wait()
	done.complaint = strings.TrimSpace(complaint.String())
	var ended *ssh.ExitError
	if errors.As(err, &ended) && ended.Signal() == "" {
		done.status, err = ended.ExitStatus(), nil
	}
	return done, err
}

// tail keeps the last bytes of what is written: there, a script says why it failed.
type tail struct {
	bytes.Buffer
	limit int
}

func (t *tail) Write(content []byte) (int, error) {
	_, _ = t.Buffer.Write(content) // never fails
	if more := t.Len() - t.limit; more > 0 {
		t.Next(more)
	}
	return len(content), nil
}
