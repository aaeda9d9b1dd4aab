package githost

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
	"mvdan.cc/sh/v3/shell"
)

// checkKey accepts keys of engineers and of clusters.
func (s *gitServer) checkKey(conn ssh.ConnMetadata, public ssh.PublicKey) (*ssh.Permissions, error) {
	text := formatKey(public)
	_, known := s.accounts.keys.Get(text)
	_, deploys := s.accounts.findDeployKey(text)
	if conn.User() != "git" || !known && !deploys {
		return nil, errors.New("permission denied")
	}
	return &ssh.Permissions{Extensions: map[string]string{"key": text}}, nil
}

func (s *gitServer) serve(ctx context.Context, conn *ssh.ServerConn, channels <-chan ssh.NewChannel) {
	var sessions sync.WaitGroup
	defer sessions.Wait()
	for asked := range channels {
		if asked.ChannelType() != "session" {
			_ = asked.Reject(ssh.UnknownChannelType, "only sessions")
			continue
		}
		channel, requests, err := asked.Accept()
		if err != nil {
			return
		}
		sessions.Go(func() {
			defer func() { _ = channel.Close() }()
			s.serveSession(ctx, channel, requests, conn.Permissions.Extensions["key"])
		})
	}
}

// serveSession waits for the one command of a session. Environment requests are ignored.
func (s *gitServer) serveSession(ctx context.Context, channel ssh.Channel, requests <-chan *ssh.Request, public string) {
	for asked := range requests {
		var command struct{ Text string }
		runs := asked.Type == "exec" && ssh.Unmarshal(asked.Payload, &command) == nil || asked.Type == "shell"
		_ = asked.Reply(runs || asked.Type == "env", nil)
		if !runs {
			continue
		}
		go ssh.DiscardRequests(requests)
		status := struct{ Status uint32 }{s.runCommand(ctx, channel, command.Text, public)}
		_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(status))
		return
	}
}

func (s *gitServer) runCommand(ctx context.Context, channel ssh.Channel, text, public string) uint32 {
	fields, err := shell.Fields(text, func(string) string { return "" })
	switch {
	case err == nil && len(fields) == 0:
		_, _ = io.WriteString(channel, "Welcome to GitLab, @"+engineer+"!\n")
		return 0
	case err != nil || len(fields) != 2 || fields[0] != uploadPack && fields[0] != receivePack:
		return writeRejection(channel, "Disallowed command")
	}
	s.pipelines.runDue(ctx)
	found, why := s.open(fields[0], fields[1], public)
	if why != "" {
		return writeRejection(channel, why)
	}
	conversation := newWire(channel, channel, false)
	if err := conversation.sendReferences(fields[0], found); err != nil {
		return 128
	}
	err = s.serveService(conversation, fields[0], found)
	if err != nil {
		_, _ = io.WriteString(channel.Stderr(), "fatal: "+err.Error()+"\n")
	}
	awaitEnd(channel)
	if err != nil {
		return 128
	}
	return 0
}

// awaitEnd reads until the client ends its input. The server knows the end of a request without that: go-git, which ends its
// input after the request, fails if the channel is closed in between.
func awaitEnd(channel ssh.Channel) {
	_ = channel.CloseWrite()
	_, _ = io.Copy(io.Discard, channel)
}

// open returns the repository, or why the key has no access.
func (s *gitServer) open(service, name, public string) (found repository, why string) {
	found, ok := s.repositories.find(name)
	_, owner := s.accounts.keys.Get(public)
	catalog, _ := s.accounts.findDeployKey(public)
	switch {
	case !ok || !owner && catalog != found.Path:
		return found, notFound
	case !owner && service == receivePack:
		return found, "This deploy key does not have write access to this project."
	}
	return found, ""
}

// writeRejection prints the reason in GitLab's frame.
func writeRejection(channel ssh.Channel, why string) uint32 {
	const frame = "========================================================================"
	for _, line := range []string{"", frame, "", "ERROR: " + why, "", frame, ""} {
		_, _ = io.WriteString(channel.Stderr(), strings.TrimRight("remote: "+line, " ")+"\n")
	}
	return 1
}
