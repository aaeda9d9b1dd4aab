package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

// probeSSH compares the host key with those that the address pins.
func probeSSH(ctx context.Context, a *connection.Attempt) error {
	pins, err := parsePins(a.Target.URL.Fragment)
	if err != nil {
		return a.Fail(&a.Layers.HTTP, reach.Malformed, err)
	}
	var seen []string
	for i, algorithms := range pins.listAlgorithms() {
		at := a
		if i > 0 {
			at = a.Again()
		}
		key, err := readHostKey(ctx, at, algorithms)
		if err != nil {
			return err
		}
		if key == nil {
			continue // the server has none of these
		}
		seen = append(seen, ssh.FingerprintSHA256(key))
		a.Record(reach.EvidenceHostKey, strings.Join(seen, ", "))
		if len(pins.fingerprints) == 0 || pins.hasFingerprint(ssh.FingerprintSHA256(key)) {
			a.Record(reach.EvidenceHostKey, ssh.FingerprintSHA256(key))
			a.Layers.HTTP = reach.LayerOK
			return nil
		}
	}
	return newHostKeyError(a, pins, seen)
}

func newHostKeyError(a *connection.Attempt, pins hostPins, seen []string) error {
	err := fmt.Errorf("the host key differs from %s", strings.Join(pins.fingerprints, ", "))
	if len(seen) == 0 {
		err = errors.New("the server offers no supported host key type")
	}
	return a.Fail(&a.Layers.HTTP, reach.HostKey, err)
}

func readHostKey(ctx context.Context, a *connection.Attempt, algorithms []string) (ssh.PublicKey, error) {
	if err := a.Connect(ctx); err != nil {
		return nil, err
	}
	defer a.Limit(ctx, a.Deps.Limits.HTTP)()
	greeting, again, err := readGreeting(a.Conn)
	a.Record(reach.EvidenceStatus, greeting)
	if err != nil {
		return nil, a.Fail(&a.Layers.HTTP, connection.MapProtocolError(err, reach.Unexpected), err)
	}
	key, err := readSSHHostKey(again, algorithms)
	var none *ssh.AlgorithmNegotiationError
	if errors.As(err, &none) && strings.Contains(none.Error(), "host key") {
		return nil, nil
	}
	if err != nil {
		return nil, a.Fail(&a.Layers.HTTP, connection.MapProtocolError(err, reach.Malformed), err)
	}
	return key, nil
}

const (
	// maxGreeting is the longest line of a greeting, RFC 4253, section 4.2.
	maxGreeting = 255
	// maxNotices is how many lines may come before the greeting.
	maxNotices = 20
)

var errNoSSH = errors.New("not an SSH server")

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

// A server presents one key per handshake, so each algorithm needs one of its own.
func listHostKeyAlgorithms() [][]string {
	return [][]string{
		{ssh.KeyAlgoED25519},
		{ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521},
		{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256},
	}
}

// The server may present any of these keys. None: its key is not checked.
type hostPins struct {
	fingerprints []string   // as ssh-keygen prints them
	kinds        [][]string // the algorithms of their keys
}

// "SHA256:…" fingerprints and public keys as in authorized_keys, separated by commas.
func parsePins(text string) (hostPins, error) {
	pins := hostPins{}
	anyKind := strings.TrimSpace(text) == ""
	for pin := range strings.SplitSeq(text, ",") {
		pin = strings.TrimSpace(pin)
		switch key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(pin)); {
		case pin == "":
		case len(strings.TrimRight(pin, "=")) == len("SHA256:")+43 && strings.HasPrefix(pin, "SHA256:"):
			pins.fingerprints, anyKind = append(pins.fingerprints, strings.TrimRight(pin, "=")), true
		case err != nil:
			return hostPins{}, fmt.Errorf("the host key %.80q is not a SHA256 fingerprint or public key", pin)
		default:
			pins.fingerprints = append(pins.fingerprints, ssh.FingerprintSHA256(key))
			pins.addKeyType(key.Type())
		}
	}
	if anyKind || len(pins.kinds) == 0 { // a pinned key may have a type without a known algorithm
		pins.kinds = listHostKeyAlgorithms()
	}
	return pins, nil
}

func (p *hostPins) addKeyType(keyType string) {
	for _, kind := range listHostKeyAlgorithms() {
		wanted := slices.Contains(kind, keyType) || keyType == ssh.KeyAlgoRSA && kind[0] == ssh.KeyAlgoRSASHA512
		if wanted && !slices.ContainsFunc(p.kinds, func(known []string) bool { return known[0] == kind[0] }) {
			p.kinds = append(p.kinds, kind)
		}
	}
}

// One handshake for each entry. Without pins the server's preference counts.
func (p hostPins) listAlgorithms() [][]string {
	if len(p.fingerprints) == 0 {
		return [][]string{slices.Concat(p.kinds...)}
	}
	return p.kinds
}

func (p hostPins) hasFingerprint(fingerprint string) bool {
	return slices.Contains(p.fingerprints, fingerprint)
}
