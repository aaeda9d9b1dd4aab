package githost_test

import (
	"crypto/ed25519"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/store"

	"golang.org/x/crypto/ssh"
)

const (
	tenant     = "t-quiet-harbour-4711"
	getProject = "syn/tenants/" + tenant
	catalog    = "syn/cluster-catalogs/c-demo-1"
)

// lab is a Git host with its web site on loopback and its SSH port on a network in memory.
type lab struct {
	*githost.Host
	url     string // with a token of all scopes
	base    string // without one
	client  *fabric.Host
	key     ssh.Signer // of an engineer
	hostKey ssh.Signer
}

func privateKey(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize)))
}

func signer(t *testing.T, seed byte) ssh.Signer {
	t.Helper()
	made, err := ssh.NewSignerFromKey(privateKey(seed))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func open(t *testing.T, config githost.Config) *lab {
	t.Helper()
	if config.DB == nil {
		config.DB = store.NewMemory()
	}
	config.Host, config.HostKey = "git.vshn.net", signer(t, 'h')
	host, err := githost.New(config)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(host.NewWebHandler())
	t.Cleanup(web.Close)
	l := &lab{Host: host, base: web.URL, key: signer(t, 'e'), hostKey: config.HostKey, client: serve(t, host.SSH())}
	l.url = strings.Replace(web.URL, "://", "://oauth2:"+host.CreateToken()+"@", 1)
	if err := host.AddKey(server.FormatAuthorizedKey(l.key)); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *lab) create(t *testing.T, name string) {
	t.Helper()
	if err := l.Create(name); err != nil {
		t.Fatal(err)
	}
}

func (l *lab) commit(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	contents := map[string][]byte{}
	for path, text := range files {
		contents[path] = []byte(text)
	}
	hash, err := l.Commit(name, "Change", contents)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func (l *lab) file(t *testing.T, name, path string) string {
	t.Helper()
	files, _, err := l.ReadFiles(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(files[path])
}

const address = "203.0.113.7"

// serve opens a port on a network in memory, and returns another host of it.
func serve(t *testing.T, port server.Port) *fabric.Host {
	t.Helper()
	f := fabric.New(fabric.Config{})
	t.Cleanup(f.Close)
	ca, err := fabric.NewCA("Internet")
	if err != nil {
		t.Fatal(err)
	}
	servers := server.New(server.Config{Fabric: f, CA: ca})
	t.Cleanup(func() { _ = servers.Close() })
	if err := servers.Add(server.Site{Address: address, Ports: []server.Port{port}}); err != nil {
		t.Fatal(err)
	}
	client, err := f.AddHost(netip.MustParseAddr("192.0.2.10"))
	if err != nil {
		t.Fatal(err)
	}
	return client
}
