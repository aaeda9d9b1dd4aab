package catalog_test

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/store"
	"exoshift/provisioner/syn/catalog"
	"exoshift/state"
)

const (
	host        = "example.com" // the name in the certificate of a test server
	tenantID    = "t-quiet-harbour-4711"
	clusterID   = "c-demo-1"
	tenantRepo  = "syn/tenants/" + tenantID
	catalogRepo = "syn/cluster-catalogs/" + clusterID
	file        = clusterID + ".yml"
)

// world is a simulated Git host, and its network.
type world struct {
	*githost.Host
	network network.Network
	token   string
	keys    agent.Agent
	hostKey ssh.Signer
	meet    func(http.ResponseWriter, *http.Request) bool // responds as the host; nil: the simulated host
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newWorld(t *testing.T, config githost.Config) *world {
	t.Helper()
	w := &world{hostKey: newKey(t, 'h'), keys: agent.NewKeyring()}
	clock, stop := network.NewScaledClock(2000, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	t.Cleanup(stop)
	config.DB, config.Clock, config.Host, config.HostKey = store.NewMemory(), clock, host, w.hostKey
	var err error
	w.Host, err = githost.New(config)
	must(t, err)
	w.token = w.CreateToken()
	for _, name := range []string{tenantRepo, catalogRepo} {
		must(t, w.Create(name))
	}
	web := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.meet == nil || !w.meet(rw, r) {
			w.NewWebHandler().ServeHTTP(rw, r)
		}
	}))
	t.Cleanup(web.Close)
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	client := sshPort(t, w.SSH())
	w.network = network.Network{Roots: roots, Clock: clock, Dial: func(ctx context.Context, kind, address string) (net.Conn, error) {
		if address == host+":22" {
			return client.Dial(ctx, kind, "203.0.113.7:22")
		}
		return new(net.Dialer).DialContext(ctx, kind, web.Listener.Addr().String())
	}}
	return w
}

func sshPort(t *testing.T, port server.Port) *fabric.Host {
	t.Helper()
	f := fabric.New(fabric.Config{})
	t.Cleanup(f.Close)
	ca, err := fabric.NewCA("Internet")
	must(t, err)
	servers := server.New(server.Config{Fabric: f, CA: ca})
	t.Cleanup(func() { _ = servers.Close() })
	must(t, servers.Add(server.Site{Address: "203.0.113.7", Ports: []server.Port{port}}))
	client, err := f.AddHost(netip.MustParseAddr("192.0.2.10"))
	must(t, err)
	return client
}

func newKey(t *testing.T, seed byte) ssh.Signer {
	t.Helper()
	key, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize))))
	must(t, err)
	return key
}

// letIn adds a key to the agent; the host accepts it if known.
func (w *world) letIn(t *testing.T, seed byte, known bool) {
	t.Helper()
	private := ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize)))
	must(t, w.keys.Add(agent.AddedKey{PrivateKey: private}))
	if known {
		must(t, w.AddKey(server.FormatAuthorizedKey(newKey(t, seed))))
	}
}

// byToken and byAgent are the two kinds of access.
func (w *world) byToken() *catalog.Git {
	return catalog.NewGit(w.network, catalog.Access{Token: w.token, Name: "Engineer", Email: "engineer@example.net"})
}

func (w *world) byAgent(knownHosts ...string) *catalog.Git {
	return catalog.NewGit(w.network, catalog.Access{KnownHosts: knownHosts, Agent: func(context.Context) (net.Conn, error) {
		near, far := net.Pipe()
		go func() { _ = agent.ServeAgent(w.keys, far) }()
		return near, nil
	}})
}

func repo(name string) state.GitRepo {
	return state.GitRepo{URL: "ssh://git@" + host + "/" + name + ".git"}
}

func (w *world) commit(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	contents := map[string][]byte{}
	for path, text := range files {
		contents[path] = []byte(text)
	}
	hash, err := w.Commit(name, "Change", contents)
	must(t, err)
	return hash
}

func (w *world) file(t *testing.T, name, path string) string {
	t.Helper()
	files, _, err := w.ReadFiles(name)
	must(t, err)
	return string(files[path])
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// domain has the first edits of an installation.
func domain() []state.YAMLEdit {
	return []state.YAMLEdit{{Path: []string{"parameters", "openshift", "baseDomain"}, Value: "c-demo-1.example.net"}}
}
