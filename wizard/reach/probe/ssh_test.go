package probe

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"exoshift/wizard/reach"
)

type hostKeys struct{ ed25519, ecdsa, rsa ssh.Signer }

func makeHostKeys(t *testing.T) hostKeys {
	t.Helper()
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	var keys hostKeys
	keys.ed25519, err = ssh.NewSignerFromKey(edKey)
	must(t, err)
	keys.ecdsa, err = ssh.NewSignerFromKey(ecKey)
	must(t, err)
	keys.rsa, err = ssh.NewSignerFromKey(rsaKey)
	must(t, err)
	return keys
}

// onLoopback serves each connection and returns the address.
func onLoopback(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { defer func() { _ = conn.Close() }(); serve(conn) }()
		}
	}()
	return listener.Addr().String()
}

// sshServer refuses every login.
func sshServer(before string, keys ...ssh.Signer) func(net.Conn) {
	return func(conn net.Conn) {
		config := &ssh.ServerConfig{ServerVersion: "SSH-2.0-OpenSSH_9.6", NoClientAuth: true}
		for _, key := range keys {
			config.AddHostKey(key)
		}
		if _, err := io.WriteString(conn, before); err == nil {
			_, _, _, _ = ssh.NewServerConn(conn, config)
		}
	}
}

func connectTo(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	must(t, err)
	must(t, conn.SetDeadline(time.Now().Add(10*time.Minute)))
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestParsePins_FingerprintsAndKeys(t *testing.T) {
	keys := makeHostKeys(t)
	line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(keys.rsa.PublicKey())))
	finger := ssh.FingerprintSHA256(keys.ed25519.PublicKey())
	pins, err := parsePins(finger + "=, " + line + " of somebody")
	must(t, err)
	if !pins.hasFingerprint(finger) || !pins.hasFingerprint(ssh.FingerprintSHA256(keys.rsa.PublicKey())) || pins.hasFingerprint(ssh.FingerprintSHA256(keys.ecdsa.PublicKey())) {
		t.Errorf("allowed are %v", pins.fingerprints)
	}
	if pins, err = parsePins(line); err != nil || len(pins.listAlgorithms()) != 1 || pins.listAlgorithms()[0][0] != ssh.KeyAlgoRSASHA512 {
		t.Errorf("a key of RSA asks for %v, %v", pins.listAlgorithms(), err)
	}
	if pins, err = parsePins(""); err != nil || len(pins.listAlgorithms()) != 1 || len(pins.listAlgorithms()[0]) < 5 {
		t.Errorf("no pin asks for %v, %v", pins.listAlgorithms(), err)
	}
	for _, wrong := range []string{"SHA256:short", "MD5:00:11", "ssh-rsa AAAA", "x"} {
		if _, err := parsePins(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func TestReadGreeting_SkipsNotices(t *testing.T) {
	for greeting, want := range map[string]string{
		"SSH-2.0-OpenSSH_9.6 Debian\r\n":                 "SSH-2.0-OpenSSH_9.6 Debian",
		"SSH-1.99-old\n":                                 "SSH-1.99-old",
		"Welcome\r\nto the machine\r\nSSH-2.0-x\r\n":     "SSH-2.0-x",
		strings.Repeat("notice\n", 20) + "SSH-2.0-x\r\n": "SSH-2.0-x",
	} {
		conn := connectTo(t, onLoopback(t, func(conn net.Conn) { _, _ = io.WriteString(conn, greeting+"rest") }))
		got, again, err := readGreeting(conn)
		must(t, err)
		if text, _ := io.ReadAll(again); got != want || string(text) != greeting+"rest" {
			t.Errorf("%q greets %q, and again %q", greeting, got, text)
		}
	}
}

func TestReadGreeting_RefusesOtherProtocols(t *testing.T) {
	for _, text := range []string{
		"HTTP/1.1 400 Bad Request\r\n", "220 mail.example ESMTP\r\n", "<html>\n", "SSH-1.5-old\n",
		strings.Repeat("x", 300), strings.Repeat("notice\n", 21), "SSH-2.0-" + strings.Repeat("x", 300) + "\n", "",
	} {
		held := make(chan struct{})
		conn := connectTo(t, onLoopback(t, func(conn net.Conn) {
			_, _ = io.WriteString(conn, text)
			if text != "" {
				<-held
			}
		}))
		if line, _, err := readGreeting(conn); err == nil {
			t.Errorf("%.40q greets %q", text, line)
		}
		close(held)
	}
}

func TestReadSSHHostKey_RequestedAlgorithm(t *testing.T) {
	keys := makeHostKeys(t)
	address := onLoopback(t, sshServer("", keys.ed25519, keys.ecdsa, keys.rsa))
	for i, want := range []ssh.Signer{keys.ed25519, keys.ecdsa, keys.rsa} {
		got, err := readSSHHostKey(connectTo(t, address), listHostKeyAlgorithms()[i])
		must(t, err)
		if ssh.FingerprintSHA256(got) != ssh.FingerprintSHA256(want.PublicKey()) {
			t.Errorf("asked for %v, it shows %s", listHostKeyAlgorithms()[i], got.Type())
		}
	}
	if key, err := readSSHHostKey(connectTo(t, onLoopback(t, sshServer("", keys.rsa))), listHostKeyAlgorithms()[0]); err == nil {
		t.Errorf("a server without that kind of key shows %v", key)
	}
}

func FuzzPins(f *testing.F) {
	f.Add("SHA256:2eUQt0bP5vkWhnw2dBvp5tVsuGmoCHJ2XJZhTqcwV2k,ssh-ed25519 AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		if pins, err := parsePins(text); err == nil && len(pins.listAlgorithms()) == 0 {
			t.Errorf("%q asks for nothing", text)
		}
	})
}

