package remoterun_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/remoterun"
)

// configured is a host that only a configuration of ssh describes.
func (b *bastion) configured(target, config string) (*remoterun.Host, error) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "config")
	b.must(os.WriteFile(path, []byte(config), 0o600))
	return remoterun.NewHost(remoterun.SSHOptions{
		Target: target, KnownHosts: []string{b.known}, Network: network.Network{Dial: new(net.Dialer).DialContext}, Config: []string{path, path + "-none"},
	})
}

// describe returns a configuration by which ssh finds the server.
func (b *bastion) describe(alias string, lines ...string) string {
	b.Helper()
	host, port, err := net.SplitHostPort(b.listener.Addr().String())
	b.must(err)
	lines = append([]string{"Host " + alias, "HostName " + host, "Port " + port, "User admin"}, lines...)
	return strings.Join(lines, "\n  ") + "\n"
}

func TestHost_FollowsSSHConfig(t *testing.T) {
	linuxOnly(t)
	b := newBastion(t)
	host, err := b.configured("gate", b.describe("gate*", "IdentityFile \""+b.writeKey(b.mine, "", 0o600)+"\""))
	b.must(err)
	output, err := host.Run(t.Context(), text(echo), []byte("the task"), func(string) {})
	if b.must(err); !strings.Contains(string(output), "the task") {
		t.Errorf("%q came back", output)
	}
	host, err = b.configured("gate", b.describe("gate*"))
	b.must(err)
	_, err = host.Run(t.Context(), text(echo), nil, func(string) {})
	b.fails(err, fault.Denied, "neither an SSH agent nor a key")
	b.shut()
	b.tidy()
}

// What the target says itself comes before the configuration.
func TestHost_TargetBeforeSSHConfig(t *testing.T) {
	b := newBastion(t)
	b.must(os.WriteFile(b.known, nil, 0o600))
	_, port, err := net.SplitHostPort(b.listener.Addr().String())
	b.must(err)
	host, err := b.configured("root@gate:"+port, "Host gate\n  HostName 127.0.0.1\n  Port 1\n  User nobody\n  IdentityFile "+b.writeKey(b.mine, "", 0o600)+"\n")
	b.must(err)
	_, err = host.Run(t.Context(), text(echo), nil, func(string) {})
	b.fails(err, fault.Denied, "127.0.0.1:"+port, "ssh -p "+port+" root@gate")
}

func TestHost_JumpsBySSHConfig(t *testing.T) {
	linuxOnly(t)
	b, gate := newBastion(t), newBastion(t)
	b.must(os.WriteFile(b.known, append(read(t, b.known), read(t, gate.known)...), 0o600))
	config := b.describe("inner", "ProxyJump gate", "IdentityFile "+b.writeKey(b.mine, "", 0o600)) +
		gate.describe("gate", "IdentityFile "+gate.writeKey(gate.mine, "", 0o600))
	host, err := b.configured("inner", config)
	b.must(err)
	output, err := host.Run(t.Context(), text(echo), []byte("the task"), func(string) {})
	if b.must(err); !strings.Contains(string(output), "the task") || gate.forwarded.Load() != 1 {
		t.Errorf("%q came back, with %d connections through the other host", output, gate.forwarded.Load())
	}
	b.shut()
	gate.shut()
	b.tidy()
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestHost_IdentitiesOnly(t *testing.T) {
	linuxOnly(t)
	b := newBastion(t)
	signer, err := ssh.NewSignerFromKey(b.mine)
	b.must(err)
	public := filepath.Join(t.TempDir(), "id.pub")
	b.must(os.WriteFile(public, ssh.MarshalAuthorizedKey(signer.PublicKey()), 0o600))
	for name, file := range map[string]string{"its key": strings.TrimSuffix(public, ".pub"), "another key": public + "-none"} {
		path := filepath.Join(t.TempDir(), "config")
		b.must(os.WriteFile(path, []byte(b.describe("gate", "IdentitiesOnly yes", "IdentityFile "+file)), 0o600))
		b.agent = agent.NewKeyring()
		b.must(b.agent.Add(agent.AddedKey{PrivateKey: b.mine}))
		host, err := remoterun.NewHost(remoterun.SSHOptions{
			Target: "gate", KnownHosts: []string{b.known}, Agent: b.connect, Config: []string{path}, Network: network.Network{Dial: new(net.Dialer).DialContext},
		})
		b.must(err)
		_, err = host.Run(t.Context(), text(echo), nil, func(string) {})
		if refused := fault.Is(err, fault.Denied); refused != (name == "another key") {
			t.Errorf("%s: %v", name, err)
		}
	}
	b.shut()
	b.tidy()
}

func TestNewHost_RefusesSSHConfig(t *testing.T) {
	b := newBastion(t)
	for config, want := range map[string]string{
		"Host gate\n  ProxyCommand nc %h %p\n":       "ProxyCommand, which is not supported",
		"Host gate\n  ProxyJump gate\n":              "more than 8 hosts lead to gate",
		"Match exec \"true\"\n  User x\n":            "Match Exec is not supported",
		"Host gate\n  Port ssh\n":                    `the port "ssh"`,
		"Host gate\n  HostName -oProxyCommand=x\n":   `the host "-oProxyCommand=x"`,
		"Host gate\n  ProxyJump -oProxyCommand=x@\n": "it is not of the form [USER@]HOST[:PORT]",
	} {
		_, err := b.configured("gate", config)
		b.fails(err, fault.Invalid, want)
	}
	if _, err := b.configured("u@gate:22", "Match exec \"true\"\n  User x\n"); err != nil {
		t.Errorf("user, host and port are given, and it fails: %v", err)
	}
}
