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

var errNoSSH = errors.New("what answers is no SSH server")

type replayConn struct {
	net.Conn
	read io.Reader
}

func (r replayConn) Read(b []byte) (int, error) { return r.read.Read(b) }

// The line is e.g. "SSH-2.0-OpenSSH_9.6"; the returned connection replays it.
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

// readGreetingLine reads byte by byte, because what follows is binary.
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

// readSSHHostKey exchanges keys only until the server has proved that it holds its key.
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
		_ = client.Close() // the callback prevents authentication
	}
	if seen != nil {
		return seen, nil
	}
	return nil, fmt.Errorf("exchange keys: %w", err)
}

func closeOnCancel(ctx context.Context, conn net.Conn) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = conn.Close() })
}