func TestProbe_SSHPins(t *testing.T) {
	keys := makeHostKeys(t)
	finger := func(key ssh.Signer) string { return ssh.FingerprintSHA256(key.PublicKey()) }
	line := strings.ReplaceAll(strings.TrimSpace(string(ssh.MarshalAuthorizedKey(keys.ecdsa.PublicKey()))), " ", "%20")
	all := []ssh.Signer{keys.ed25519, keys.ecdsa, keys.rsa}
	for name, c := range map[string]struct {
		serve   func(net.Conn)
		pins    string
		class   reach.Class
		layers  string
		reached bool
		shown   string
	}{
		"no pin":                {sshServer("", all...), "", "", "ok ok none ok", true, ""},
		"its fingerprint":       {sshServer("", all...), "#" + finger(keys.ed25519), "", "ok ok none ok", true, finger(keys.ed25519)},
		"that of its last key":  {sshServer("", all...), "#" + finger(keys.rsa), "", "ok ok none ok", true, finger(keys.rsa)},
		"its key":               {sshServer("", all...), "#" + line, "", "ok ok none ok", true, finger(keys.ecdsa)},
		"one of several":        {sshServer("", keys.rsa), "#" + finger(keys.ecdsa) + "," + finger(keys.rsa), "", "ok ok none ok", true, finger(keys.rsa)},
		"behind a notice":       {sshServer("hello\r\n", keys.rsa), "#" + finger(keys.rsa), "", "ok ok none ok", true, finger(keys.rsa)},
		"another key":           {sshServer("", keys.rsa), "#" + finger(keys.ed25519), reach.HostKey, "ok ok none fail", false, finger(keys.rsa)},
		"a key of another kind": {sshServer("", keys.ed25519), "#" + line, reach.HostKey, "ok ok none fail", false, ""},
		"a pin that is none":    {sshServer("", all...), "#SHA256:x", reach.Malformed, "none none none fail", false, ""},
		"a web server":          {func(conn net.Conn) { _, _ = io.WriteString(conn, "HTTP/1.1 400 Bad\r\n\r\n") }, "", reach.Unexpected, "ok ok none fail", false, ""},
		"cut":                   {func(net.Conn) {}, "", reach.Reset, "ok ok none fail", false, ""},
		"silent":                {func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }, "", reach.HTTPTimeout, "ok ok none fail", false, ""},
		"greets and is silent":  {func(conn net.Conn) { _, _ = io.WriteString(conn, "SSH-2.0-x\r\n"); _, _ = io.Copy(io.Discard, conn) }, "", reach.HTTPTimeout, "ok ok none fail", false, ""},
		"greets and talks trash": {func(conn net.Conn) {
			_, _ = io.WriteString(conn, "SSH-2.0-x\r\n"+strings.Repeat("\xff", 1<<16))
			_, _ = io.Copy(io.Discard, conn)
		}, "", reach.Malformed, "ok ok none fail", false, ""},
		"endless line": {func(conn net.Conn) { _, _ = io.WriteString(conn, strings.Repeat("x", 1<<16)) }, "", reach.Unexpected, "ok ok none fail", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				l.accept("203.0.113.1:22", c.serve)
				got := l.probeURL("ssh://" + service + c.pins)
				expect(t, got, c.class, c.layers, c.reached)
				if shown := got.Evidence[reach.EvidenceHostKey]; c.shown != "" && shown != c.shown || strings.ContainsRune(got.Evidence[reach.EvidenceStatus], 0xff) {
					t.Errorf("evidence %q", got.Evidence)
				}
			})
		})
	}
}
