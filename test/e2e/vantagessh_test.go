package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/remoterun"
	"exoshift/wizard/reach"
)

const bastion = "bastion.example.net"

// bastionLab has a host with the real OpenSSH, where the key of an agent is let in. Its folder for what is temporary is
// of this test alone.
type bastionLab struct {
	*lab
	agent     string // socket of the real ssh-agent, which holds the key
	temporary string
	hostKey   ssh.PublicKey
}

func newBastion(t *testing.T) (*bastionLab, bool) {
	t.Helper()
	l, ok := newLab(t, bastion+" A 203.0.113.10", "good.example.net A 203.0.113.11")
	if !ok {
		return nil, false
	}
	replace(t, "/etc/passwd", "root:x:0:0::/:/bin/sh\nsshd:x:0:0::/run/sshd:/bin/false\n")
	b := &bastionLab{lab: l, temporary: filepath.Dir(l.write("temporary", ""))}
	must(t, os.Remove(filepath.Join(b.temporary, "temporary")))
	private, public := sshKey(t)
	b.runAgent(private)
	var hostKey string
	hostKey, b.hostKey = sshKey(t)
	l.runSSH(bastion, hostKey, "AuthorizedKeysFile "+l.write("authorized_keys", string(ssh.MarshalAuthorizedKey(public))), "SetEnv TMPDIR="+b.temporary)
	return b, true
}

// runAgent runs the real agent with one key.
func (b *bastionLab) runAgent(private string) {
	b.t.Helper()
	b.agent = filepath.Join(filepath.Dir(b.write("agent", "")), "socket")
	answers := func() error {
		_, err := os.Stat(b.agent)
		return err
	}
	daemon(b.t, answers, "/usr/bin/ssh-agent", "-D", "-a", b.agent)
	key := b.write("id_ed25519", private)
	must(b.t, os.Chmod(key, 0o600))
	add := exec.Command("/usr/bin/ssh-add", key)
	add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+b.agent)
	if output, err := add.CombinedOutput(); err != nil {
		b.t.Fatalf("ssh-add: %v\n%s", err, output)
	}
}

// runner is a vantage for which the host is known by a key; nil: it is not known.
func (b *bastionLab) runner(known ssh.PublicKey) *remoterun.Host {
	b.t.Helper()
	line := ""
	if known != nil {
		line = knownhosts.Line([]string{bastion}, known) + "\n"
	}
	host, err := remoterun.NewHost(remoterun.SSHOptions{
		Target: "root@" + bastion, Network: network.Host(), KnownHosts: []string{b.write("known_hosts", line), "/run/missing"},
		Agent: func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "unix", b.agent) },
	})
	must(b.t, err)
	return host
}

// clean fails unless nothing of a run is left on the host within some seconds.
func (b *bastionLab) clean() {
	b.t.Helper()
	for range 100 {
		entries, err := os.ReadDir(b.temporary)
		must(b.t, err)
		if len(entries) == 0 {
			return
		}
		wait(50 * time.Millisecond)
	}
	b.t.Error("the folder of the run is still on the host")
}

func TestSSHRun_LeavesNothing(t *testing.T) {
	b, ok := newBastion(t)
	if !ok {
		return
	}
	output, err := b.runner(b.hostKey).Run(t.Context(), scripted(`printf '%s|' "$@"; head -c 8; echo; ls -l "$0" | cut -c1-10`, "it's", "a $HOME"), []byte("the task"), seen(t))
	if want := "it's|a $HOME|the task\n-rwx------\n"; err != nil || string(output) != want {
		t.Errorf("%q, %v, want %q", output, err, want)
	}
	b.clean()
}

func TestSSHRun_ChecksWithExoshift(t *testing.T) {
	path := exoshift(t)
	b, ok := newBastion(t)
	if !ok {
		return
	}
	b.echo("good.example.net", "9000")
	input, err := json.Marshal(reach.Task{Source: reach.SSHSource + bastion, Checks: []reach.Check{
		{ID: "LAB-001", URL: "tcp://good.example.net:9000", Severity: reach.Must},
	}})
	must(t, err)
	program := remoterun.Program{Args: []string{"probe"}, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
	output, err := b.runner(b.hostKey).Run(t.Context(), program, input, seen(t))
	must(t, err)
	var report reach.Report
	must(t, json.Unmarshal(output, &report))
	if len(report.Results) != 1 || told(report.Results[0]) != "ok - ++--" || report.Results[0].Source != reach.SSHSource+bastion {
		t.Errorf("%+v", report)
	}
	b.clean()
}

func TestSSHRun_RefusesUnknownHost(t *testing.T) {
	b, ok := newBastion(t)
	if !ok {
		return
	}
	_, other := sshKey(t)
	program := scripted("echo entered")
	if output, err := b.runner(other).Run(t.Context(), program, nil, seen(t)); !fault.Is(err, fault.Conflict) {
		t.Errorf("with another key: %q, %v", output, err)
	}
	output, err := b.runner(nil).Run(t.Context(), program, nil, seen(t))
	if err == nil || !strings.Contains(err.Error(), ssh.FingerprintSHA256(b.hostKey)) {
		t.Errorf("with no key known: %q, %v", output, err)
	}
	b.clean()
}

func TestSSHRun_RefusedKey(t *testing.T) {
	b, ok := newBastion(t)
	if !ok {
		return
	}
	another, _ := sshKey(t)
	b.runAgent(another)
	if output, err := b.runner(b.hostKey).Run(t.Context(), scripted("echo entered"), nil, seen(t)); !fault.Is(err, fault.Denied) {
		t.Errorf("%q, %v", output, err)
	}
}

func TestSSHRun_CancelEndsProgram(t *testing.T) {
	b, ok := newBastion(t)
	if !ok {
		return
	}
	alive := filepath.Join(t.TempDir(), "alive")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(alive); err == nil {
				cancel()
			}
			wait(50 * time.Millisecond)
		}
	}()
	_, err := b.runner(b.hostKey).Run(ctx, scripted("echo $$ >"+alive+"; exec sleep 60"), nil, seen(t))
	if err == nil {
		t.Error("nobody gave up")
	}
	b.clean()
	content, err := os.ReadFile(alive)
	must(t, err)
	for range 100 {
		if _, err := os.Stat("/proc/" + strings.TrimSpace(string(content))); err != nil {
			return
		}
		wait(50 * time.Millisecond)
	}
	t.Error("the program still runs on the host")
}

func TestSSHTunnel_AsProxy(t *testing.T) {
	b, ok := newBastion(t)
	if !ok {
		return
	}
	b.web("good.example.net", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) }))
	b.t.Setenv("SSH_AUTH_SOCK", b.agent)
	known := b.write("known_hosts", knownhosts.Line([]string{bastion}, b.hostKey)+"\n")
	socks := b.at(bastion, "1080")
	daemon(t, open(socks), "/usr/bin/ssh", "-F", "none", "-o", "UserKnownHostsFile="+known, "-N", "-D", socks, "root@"+bastion)
	b.askAs(proxied("socks5://"+bastion+":1080"), limits(), map[string]asked{
		"good":    {url: "https://good.example.net/", want: "ok - -+++", seen: "proxy=" + bastion + ":1080"},
		"refused": {url: "https://good.example.net:444/", want: "fail proxy-refused -x--"},
	})
}
