package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/internal/network"
)

const signIn = "sign in at the Git host"

// loginLimit bounds, on the wall clock, how long a host takes to let us in.
const loginLimit = 30 * time.Second

// sshTransport reaches one repository by SSH, on a connection of its own for each conversation.
type sshTransport struct {
	git      *Git
	place    place
	hostKeys string
}

// NewUploadPackSession is a fetch. It contacts nobody yet.
func (t sshTransport) NewUploadPackSession(*transport.Endpoint, transport.AuthMethod) (transport.UploadPackSession, error) {
	return &sshSession{transport: t, service: transport.UploadPackServiceName}, nil
}

// NewReceivePackSession is a push. It contacts nobody yet.
func (t sshTransport) NewReceivePackSession(*transport.Endpoint, transport.AuthMethod) (transport.ReceivePackSession, error) {
	return &sshSession{transport: t, service: transport.ReceivePackServiceName}, nil
}

// login connects, and makes sure that the host is the one that is known.
func (t sshTransport) login(ctx context.Context) (*ssh.Client, error) {
	config, done, err := t.config(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	conn, err := t.git.network.Connect(ctx, t.place.address())
	if err != nil {
		return nil, unreached(ctx, t.place, err)
	}
	late, cancel := context.WithTimeout(ctx, loginLimit)
	defer cancel()
	stop := context.AfterFunc(late, func() { _ = conn.Close() })
	through, channels, requests, err := ssh.NewClientConn(conn, t.place.address(), config)
	if !stop() && err == nil {
		err = context.Cause(late)
	}
	if err != nil {
		_ = conn.Close()
		return nil, t.refused(late, err)
	}
	return ssh.NewClient(through, channels, requests), nil
}

// config says who we are and who the host has to be. What it opened is closed by done.
func (t sshTransport) config(ctx context.Context) (config *ssh.ClientConfig, done func(), err error) {
	keys, err := t.git.pins(t.hostKeys, t.place)
	if err != nil {
		return nil, nil, err
	}
	if t.git.access.Agent == nil {
		return nil, nil, fault.Newf(fault.Denied, signIn, "there is no SSH agent, and no token of %s", t.place.host).
			WithHint("start an agent and give it your key: eval $(ssh-agent); ssh-add; or create a token there with the scopes api and write_repository, and give it as syn.gitToken")
	}
	conn, err := t.git.access.Agent(ctx)
	if err != nil {
		return nil, nil, fault.New(fault.Denied, signIn, fmt.Errorf("connect to the SSH agent: %w", network.Explain(err))).
			WithHint("start the agent again and give it your key: eval $(ssh-agent); ssh-add")
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	done = func() {
		stop()
		_ = conn.Close()
	}
	return &ssh.ClientConfig{
		User: t.place.login(), Auth: []ssh.AuthMethod{ssh.PublicKeysCallback(agentKeys(conn))},
		HostKeyAlgorithms: keys.algorithms(), HostKeyCallback: keys.check,
	}, done, nil
}

// refused says why a host does not let us in.
func (t sshTransport) refused(ctx context.Context, err error) error {
	var known *fault.Error
	switch {
	case ctx.Err() != nil:
		return unreached(ctx, t.place, ctx.Err())
	case errors.As(err, &known):
		return known
	case strings.Contains(err.Error(), "unable to authenticate"):
		return fault.Newf(fault.Denied, signIn, "%s accepts none of the keys in the SSH agent", t.place.address()).
			WithHint("add your key to the agent (ssh-add), and its public half to your account at %s", t.place.host)
	case strings.Contains(strings.ToLower(err.Error()), "too many authentication failures"):
		return fault.Newf(fault.Denied, signIn, "%s gives up before it has seen all of the keys in the SSH agent", t.place.address()).
			WithHint("leave only the key of your account at %s in the agent: ssh-add -D, then ssh-add with the file of that key", t.place.host)
	case strings.Contains(err.Error(), "no common algorithm for host key"):
		return fault.Newf(fault.Conflict, proveHost, "%s has no key of the kind that is known", t.place.address()).
			WithHint("find out from its operator which keys the host has; until then nothing is sent there")
	}
	return unreached(ctx, t.place, err)
}
