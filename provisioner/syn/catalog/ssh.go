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

const signInOp = "sign in at the Git host"

// loginLimit bounds, on the wall clock, connection and login.
const loginLimit = 30 * time.Second

type sshTransport struct {
	git      *Git
	repo     repoURL
	hostKeys string
}

// NewUploadPackSession returns a session for a fetch. It does not connect yet.
func (t sshTransport) NewUploadPackSession(*transport.Endpoint, transport.AuthMethod) (transport.UploadPackSession, error) {
	return &sshSession{transport: t, service: transport.UploadPackServiceName}, nil
}

// NewReceivePackSession returns a session for a push. It does not connect yet.
func (t sshTransport) NewReceivePackSession(*transport.Endpoint, transport.AuthMethod) (transport.ReceivePackSession, error) {
	return &sshSession{transport: t, service: transport.ReceivePackServiceName}, nil
}

func (t sshTransport) connect(ctx context.Context) (*ssh.Client, error) {
	config, done, err := t.buildConfig(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	conn, err := t.git.network.Connect(ctx, t.repo.sshAddress())
	if err != nil {
		return nil, toConnectFault(ctx, t.repo, err)
	}
	late, cancel := context.WithTimeout(ctx, loginLimit)
	defer cancel()
	stop := context.AfterFunc(late, func() { _ = conn.Close() })
	through, channels, requests, err := ssh.NewClientConn(conn, t.repo.sshAddress(), config)
	if !stop() && err == nil {
		err = context.Cause(late)
	}
	if err != nil {
		_ = conn.Close()
		return nil, t.toFault(late, err)
	}
	return ssh.NewClient(through, channels, requests), nil
}

// buildConfig returns done to close the agent's connection.
func (t sshTransport) buildConfig(ctx context.Context) (config *ssh.ClientConfig, done func(), err error) {
	keys, err := t.findHostKeys()
	if err != nil {
		return nil, nil, err
	}
	if t.git.access.Agent == nil {
		return nil, nil, fault.Newf(fault.Denied, signInOp, "there is no SSH agent, and no token for %s", t.repo.host).
			WithHint("start an agent and add your key: eval $(ssh-agent); ssh-add; or create a token there with the scopes api and write_repository, and set it as syn.gitToken")
	}
	conn, err := t.git.access.Agent(ctx)
	if err != nil {
		return nil, nil, fault.New(fault.Denied, signInOp, fmt.Errorf("connect to the SSH agent: %w", network.DescribeError(err))).
			WithHint("restart the agent and add your key: eval $(ssh-agent); ssh-add")
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	done = func() {
		stop()
		_ = conn.Close()
	}
	return &ssh.ClientConfig{
		User: t.repo.sshUser(), Auth: []ssh.AuthMethod{ssh.PublicKeysCallback(listAgentKeys(conn))},
		HostKeyAlgorithms: keys.listAlgorithms(), HostKeyCallback: keys.check,
	}, done, nil
}

func (t sshTransport) toFault(ctx context.Context, err error) error {
	var known *fault.Error
	switch {
	case ctx.Err() != nil:
		return toConnectFault(ctx, t.repo, ctx.Err())
	case errors.As(err, &known):
		return known
	case strings.Contains(err.Error(), "unable to authenticate"):
		return fault.Newf(fault.Denied, signInOp, "%s rejects all keys in the SSH agent", t.repo.sshAddress()).
			WithHint("add your key to the agent (ssh-add), and its public key to your account at %s", t.repo.host)
	case strings.Contains(strings.ToLower(err.Error()), "too many authentication failures"):
		return fault.Newf(fault.Denied, signInOp, "%s rejects the connection before all keys in the SSH agent were tried", t.repo.sshAddress()).
			WithHint("keep only the key of your account at %s in the agent: ssh-add -D, then ssh-add KEYFILE", t.repo.host)
	case strings.Contains(err.Error(), "no common algorithm for host key"):
		return fault.Newf(fault.Conflict, hostKeyOp, "%s has no host key of a known type", t.repo.sshAddress()).
			WithHint("ask its operator for its host keys; nothing is sent until then")
	}
	return toConnectFault(ctx, t.repo, err)
}
