package ignition_test

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"exoshift/ignition"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift/release/download"
	"exoshift/state"

	"github.com/klauspost/compress/gzip"
)

// The limits for the processing of an image: a fraction of the speed of gunzip and md5sum, and the memory of the process.
const (
	speedLimit  = 0.9
	memoryLimit = 64e6
	rounds      = 5
)

// imageErrand is the environment variable with the file of an errand.
const imageErrand = "EXOSHIFT_BENCH_IMAGE"

// errand is the input of a child process: process one image.
type errand struct {
	Image  state.BootImage
	CA     []byte // of the server, DER
	Report string // path of the conversion's file
}

// conversion is the measurements of a child process.
type conversion struct {
	Took     time.Duration
	Memory   float64 // bytes, resident, at most
	Bytes    int64
	Replaced int
	MD5      string
}

// BenchmarkImage processes an image as an installation does, download, checksum, decompression, patch and MD5, and
// compares with the two programs that do a part of it.
func BenchmarkImage(b *testing.B) {
	small := makeImage(b)
	large := small.repeat(b, 8)
	server := httptest.NewTLSServer(http.FileServer(http.Dir(filepath.Dir(small.path))))
	defer server.Close()
	for b.Loop() {
		theirs, ours := time.Hour, time.Hour
		for range rounds {
			theirs = min(theirs, gunzip(b, small.path))
			got := small.convert(b, server)
			ours = min(ours, got.Took)
			if got.MD5 != small.md5 || got.Replaced != 1 {
				b.Fatalf("%d places replaced, MD5 %s instead of %s", got.Replaced, got.MD5, small.md5)
			}
			b.ReportMetric(got.Memory/1e6, "MB-resident")
		}
		speed := theirs.Seconds() / ours.Seconds()
		b.ReportMetric(speed, "of-gunzip")
		b.ReportMetric(float64(small.size)/1e6/ours.Seconds(), "MB/s-here")
		b.ReportMetric(float64(small.size)/1e6/theirs.Seconds(), "MB/s-gunzip")
		if speed < speedLimit {
			b.Errorf("%s for %d bytes, gunzip and md5sum take %s: %.2f of their speed, at least %g is promised", ours, small.size, theirs, speed, speedLimit)
		}
		huge := large.convert(b, server)
		b.ReportMetric(huge.Memory/1e6, "MB-resident-huge")
		if huge.Memory > memoryLimit {
			b.Errorf("%d bytes took %g bytes of memory, the limit is %g", huge.Bytes, huge.Memory, memoryLimit)
		}
	}
}

func gunzip(b *testing.B, path string) time.Duration {
	b.Helper()
	began := time.Now()
	if err := exec.CommandContext(b.Context(), "sh", "-c", `gunzip -c "$0" | md5sum >/dev/null`, path).Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// benchImage is a compressed image in a file.
type benchImage struct {
	path   string
	sha256 string
	size   int64  // uncompressed
	md5    string // of the patched image
}

// makeImage writes a qcow2 of noise and text, like binaries and compressed files, with one boot entry.
func makeImage(b *testing.B) benchImage {
	b.Helper()
	const bits, clusters = 16, 4096
	random := rand.NewChaCha8([32]byte{4})
	w := newQcow2Writer(bits, clusters<<bits)
	for i := range clusters {
		content := make([]byte, 1<<bits)
		if i%2 == 0 {
			_, _ = random.Read(content)
		} else {
			writeWords(rand.New(random), content)
		}
		if i == clusters/3 {
			copy(content[4096:], before)
		}
		w.plain(i, content)
	}
	result := benchImage{path: filepath.Join(b.TempDir(), "image.gz"), size: int64(len(w.image))}
	result.sha256 = pack(b, result.path, w.image)
	result.md5 = hexSum(md5.New(), bytes.Replace(w.image, []byte(before), []byte(after), 1))
	return result
}

func writeWords(random *rand.Rand, content []byte) {
	for at := 0; at < len(content); {
		word := strconv.FormatInt(int64(random.IntN(5000))*7919, 36)
		at += copy(content[at:], word+" ")
	}
}

func pack(b *testing.B, path string, content []byte) (sum string) {
	b.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(content)
	if err := errors.Join(err, w.Close(), os.WriteFile(path, packed.Bytes(), 0o600)); err != nil {
		b.Fatal(err)
	}
	return hexSum(sha256.New(), packed.Bytes())
}

// repeat returns an image that has the content of this one n times, since gzip permits concatenation.
func (i benchImage) repeat(b *testing.B, n int) benchImage {
	b.Helper()
	content, err := os.ReadFile(i.path)
	if err != nil {
		b.Fatal(err)
	}
	path, content := i.path+".repeated", bytes.Repeat(content, n)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		b.Fatal(err)
	}
	return benchImage{path: path, sha256: hexSum(sha256.New(), content), size: i.size * int64(n)}
}

// convert has the image patched and compressed in a child process.
func (i benchImage) convert(b *testing.B, server *httptest.Server) (converted conversion) {
	b.Helper()
	dir := b.TempDir()
	path := filepath.Join(dir, "errand.json")
	job := errand{CA: server.Certificate().Raw, Report: filepath.Join(dir, "report.json")}
	job.Image = state.BootImage{URL: server.URL + "/" + filepath.Base(i.path), SHA256: i.sha256}
	writeJSON(b, path, job)
	cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestImage_PatchedAndCompressed$", "-test.count=1")
	cmd.Env = append(os.Environ(), imageErrand+"="+path)
	if output, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, output)
	}
	readJSON(b, job.Report, &converted)
	if converted.Bytes != i.size {
		b.Fatalf("%d of %d bytes", converted.Bytes, i.size)
	}
	return converted
}

// TestImage_PatchedAndCompressed is the benchmark's child process.
func TestImage_PatchedAndCompressed(t *testing.T) {
	path := os.Getenv(imageErrand)
	if path == "" {
		t.Skip("only for the benchmark")
	}
	var job errand
	readJSON(t, path, &job)
	ca, err := x509.ParseCertificate(job.CA)
	if err != nil {
		t.Fatal(err)
	}
	world := network.Host()
	world.Roots = x509.NewCertPool()
	world.Roots.AddCert(ca)
	began := time.Now()
	image, err := download.New(world, func(string) {}).OpenImage(t.Context(), job.Image, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	patch, sum := ignition.PatchPlatform(image), md5.New()
	n, err := io.Copy(sum, patch)
	if err := errors.Join(err, image.Close()); err != nil {
		t.Fatal(err)
	}
	writeJSON(t, job.Report, conversion{
		Took: time.Since(began), Bytes: n, Replaced: patch.Replaced(), MD5: hex.EncodeToString(sum.Sum(nil)), Memory: peak(t),
	})
}

func writeJSON(t testing.TB, path string, value any) {
	t.Helper()
	content, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func readJSON(t testing.TB, path string, value any) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, value); err != nil {
		t.Fatal(err)
	}
}

// peak returns the peak memory of this process; bytes.
func peak(t *testing.T) float64 {
	t.Helper()
	status, err := os.Open("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = status.Close() }()
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), "VmHWM:"); found {
			kilobytes, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(value, "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return float64(kilobytes) * 1024
		}
	}
	t.Fatal("the system does not tell")
	return 0
}

func hexSum(sum hash.Hash, content []byte) string {
	_, _ = sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil))
}
