package e2e

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"net"
	"os"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// sshKey is a new key: as sshd reads it, and its public half.
func sshKey(t *testing.T) (private string, public ssh.PublicKey) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	block, err := ssh.MarshalPrivateKey(key, "lab")
	must(t, err)
	public, err = ssh.NewPublicKey(key.Public())
	must(t, err)
	return string(pem.EncodeToMemory(block)), public
}

// runSSH runs the real OpenSSH with a host key of its own, and root as the only user.
func (l *lab) runSSH(name, hostKey string, more ...string) {
	l.t.Helper()
	needUsers(l.t, sshd)
	must(l.t, os.MkdirAll("/run/sshd", 0o755))
	key := l.write("host_key", hostKey)
	must(l.t, os.Chmod(key, 0o600))
	config := "ListenAddress " + l.at(name, "22") + "\nHostKey " + key + "\nStrictModes no\nPasswordAuthentication no\n" +
		"KbdInteractiveAuthentication no\nUsePAM no\nPidFile none\n" + strings.Join(more, "\n") + "\n"
	daemon(l.t, open(l.at(name, "22")), sshd, "-D", "-e", "-f", l.write("sshd_config", config))
}

func TestCheck_SSHHostKey(t *testing.T) {
	l, ok := newLab(t, "git.example.net A 203.0.113.10", "web.example.net A 203.0.113.11", "silent.example.net A 203.0.113.12", "gone.example.net A 203.0.113.13")
	if !ok {
		return
	}
	hostKey, public := sshKey(t)
	_, other := sshKey(t)
	l.runSSH("git.example.net", hostKey, "Banner "+l.write("banner", "Authorized \x1b[31mpeople only\n"))
	l.talk("web.example.net", "22", func(conn net.Conn) { _, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) })
	l.talk("silent.example.net", "22", func(conn net.Conn) { _, _ = conn.Read(make([]byte, 1<<10)) })
	line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public)))
	l.ask(map[string]asked{
		"any key":     {url: "ssh://git.example.net", want: "ok - ++-+", seen: "host_key=" + ssh.FingerprintSHA256(public)},
		"pinned":      {url: "ssh://git.example.net#" + ssh.FingerprintSHA256(public), want: "ok - ++-+"},
		"pinned line": {url: "ssh://git.example.net:22#" + strings.ReplaceAll(line, " ", "%20"), want: "ok - ++-+"},
		"another key": {url: "ssh://git.example.net#" + ssh.FingerprintSHA256(other), want: "fail ssh-host-key ++-x", seen: "host_key=" + ssh.FingerprintSHA256(public)},
		"no SSH":      {url: "ssh://web.example.net", want: "fail http-unexpected ++-x"},
		"silent":      {url: "ssh://silent.example.net", want: "fail http-timeout ++-x"},
		"refused":     {url: "ssh://gone.example.net", want: "fail tcp-refused +x--"},
	})
}
