package remoterun_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/remoterun"
)

// echo prints its arguments and its input.
const echo = "#!/bin/sh\necho \"$@\"\ncat\n"

func (b *bastion) speak(program string) (string, error) {
	output, err := b.host().Run(b.Context(), text(program), []byte("the task"), func(string) {})
	return string(output), err
}

func (b *bastion) fails(err error, kind fault.Kind, words ...string) {
	b.Helper()
	if !fault.Is(err, kind) {
		b.Fatalf("%v of kind %d, want kind %d", err, fault.KindOf(err), kind)
	}
	text := err.Error() + " / " + fault.HintOf(err)
	for _, word := range append(words, " / ") {
		if !strings.Contains(text, word) {
			b.Errorf("%q does not say %q", text, word)
		}
	}
	if fault.HintOf(err) == "" || strings.ContainsAny(text, "\x1b\a\n") {
		b.Errorf("%q: no hint, or control characters", text)
	}
}

func linuxOnly(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("commands are really run here")
	}
}

func TestHost_RunLeavesNothing(t *testing.T) {
	linuxOnly(t)
	b := newBastion(t)
	output, err := b.speak(echo)
	if err != nil || output != "probe it's\nthe task" {
		t.Errorf("%q came back, and %v", output, err)
	}
	b.shut()
	b.tidy()
}

// shut stops the server, and thereby everything on it.
func (b *bastion) shut() { _ = b.listener.Close() }

func TestHost_RefusesUnknownHost(t *testing.T) {
	b := newBastion(t)
	b.must(os.WriteFile(b.known, nil, 0o600))
	_, err := b.speak(echo)
	b.fails(err, fault.Denied, "is not a known host", "SHA256:", "`ssh -p ", "admin@127.0.0.1`")
	if b.tried != 0 {
		t.Error("we told it who we are")
	}
}

func TestHost_RefusesOtherHostKey(t *testing.T) {
	b := newBastion(t)
	public, _, err := ed25519.GenerateKey(rand.Reader)
	b.must(err)
	other, err := ssh.NewPublicKey(public)
	b.must(err)
	b.knows(other)
	_, err = b.speak(echo)
	b.fails(err, fault.Conflict, "from", b.known)
}

func TestHost_RefusesUnsupportedHost(t *testing.T) {
	b := newBastion(t)
	b.uname = "Linux aarch64"
	_, err := b.speak(echo)
	b.fails(err, fault.Invalid, `"Linux aarch64"`)
	b.shut()
	b.tidy()
}

func TestHost_RequiresRightKey(t *testing.T) {
	b := newBastion(t)
	b.agent = agent.NewKeyring()
	_, err := b.speak(echo)
	b.fails(err, fault.Denied, "ssh-add -l")
	host, err := remoterun.NewHost(remoterun.SSHOptions{Target: b.listener.Addr().String(), KnownHosts: []string{b.known}, Network: network.Host()})
	b.must(err)
	_, err = host.Run(t.Context(), text(echo), nil, func(string) {})
	b.fails(err, fault.Denied, "neither an SSH agent nor a key")
}

func TestHost_FailureHasOutput(t *testing.T) {
	linuxOnly(t)
	b := newBastion(t)
	_, err := b.speak("#!/bin/sh\nprintf 'bad \\033[31m luck\\n' >&2; exit 3\n")
	b.fails(err, fault.Internal, "ended with 3", "bad", "luck")
	_, err = b.speak("#!/none\n")
	b.fails(err, fault.Conflict, "cannot execute it")
	b.shut()
	b.tidy()
}

func TestHost_TruncatesOutput(t *testing.T) {
	linuxOnly(t)
	b := newBastion(t)
	_, err := b.speak("#!/bin/sh\nhead -c 9000000 /dev/zero\n")
	b.fails(err, fault.Invalid, "8388608 bytes")
}

func TestHost_CancelEndsProgram(t *testing.T) {
	linuxOnly(t)
	b := newBastion(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	started := filepath.Join(t.TempDir(), "started")
	program := "#!/bin/sh\necho >'" + started + "'\nexec sleep 3600\n"
	ended := make(chan error)
	go func() {
		_, err := b.host().Run(ctx, text(program), nil, func(string) {})
		ended <- err
	}()
	appears(t, started)
	cancel()
	b.cancelled(<-ended)
	b.shut()
	b.tidy()
}

func (b *bastion) cancelled(err error) {
	b.Helper()
	if !fault.Is(err, fault.Cancelled) {
		b.Errorf("it ended with %v", err)
	}
}

func TestNewHost_RefusesInvalidTarget(t *testing.T) {
	for _, target := range []string{"", "@", "@host", "user@", "-oProxyCommand=x", "a b", "a\x1b[31mb", "u@h:", "ssh://host"} {
		if _, err := remoterun.NewHost(remoterun.SSHOptions{Target: target}); !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" {
			t.Errorf("%q: %v", target, err)
		}
	}
	for _, target := range []string{"host", "u@host.example.net:2222", "192.0.2.1", "u@[2001:db8::1]:22", "2001:db8::1"} {
		if _, err := remoterun.NewHost(remoterun.SSHOptions{Target: target}); err != nil {
			t.Errorf("%q: %v", target, err)
		}
	}
}

// writeKey writes a private key as ssh-keygen does, and returns its path.
func (b *bastion) writeKey(key ed25519.PrivateKey, passphrase string, mode os.FileMode) string {
	b.Helper()
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	b.must(err)
	path := filepath.Join(b.TempDir(), "id_ed25519")
	b.must(os.WriteFile(path, pem.EncodeToMemory(block), mode))
	b.must(os.Chmod(path, mode))
	return path
}

func TestHost_UsesKeyFiles(t *testing.T) {
	linuxOnly(t)
	for name, test := range map[string]struct {
		passphrase, agent string
		mode              os.FileMode
		says              string // in the failure; "": it works
	}{
		"without an agent":       {"", "", 0o600, ""},
		"beside a dead agent":    {"", "dead", 0o600, ""},
		"beside an empty agent":  {"", "empty", 0o600, ""},
		"with a passphrase":      {"secret", "", 0o600, "has a passphrase"},
		"open to others":         {"", "", 0o644, "accessible for others"},
		"unusable, a dead agent": {"secret", "dead", 0o600, "connect to the SSH agent"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBastion(t)
			path := b.writeKey(b.mine, test.passphrase, test.mode)
			options := remoterun.SSHOptions{
				Target: "admin@" + b.listener.Addr().String(), KnownHosts: []string{b.known}, Network: network.Host(), Keys: []string{path + "-none", path},
			}
			switch test.agent {
			case "dead":
				options.Agent = func(context.Context) (net.Conn, error) { return nil, errors.New("it is gone") }
			case "empty":
				b.agent, options.Agent = agent.NewKeyring(), b.connect
			}
			host, err := remoterun.NewHost(options)
			b.must(err)
			output, err := host.Run(t.Context(), text(echo), []byte("the task"), func(string) {})
			if test.says != "" {
				b.fails(err, fault.Denied, test.says)
			} else if err != nil || string(output) != "probe it's\nthe task" {
				t.Errorf("%q, %v", output, err)
			}
		})
	}
}
