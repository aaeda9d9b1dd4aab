package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"golang.org/x/crypto/ssh"
)

const (
	// maxGreeting is the longest line of a greeting, RFC 4253, section 4.2.
	maxGreeting = 255
	// maxNotices is how many lines may come before the greeting.
	maxNotices = 20
)

// errNoSSH means that something answers, which is no SSH server.
var errNoSSH = errors.New("what answers is no SSH server")

// replayConn is a connection of which something was read already.
type replayConn struct {
	net.Conn
	read io.Reader
}

func (r replayConn) Read(b []byte) (int, error) { return r.read.Read(b) }

// readGreeting reads the line by which a server says which SSH it speaks, e.g. "SSH-2.0-OpenSSH_9.6", and returns a
// connection that starts over.
func readGreeting(conn net.Conn) (string, net.Conn, error) {
	var seen bytes.Buffer
	from := io.TeeReader(conn, &seen)
	for range maxNotices + 1 {
		line, err := readGreetingLine(from)
		if err != nil {
			return line, nil, err
		}
		if version, ok := strings.CutPrefix(line, "SSH-"); ok {
			if !strings.HasPrefix(version, "2.0-") && !strings.HasPrefix(version, "1.99-") {
				return line, nil, fmt.Errorf("%w of version 2", errNoSSH)
			}
			return line, replayConn{conn, io.MultiReader(&seen, conn)}, nil
		}
		if strings.HasPrefix(line, "HTTP/") || strings.HasPrefix(line, "220 ") || strings.HasPrefix(line, "<") {
			return line, nil, errNoSSH
		}
	}
	return "", nil, errNoSSH
}

// readGreetingLine reads a line, byte by byte, because what follows it is not text.
func readGreetingLine(from io.Reader) (string, error) {
	var line []byte
	for next := make([]byte, 1); len(line) <= maxGreeting; {
		if _, err := io.ReadFull(from, next); err != nil {
			return string(line), err
		}
		if next[0] == '\n' {
			return strings.TrimSuffix(string(line), "\r"), nil
		}
		line = append(line, next[0])
	}
	return string(line), errNoSSH
}

// errSeen ends a key exchange as soon as the server has proved its key.
var errSeen = errors.New("the host key was seen")

// readSSHHostKey exchanges keys with a server as far as it takes to know its own, which it proves to hold.
func readSSHHostKey(conn net.Conn, algorithms []string) (ssh.PublicKey, error) {
	var seen ssh.PublicKey
	config := &ssh.ClientConfig{
		ClientVersion:     "SSH-2.0-exoshift",
		HostKeyAlgorithms: algorithms,
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			seen = key
			return errSeen
		},
	}
	client, _, _, err := ssh.NewClientConn(conn, "", config)
	if err == nil {
		_ = client.Close() // it asked for nobody's name, which the callback prevents
	}
	if seen != nil {
		return seen, nil
	}
	return nil, fmt.Errorf("exchange keys: %w", err)
}

// closeOnCancel closes a connection when ctx ends; call the result when the connection is no longer used.
func closeOnCancel(ctx context.Context, conn net.Conn) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = conn.Close() })
}
