package openshift_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
	"exoshift/provisioner/openshift"
)

const release = "/pub/openshift-v4/clients/ocp/4.20.5/"

// file is what the mirror serves at a path.
type file struct {
	content []byte
	kind    string        // content type
	cut     int           // serve only so many bytes, though all were announced
	pause   time.Duration // before the last byte
	fails   int           // answer 503 so many times first
}

// mirror is a download server on the simulated internet.
type mirror struct {
	mu     sync.Mutex
	files  map[string]*file
	served map[string]int // requests by path
	net    network.Network
	logged []string
	cache  string
}

func newMirror(t *testing.T) *mirror {
	t.Helper()
	m := &mirror{files: map[string]*file{}, served: map[string]int{}, cache: t.TempDir()}
	address := netip.MustParseAddr("192.0.2.80")
	zone := fabric.New(fabric.Config{Resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{address}, nil
	}})
	t.Cleanup(zone.Close)
	host, err := zone.Host(address)
	if err != nil {
		t.Fatal(err)
	}
	client, err := zone.Host(netip.MustParseAddr("203.0.113.1"))
	if err != nil {
		t.Fatal(err)
	}
	ca, err := fabric.NewCA("internet")
	if err != nil {
		t.Fatal(err)
	}
	m.net = client.Network(ca.Pool())
	m.serve(t, host, ca)
	return m
}

func (m *mirror) serve(t *testing.T, host *fabric.Host, ca *fabric.CA) {
	t.Helper()
	listener, err := host.Listen(443)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := ca.ServerTLS("mirror.openshift.com", "rhcos.mirror.openshift.com")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: m, TLSConfig: settings, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	t.Cleanup(func() { _ = server.Close() })
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.served[r.URL.Path]++
	count, file := m.served[r.URL.Path], m.files[r.URL.Path]
	m.mu.Unlock()
	switch {
	case file == nil:
		http.NotFound(w, r)
	case count <= file.fails:
		http.Error(w, "busy", http.StatusServiceUnavailable)
	default:
		file.write(w, r)
	}
}

func (f *file) write(w http.ResponseWriter, r *http.Request) {
	if f.kind != "" {
		w.Header().Set("Content-Type", f.kind)
	} else {
		w.Header().Set("Content-Type", "application/octet-stream")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(f.content)))
	part := f.content
	if f.cut > 0 {
		part = part[:f.cut]
	}
	_, _ = w.Write(part[:len(part)-1])
	if f.pause > 0 {
		_ = http.NewResponseController(w).Flush()
		timer := time.NewTimer(f.pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
		}
	}
	_, _ = w.Write(part[len(part)-1:])
}

func (m *mirror) requests(path string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.served[path]
}

// publish puts a release on the mirror whose program is a shell script.
func (m *mirror) publish(t *testing.T, script string) {
	t.Helper()
	archive := pack(t, map[string]string{"README.md": "read me", "openshift-install": script})
	m.files[release+"openshift-install-linux.tar.gz"] = &file{content: archive}
	m.files[release+"sha256sum.txt"] = &file{content: fmt.Appendf(nil, "%s  openshift-client-linux.tar.gz\n%s  openshift-install-linux.tar.gz\n",
		sum([]byte("another file")), sum(archive)), kind: "text/plain"}
}

func (m *mirror) archive() *file   { return m.files[release+"openshift-install-linux.tar.gz"] }
func (m *mirror) checksums() *file { return m.files[release+"sha256sum.txt"] }

func (m *mirror) installer() *openshift.Installer {
	return m.installerThat(func(line string) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.logged = append(m.logged, line)
	})
}

func (m *mirror) installerThat(hear func(line string)) *openshift.Installer {
	return openshift.NewInstaller(m.net, openshift.Choice{Distribution: "ocp", Version: "4.20.5", Cache: m.cache}, hear)
}

func fetch(ctx context.Context, i *openshift.Installer) error {
	_, err := i.Fetch(ctx, "", func(string) {})
	return err
}

func pack(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for name, content := range files {
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func sum(content []byte) string {
	hash := sha256.Sum256(content)
	return hex.EncodeToString(hash[:])
}

func compress(t *testing.T, content string) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	if _, err := io.WriteString(zipped, content); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}
