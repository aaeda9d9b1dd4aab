package githost

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/storage/memory"
	"golang.org/x/crypto/ssh"
)

// Dial opens a connection.
type Dial func(ctx context.Context, proto, address string) (net.Conn, error)

// Fetch returns the files of a repository's newest commit over SSH. hostKeys are lines as in known_hosts; a server with another
// key is refused.
func Fetch(ctx context.Context, dial Dial, link string, signer ssh.Signer, hostKeys string) (files map[string][]byte, commit string, err error) {
	target, err := url.Parse(link)
	if err != nil || target.Scheme != "ssh" || target.Host == "" {
		return nil, "", fmt.Errorf("fetch %q: it is no address of a repository by SSH", link)
	}
	client, err := connect(ctx, dial, target, signer, hostKeys)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = client.Close() }()
	defer context.AfterFunc(ctx, func() { _ = client.Close() })()
	return fetch(client, target.Path)
}

func connect(ctx context.Context, dial Dial, target *url.URL, signer ssh.Signer, hostKeys string) (*ssh.Client, error) {
	port := target.Port()
	if port == "" {
		port = "22"
	}
	address := net.JoinHostPort(target.Hostname(), port)
	conn, err := dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	config := &ssh.ClientConfig{User: "git", Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyCallback: newHostKeyCallback(target.Hostname(), hostKeys)}
	if user := target.User.Username(); user != "" {
		config.User = user
	}
	session, channels, requests, err := ssh.NewClientConn(conn, address, config)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return ssh.NewClient(session, channels, requests), nil
}

// newHostKeyCallback accepts the keys of a host in known_hosts lines.
func newHostKeyCallback(host, lines string) ssh.HostKeyCallback {
	return func(_ string, _ net.Addr, public ssh.PublicKey) error {
		known := false
		for rest := []byte(lines); len(rest) > 0; {
			_, names, listed, _, after, err := ssh.ParseKnownHosts(rest)
			if err != nil {
				break
			}
			rest = after
			for _, name := range names {
				if strings.EqualFold(strings.Trim(name, "[]"), host) {
					known = true
					if bytes.Equal(listed.Marshal(), public.Marshal()) {
						return nil
					}
				}
			}
		}
		if known {
			return errors.New("knownhosts: key mismatch")
		}
		return errors.New("knownhosts: key is unknown")
	}
}

func fetch(client *ssh.Client, name string) (map[string][]byte, string, error) {
	session, err := client.NewSession()
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = session.Close() }()
	var output bytes.Buffer
	session.Stderr = &output
	in, err := session.StdinPipe()
	if err != nil {
		return nil, "", err
	}
	out, err := session.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := session.Start(uploadPack + " '" + strings.ReplaceAll(name, "'", "") + "'"); err != nil {
		return nil, "", err
	}
	files, commit, err := fetchNewest(in, out)
	if err != nil {
		_ = in.Close()
		_ = session.Wait() // its output is complete then
		return nil, "", fmt.Errorf("fetch %s: %w: %s", name, err, strings.TrimSpace(output.String()))
	}
	return files, commit, nil
}

func fetchNewest(in io.Writer, out io.Reader) (map[string][]byte, string, error) {
	offered := packp.NewAdvRefs()
	if err := offered.Decode(out); err != nil {
		return nil, "", err
	}
	if offered.Head == nil {
		return nil, "", errors.New("unable to resolve 'HEAD' to a commit SHA")
	}
	talk := newWire(out, in, false)
	commit := offered.Head.String()
	asked := talk.answer.EncodeString("want "+commit+" ofs-delta\n", "deepen 1\n")
	if err := errors.Join(asked, talk.answer.Flush(), talk.answer.EncodeString("done\n")); err != nil {
		return nil, "", err
	}
	for line := ""; line != "NAK"; {
		var err error
		if line, err = talk.next(); err != nil {
			return nil, "", err
		}
	}
	objects := memory.NewStorage()
	parser, err := packfile.NewParserWithStorage(packfile.NewScanner(out), objects)
	if err != nil {
		return nil, "", err
	}
	if _, err := parser.Parse(); err != nil {
		return nil, "", err
	}
	files, err := readAllFiles(objects, plumbing.NewHash(commit))
	return files, commit, err
}
