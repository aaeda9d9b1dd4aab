package release_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/netip"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
	"exoshift/provisioner/openshift/release"
	"exoshift/provisioner/openshift/release/download"

	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
)

const (
	ocpDirectory = "/pub/openshift-v4/x86_64/clients/ocp/"
	okdDirectory = "/okd-project/okd/releases/download/"
	directory    = ocpDirectory + "4.20.5/"
)

// hostName is the suffix of archives for the test's machine.
func hostName() string {
	name := strings.ReplaceAll(runtime.GOOS, "darwin", "mac")
	if runtime.GOARCH == "arm64" {
		name += "-arm64"
	}
	return name
}

func archiveName(version string) string {
	return "openshift-install-" + hostName() + "-" + version + ".tar.gz"
}

type file struct {
	content []byte
	kind    string        // content type
	cut     int           // serve only so many bytes, though all were announced
	pause   time.Duration // before the last byte
	fails   int           // respond 503 so many times first
	cuts    []int         // serve each of the first requests only so many bytes
	tag     string        // strong ETag; enables range requests
	leads   string        // redirect to this URL
	endless bool          // announce no length
}

type mirror struct {
	mu     sync.Mutex
	files  map[string]*file
	served map[string]int // requests by path
	net    network.Network
	logged []string
	asked  []string // ranges, with their conditions
	cache  string
	signer *openpgp.Entity
	others http.Handler // serves paths that are not among the files; may be nil
}

func newMirror(t *testing.T) *mirror {
	t.Helper()
	m := &mirror{files: map[string]*file{}, served: map[string]int{}, cache: filepath.Join(t.TempDir(), "cache"), signer: newSigner(t, 0)}
	address := netip.MustParseAddr("192.0.2.80")
	zone := fabric.New(fabric.Config{Resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{address}, nil
	}})
	t.Cleanup(zone.Close)
	host, err := zone.AddHost(address)
	if err != nil {
		t.Fatal(err)
	}
	client, err := zone.AddHost(netip.MustParseAddr("203.0.113.1"))
	if err != nil {
		t.Fatal(err)
	}
	ca, err := fabric.NewCA("internet")
	if err != nil {
		t.Fatal(err)
	}
	m.net = client.Network(ca.Pool())
	m.net.ReleaseKey = armored(t, m.signer)
	m.serve(t, host, ca)
	return m
}

func (m *mirror) serve(t *testing.T, host *fabric.Host, ca *fabric.CA) {
	t.Helper()
	listener, err := host.Listen(443)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := ca.NewServerTLS("mirror.openshift.com", "rhcos.mirror.openshift.com", "github.com", "release-assets.githubusercontent.com")
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
	if asked := r.Header.Get("Range"); asked != "" {
		m.asked = append(m.asked, strings.TrimSpace(asked+" "+r.Header.Get("If-Range")))
	}
	m.mu.Unlock()
	switch {
	case file == nil && m.others != nil:
		m.others.ServeHTTP(w, r)
	case file == nil:
		http.NotFound(w, r)
	case file.leads != "":
		http.Redirect(w, r, file.leads, http.StatusFound)
	case count <= file.fails:
		http.Error(w, "busy", http.StatusServiceUnavailable)
	default:
		file.write(w, r, count-file.fails)
	}
}

func (f *file) write(w http.ResponseWriter, r *http.Request, count int) {
	w.Header().Set("Content-Type", cmp.Or(f.kind, "application/octet-stream"))
	start, status := f.start(w, r)
	part := f.content[start:]
	if !f.endless {
		w.Header().Set("Content-Length", strconv.Itoa(len(part)))
	}
	w.WriteHeader(status)
	if f.cut > 0 {
		part = part[:f.cut]
	}
	if count <= len(f.cuts) {
		part = part[:f.cuts[count-1]]
	}
	if len(part) == 0 {
		return
	}
	_, _ = w.Write(part[:len(part)-1])
	if f.pause > 0 {
		_ = http.NewResponseController(w).Flush()
		timer := time.NewTimer(f.pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done(): // the byte may still be received, as the client cancels at this very moment
			return
		}
	}
	_, _ = w.Write(part[len(part)-1:])
}

// start returns where the response begins, according to the request's range.
func (f *file) start(w http.ResponseWriter, r *http.Request) (start, status int) {
	if f.tag == "" {
		return 0, http.StatusOK
	}
	w.Header().Set("ETag", f.tag)
	_, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &start)
	if condition := r.Header.Get("If-Range"); err != nil || condition != "" && condition != f.tag {
		return 0, http.StatusOK
	}
	if start >= len(f.content) {
		return len(f.content), http.StatusRequestedRangeNotSatisfiable
	}
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, len(f.content)-1, len(f.content)))
	return start, http.StatusPartialContent
}

func (m *mirror) requests(path string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.served[path]
}

// publish adds a release to the mirror whose program is a shell script.
func (m *mirror) publish(t *testing.T, script string) {
	t.Helper()
	m.publishAs(t, directory, "4.20.5", script)
	m.sign(t)
}

// publishAs adds a release to a directory, unsigned.
func (m *mirror) publishAs(t *testing.T, directory, version, script string) {
	t.Helper()
	archive := pack(t, map[string]string{"README.md": "read me", "openshift-install": script})
	m.files[directory+archiveName(version)] = &file{content: archive}
	m.files[directory+"sha256sum.txt"] = &file{content: fmt.Appendf(nil, "%s  openshift-client-linux.tar.gz\n%s  %s\n",
		sum([]byte("another file")), sum(archive), archiveName(version)), kind: "text/plain"}
}

func (m *mirror) sign(t *testing.T) {
	t.Helper()
	m.files[directory+"sha256sum.txt.gpg"] = &file{content: detached(t, m.signer, m.checksums().content, nil)}
}

func (m *mirror) archive() *file   { return m.files[directory+archiveName("4.20.5")] }
func (m *mirror) checksums() *file { return m.files[directory+"sha256sum.txt"] }
func (m *mirror) signature() *file { return m.files[directory+"sha256sum.txt.gpg"] }

func (m *mirror) installer() *release.Installer { return m.installerThat(m.hear) }

func (m *mirror) installerThat(receive func(line string)) *release.Installer {
	return release.New(m.net, release.Choice{Distribution: "ocp", Version: "4.20.5", Cache: m.cache}, receive)
}

func (m *mirror) downloads() *download.Client { return download.New(m.net, m.hear) }

func (m *mirror) choose(choice release.Choice) *release.Installer {
	choice.Cache = m.cache
	return release.New(m.net, choice, m.hear)
}

func (m *mirror) hear(line string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logged = append(m.logged, line)
}

// said reports whether a line with that text was logged.
func (m *mirror) said(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.logged, func(line string) bool { return strings.Contains(line, text) })
}

func (m *mirror) cached(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(filepath.Dir(m.cache), func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != "lock" {
			found = append(found, entry.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (m *mirror) place(version string) string {
	return filepath.Join(m.cache, "openshift-install", fingerprint(m.signer), version, runtime.GOOS+"-"+runtime.GOARCH)
}

func fetch(ctx context.Context, i *release.Installer) error {
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
