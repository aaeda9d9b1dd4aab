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
)

// hostKeys are those of a test's SSH servers.
type hostKeys struct{ ed25519, ecdsa, rsa ssh.Signer }

func makeHostKeys(t *testing.T) hostKeys {
	t.Helper()
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	check(t, err)
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	check(t, err)
	var keys hostKeys
	keys.ed25519, err = ssh.NewSignerFromKey(edKey)
	check(t, err)
	keys.ecdsa, err = ssh.NewSignerFromKey(ecKey)
	check(t, err)
	keys.rsa, err = ssh.NewSignerFromKey(rsaKey)
	check(t, err)
	return keys
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// listen serves each connection by serve, and returns the address.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
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

// sshServer lets nobody in.
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

func dialed(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	check(t, err)
	check(t, conn.SetDeadline(time.Now().Add(5*time.Second)))
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestPinsAreFingerprintsOrKeys(t *testing.T) {
	keys := makeHostKeys(t)
	line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(keys.rsa.PublicKey())))
	finger := ssh.FingerprintSHA256(keys.ed25519.PublicKey())
	pins, err := parsePins(finger + "=, " + line + " of somebody")
	check(t, err)
	if !pins.allow(finger) || !pins.allow(ssh.FingerprintSHA256(keys.rsa.PublicKey())) || pins.allow(ssh.FingerprintSHA256(keys.ecdsa.PublicKey())) {
		t.Errorf("allowed are %v", pins.fingerprints)
	}
	if pins, err = parsePins(line); err != nil || len(pins.attempts()) != 1 || pins.attempts()[0][0] != ssh.KeyAlgoRSASHA512 {
		t.Errorf("a key of RSA asks for %v, %v", pins.attempts(), err)
	}
	if pins, err = parsePins(""); err != nil || len(pins.attempts()) != 1 || len(pins.attempts()[0]) < 5 {
		t.Errorf("no pin asks for %v, %v", pins.attempts(), err)
	}
	for _, wrong := range []string{"SHA256:short", "MD5:00:11", "ssh-rsa AAAA", "x"} {
		if _, err := parsePins(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func TestTheGreetingIsFoundBehindNotices(t *testing.T) {
	for greeting, want := range map[string]string{
		"SSH-2.0-OpenSSH_9.6 Debian\r\n":                 "SSH-2.0-OpenSSH_9.6 Debian",
		"SSH-1.99-old\n":                                 "SSH-1.99-old",
		"Welcome\r\nto the machine\r\nSSH-2.0-x\r\n":     "SSH-2.0-x",
		strings.Repeat("notice\n", 20) + "SSH-2.0-x\r\n": "SSH-2.0-x",
	} {
		conn := dialed(t, listen(t, func(conn net.Conn) { _, _ = io.WriteString(conn, greeting+"rest") }))
		got, again, err := sshGreeting(conn)
		check(t, err)
		if text, _ := io.ReadAll(again); got != want || string(text) != greeting+"rest" {
			t.Errorf("%q greets %q, and again %q", greeting, got, text)
		}
	}
}

func TestWhatIsNoSSHIsNotWaitedFor(t *testing.T) {
	for _, text := range []string{
		"HTTP/1.1 400 Bad Request\r\n", "220 mail.example ESMTP\r\n", "<html>\n", "SSH-1.5-old\n",
		strings.Repeat("x", 300), strings.Repeat("notice\n", 21), "SSH-2.0-" + strings.Repeat("x", 300) + "\n", "",
	} {
		held := make(chan struct{})
		conn := dialed(t, listen(t, func(conn net.Conn) {
			_, _ = io.WriteString(conn, text)
			if text != "" {
				<-held
			}
		}))
		if line, _, err := sshGreeting(conn); err == nil {
			t.Errorf("%.40q greets %q", text, line)
		}
		close(held)
	}
}

func TestAServerShowsTheKeyThatIsAskedFor(t *testing.T) {
	keys := makeHostKeys(t)
	address := listen(t, sshServer("", keys.ed25519, keys.ecdsa, keys.rsa))
	for i, want := range []ssh.Signer{keys.ed25519, keys.ecdsa, keys.rsa} {
		got, err := sshHostKey(dialed(t, address), hostKeyKinds()[i])
		check(t, err)
		if ssh.FingerprintSHA256(got) != ssh.FingerprintSHA256(want.PublicKey()) {
			t.Errorf("asked for %v, it shows %s", hostKeyKinds()[i], got.Type())
		}
	}
	if key, err := sshHostKey(dialed(t, listen(t, sshServer("", keys.rsa))), hostKeyKinds()[0]); err == nil {
		t.Errorf("a server without that kind of key shows %v", key)
	}
}

func FuzzPins(f *testing.F) {
	f.Add("SHA256:2eUQt0bP5vkWhnw2dBvp5tVsuGmoCHJ2XJZhTqcwV2k,ssh-ed25519 AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		if pins, err := parsePins(text); err == nil && len(pins.attempts()) == 0 {
			t.Errorf("%q asks for nothing", text)
		}
	})
}
