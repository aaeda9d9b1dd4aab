package e2e

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coreos/ignition/v2/config/v3_2"
	"github.com/vincent-petithory/dataurl"
	"github.com/vishvananda/netlink"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/sys/unix"

	"exoshift/ignition"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/certificate"
	peek "exoshift/provisioner/openshift/bootstraphost"
	"exoshift/state"
)

// Programs of the real bootstrap machine.
const (
	sshd     = "/usr/sbin/sshd"
	gatewayd = "/lib/systemd/systemd-journal-gatewayd"
	remote   = "/lib/systemd/systemd-journal-remote"
)

// bootstrap is a machine with a real SSH server and a real gateway to a real journal, with the files that Ignition would
// write, and the folder of openshift-install on the other side.
type bootstrap struct {
	*peek.Host
	t       *testing.T
	disk    string // files of the machine, by their base names
	journal string // directory
	entries int    // that were journaled
	folder  map[string][]byte
	key     ed25519.PrivateKey
}

// newBootstrap returns nothing where the test does not run but another process does; see alone.
func newBootstrap(t *testing.T) (*bootstrap, bool) {
	t.Helper()
	if !alone(t) {
		return nil, false
	}
	for _, program := range []string{sshd, gatewayd, remote} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is missing: install it, or run make e2e: %v", filepath.Base(program), err)
		}
	}
	lo, err := netlink.LinkByName("lo")
	must(t, err)
	must(t, netlink.LinkSetUp(lo))
	b := &bootstrap{t: t, disk: t.TempDir(), journal: t.TempDir(), folder: map[string][]byte{}}
	b.generate()
	b.ignite()
	b.Host = peek.New(network.Host(), b.file, b.authorizedKey(), b.agent)
	t.Cleanup(b.Close)
	return b, true
}

func (b *bootstrap) file(name string) ([]byte, error) {
	if content, ok := b.folder[name]; ok {
		return content, nil
	}
	return nil, fs.ErrNotExist
}

// generate makes what openshift-install and the recipe would. The certificate names no host, as the real one.
func (b *bootstrap) generate() {
	b.t.Helper()
	now := time.Now()
	var err error
	_, b.key, err = ed25519.GenerateKey(rand.Reader)
	must(b.t, err)
	b.folder[state.IdentityFile], err = ignition.NewIdentity(now)
	must(b.t, err)
	root, err := certificate.NewAuthority(pkix.Name{CommonName: "root-ca", OrganizationalUnit: []string{"openshift"}}, time.Hour, now)
	must(b.t, err)
	reader, err := root.Issue(certificate.Request{Subject: pkix.Name{CommonName: "journal-gatewayd"}, Validity: time.Hour,
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}, now)
	must(b.t, err)
	key, err := reader.KeyPEM()
	must(b.t, err)
	b.folder[".openshift_install_state.json"], err = json.Marshal(map[string]any{
		"*tls.JournalCertKey": map[string][]byte{"CertRaw": reader.CertPEM(), "KeyRaw": key}})
	must(b.t, err)
}

func (b *bootstrap) write(name string, content []byte) string {
	b.t.Helper()
	path := filepath.Join(b.disk, name)
	must(b.t, os.WriteFile(path, content, 0o600))
	return path
}

func (b *bootstrap) authorizedKey() string {
	public, err := ssh.NewPublicKey(b.key.Public())
	must(b.t, err)
	return string(ssh.MarshalAuthorizedKey(public))
}

func (b *bootstrap) agent(context.Context) (net.Conn, error) {
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: b.key}); err != nil {
		return nil, err
	}
	client, server := net.Pipe()
	go func() {
		defer func() { _ = server.Close() }()
		_ = agent.ServeAgent(ring, server)
	}()
	return client, nil
}

// ignite writes the files that Ignition would.
func (b *bootstrap) ignite() {
	b.t.Helper()
	const generated = `{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/opt/openshift/tls/journal-gatewayd.crt","contents":{"source":"data:,"}},
		{"path":"/opt/openshift/tls/journal-gatewayd.key","contents":{"source":"data:,"}}]}}`
	document, err := ignition.WithIdentity([]byte(generated), b.folder[state.IdentityFile])
	must(b.t, err)
	config, _, err := v3_2.Parse(document)
	must(b.t, err)
	for _, file := range config.Storage.Files {
		content, err := dataurl.DecodeString(*file.Contents.Source)
		must(b.t, err)
		b.write(filepath.Base(file.Path), content.Data)
	}
	b.write("authorized_keys", []byte(b.authorizedKey()))
}

// runSSH starts the SSH server; core is a user who is root, for there may be no other in this namespace.
func (b *bootstrap) runSSH() {
	b.t.Helper()
	needUsers(b.t, sshd)
	replace(b.t, "/etc/passwd", "root:x:0:0::/:/bin/sh\nsshd:x:0:0::/run/sshd:/bin/false\ncore:x:0:0::/:/bin/sh\n")
	must(b.t, os.MkdirAll("/run/sshd", 0o755))
	config := b.write("sshd_config", []byte("HostKey "+filepath.Join(b.disk, "ssh_host_ed25519_key")+
		"\nAuthorizedKeysFile "+filepath.Join(b.disk, "authorized_keys")+"\nStrictModes no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\n"))
	b.run(22, sshd, "-D", "-e", "-f", config)
}

// runGateway starts the gateway as the unit that openshift-install writes, but for the option --trust: Debian builds it
// without, and so it takes any client.
func (b *bootstrap) runGateway() {
	b.t.Helper()
	b.run(19531, gatewayd, "--directory="+b.journal, "--key="+filepath.Join(b.disk, "journal-gatewayd.key"),
		"--cert="+filepath.Join(b.disk, "journal-gatewayd.crt"))
}

// run starts a server and waits until its port is open.
func (b *bootstrap) run(port int, program string, arguments ...string) {
	b.t.Helper()
	daemon(b.t, open(fmt.Sprintf("127.0.0.1:%d", port)), program, arguments...)
}

func wait(d time.Duration) { <-time.After(d) }

// log writes lines of a unit to the journal, in the export format.
func (b *bootstrap) log(unit string, lines ...string) {
	b.t.Helper()
	var export strings.Builder
	for _, line := range lines {
		b.entries++
		at := time.Now().UnixMicro() + int64(b.entries)
		fmt.Fprintf(&export, "__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=%d\n_BOOT_ID=4d2d6f4e0b8c4c4f9f0a5b5c6d7e8f90\n", at, b.entries)
		fmt.Fprintf(&export, "_SYSTEMD_UNIT=%s\nPRIORITY=6\nMESSAGE=%s\n\n", unit, line)
	}
	command := exec.Command(remote, "-o", filepath.Join(b.journal, fmt.Sprintf("part-%d.journal", b.entries)), "-")
	command.Stdin = strings.NewReader(export.String())
	if output, err := command.CombinedOutput(); err != nil {
		b.t.Fatalf("%v: %s", err, output)
	}
}

// records shows files where the services record what they do.
func (b *bootstrap) records(files map[string]string) {
	b.t.Helper()
	must(b.t, unix.Mount("tmpfs", "/var/log", "tmpfs", 0, ""))
	must(b.t, os.MkdirAll("/var/log/openshift", 0o755))
	for name, content := range files {
		must(b.t, os.WriteFile("/var/log/openshift/"+name, []byte(content), 0o644))
	}
}
