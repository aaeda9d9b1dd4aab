package bootstraphost_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"io/fs"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coreos/ignition/v2/config/v3_2"
	"github.com/vincent-petithory/dataurl"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"exoshift/ignition"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/openshift/journal"
	"exoshift/provisioner/openshift/bootstraphost"
	"exoshift/state"
)

const (
	ours   = "192.0.2.10"
	theirs = "198.18.0.10"
)

// lab is a simulated bootstrap machine, and a laptop that collects from it.
type lab struct {
	*bootstraphost.Host
	t       *testing.T
	fabric  *fabric.Fabric
	laptop  *fabric.Host
	folder  map[string][]byte // of openshift-install
	machine *journal.Machine
	disk    *box
	key     ed25519.PrivateKey // of the answers
	ring    *keyring
	closed  atomic.Bool // the machine is unreachable
	root    certificate.Pair
}

func inLab(t *testing.T, test func(l *lab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &lab{t: t, folder: map[string][]byte{}}
		l.fabric = fabric.New(fabric.Config{Allows: func(netip.Addr, netip.Addr, string, int) bool { return !l.closed.Load() }})
		defer l.fabric.Close()
		l.laptop = l.host(ours)
		l.generate()
		l.Host = bootstraphost.New(l.laptop.Network(nil), l.file, l.authorizedKey(), l.ring.dial)
		defer l.Close()
		defer l.boot()()
		test(l)
	})
}

func (l *lab) check(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) host(address string) *fabric.Host {
	l.t.Helper()
	host, err := l.fabric.AddHost(netip.MustParseAddr(address))
	l.check(err)
	return host
}

func (l *lab) file(name string) ([]byte, error) {
	if content, ok := l.folder[name]; ok {
		return content, nil
	}
	return nil, fs.ErrNotExist
}

// generate writes the files of openshift-install and of the recipe into the folder.
func (l *lab) generate() {
	l.t.Helper()
	var err error
	_, l.key, err = ed25519.GenerateKey(rand.Reader)
	l.check(err)
	l.ring = newKeyring(l.t, l.key)
	l.root, err = certificate.NewAuthority(pkix.Name{CommonName: "root-ca"}, time.Hour, time.Now())
	l.check(err)
	// Like the real one it has no host name.
	pair, err := l.root.Issue(certificate.Request{Subject: pkix.Name{CommonName: "journal-gatewayd"}, Validity: time.Hour,
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}, time.Now())
	l.check(err)
	key, err := pair.KeyPEM()
	l.check(err)
	l.folder[".openshift_install_state.json"], err = json.Marshal(map[string]any{
		"*tls.JournalCertKey": map[string][]byte{"CertRaw": pair.CertPEM(), "KeyRaw": key}})
	l.check(err)
	l.folder[state.IdentityFile], err = ignition.NewIdentity(time.Now())
	l.check(err)
}

func (l *lab) authorizedKey() string {
	public, err := ssh.NewPublicKey(l.key.Public())
	l.check(err)
	return string(ssh.MarshalAuthorizedKey(public)) + " operator@laptop"
}

// boot runs the machine with the disk that Ignition would create, until the returned function is called.
func (l *lab) boot() (stop func()) {
	l.t.Helper()
	const generated = `{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/opt/openshift/tls/journal-gatewayd.crt","contents":{"source":"data:,"}},
		{"path":"/opt/openshift/tls/journal-gatewayd.key","contents":{"source":"data:,"}}]}}`
	document, err := ignition.WithIdentity([]byte(generated), l.folder[state.IdentityFile])
	l.check(err)
	config, _, err := v3_2.Parse(document)
	l.check(err)
	l.disk = &box{host: l.host(theirs), files: map[string][]byte{
		"/opt/openshift/tls/root-ca.crt":                l.root.CertPEM(),
		"/home/core/.ssh/authorized_keys.d/ignition":    []byte(l.authorizedKey()),
		"/etc/systemd/system-preset/20-ignition.preset": []byte("enable systemd-journal-gatewayd.socket\n"),
	}}
	for _, file := range config.Storage.Files {
		decoded, err := dataurl.DecodeString(*file.Contents.Source)
		l.check(err)
		l.disk.files[file.Path] = decoded.Data
	}
	return l.serve()
}

func (l *lab) serve() (stop func()) {
	l.machine = journal.NewMachine(l.disk, network.Clock{})
	ctx, cancel := context.WithCancel(l.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.machine.ServeAccess(ctx)
	}()
	synctest.Wait()
	return func() {
		cancel()
		<-done
	}
}

// look starts a collection and returns its result, with the lines of one that was running.
func (l *lab) collect() (state.BootstrapHost, error) {
	l.t.Helper()
	time.Sleep(20 * time.Second)
	before, _ := l.Collect(l.t.Context(), netip.MustParseAddr(theirs))
	time.Sleep(20 * time.Second)
	seen, err := l.Collect(l.t.Context(), netip.MustParseAddr(theirs))
	seen.Lines = append(before.Lines, seen.Lines...)
	return seen, err
}

func (l *lab) pass(d time.Duration) { time.Sleep(d) }

func (l *lab) record(service, entries string) {
	l.check(l.disk.WriteFile("/var/log/openshift/"+service+".json", []byte(entries)))
}

// box is the machine's disk and network address.
type box struct {
	host  *fabric.Host
	mu    sync.Mutex
	files map[string][]byte
}

func (b *box) ID() string                            { return "id" }
func (b *box) Name() string                          { return "bootstrap" }
func (b *box) Address() netip.Addr                   { return b.host.Address() }
func (b *box) DefaultAddress() netip.Addr            { return b.host.Address() }
func (b *box) Network() network.Network              { return b.host.Network(nil) }
func (b *box) Listen(port int) (net.Listener, error) { return b.host.Listen(port) }
func (b *box) Console(string, ...any)                {}

func (b *box) ReadFile(path string) ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	content, ok := b.files[path]
	return content, ok
}

func (b *box) WriteFile(path string, content []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files[path] = content
	return nil
}

// keyring is an SSH agent that counts signatures.
type keyring struct {
	agent.Agent
	signed int
	refuse error
}

func newKeyring(t *testing.T, keys ...ed25519.PrivateKey) *keyring {
	t.Helper()
	ring := &keyring{Agent: agent.NewKeyring()}
	for _, key := range keys {
		if err := ring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
			t.Fatal(err)
		}
	}
	return ring
}

func (k *keyring) Sign(key ssh.PublicKey, data []byte) (*ssh.Signature, error) {
	k.signed++
	if k.refuse != nil {
		return nil, k.refuse
	}
	return k.Agent.Sign(key, data)
}

func (k *keyring) dial(context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		defer func() { _ = server.Close() }()
		_ = agent.ServeAgent(k, server)
	}()
	return client, nil
}
