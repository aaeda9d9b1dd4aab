package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"filippo.io/age"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/run"
	"exoshift/internal/app/sharedstate"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/lease"
)

// Documented limits of runs with shared state.
const (
	sharedMemoryLimit   = 120e6
	sharedRequestsLimit = 2500
	sharedBytesLimit    = 50e6
	sharedSlowdownLimit = 0.03 // of the duration, at sharedLatency
	attachLimit         = 4 * time.Second
	sharedLatency       = 50 * time.Millisecond // of each request to the storage
)

// sharedAccount lets TestInstall_SharedBenchmark run, in a process of its own, and names the file of its account.
const sharedAccount = "EXOSHIFT_SHARED_ACCOUNT"

// sharedUse is what shared state adds to an installation.
type sharedUse struct {
	Local, Shared   time.Duration
	Requests, Bytes int64
}

// storageUse counts the requests to the storage of shared state, each of which takes sharedLatency.
type storageUse struct{ requests, bytes atomic.Int64 }

func (u *storageUse) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Host, "sos-") || !strings.HasPrefix(r.URL.Path, "/fleet") {
			next.ServeHTTP(w, r)
			return
		}
		if (network.Clock{}).Sleep(r.Context(), sharedLatency) != nil {
			return
		}
		u.requests.Add(1)
		u.bytes.Add(max(0, r.ContentLength))
		next.ServeHTTP(countedWriter{w, &u.bytes}, r)
	})
}

type countedWriter struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (w countedWriter) Write(content []byte) (int, error) {
	w.bytes.Add(int64(len(content)))
	return w.ResponseWriter.Write(content)
}

func TestInstall_SharedBenchmark(t *testing.T) {
	path := os.Getenv(sharedAccount)
	if path == "" {
		t.Skip("BenchmarkSharedState runs it")
	}
	var result sharedUse
	virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		began := time.Now()
		if err := installWith(t.Context(), s, cli.Streams{Out: io.Discard, Err: os.Stderr}); err != nil {
			t.Fatal(err)
		}
		result.Local = time.Since(began)
	})
	home, use := t.TempDir(), &storageUse{}
	t.Setenv("XDG_STATE_HOME", home)
	recipient := writeIdentity(t, filepath.Join(home, "identity.txt"))
	virtuallyIn(t, circumstances{middleware: use.count}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		at, err := sharedstate.ParseAddress("s3://fleet/prod?endpoint=https://" + state.ObjectStorageHost(s.Spec.Exoscale.Zone))
		if err != nil {
			t.Fatal(err)
		}
		variables := map[string]string{"EXOSCALE_API_KEY": s.Secrets.APIKey, "EXOSCALE_API_SECRET": s.Secrets.APISecret, sharedstate.IdentityVariable: filepath.Join(home, "identity.txt")}
		access := sharedstate.Access{Address: at, Net: zone.Network(), Lookup: func(name string) (string, bool) {
			value, given := variables[name]
			return value, given
		}}
		if _, err := access.Initialize(t.Context(), []string{recipient}, ""); err != nil {
			t.Fatal(err)
		}
		requests, bytes, began := use.requests.Load(), use.bytes.Load(), time.Now()
		err = access.Run(t.Context(), s.Spec.Cluster.ID, "install", func(lease.Holder) {}, func(ctx context.Context, session *sharedstate.Session) error {
			s.Folder, s.Private = session.Folder, true
			return installWith(ctx, s, cli.Streams{Out: io.Discard, Err: os.Stderr})
		})
		if err != nil {
			t.Fatal(err)
		}
		result.Shared, result.Requests, result.Bytes = time.Since(began), use.requests.Load()-requests, use.bytes.Load()-bytes
	})
	content, err := json.Marshal(result)
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func writeIdentity(t testing.TB, path string) (recipient string) {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	if err == nil {
		err = os.WriteFile(path, []byte(identity.String()), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return identity.Recipient().String()
}

// BenchmarkSharedState installs the default cluster in virtual time, with and without shared state.
func BenchmarkSharedState(b *testing.B) {
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "account.json")
		b.Setenv(sharedAccount, path)
		measureTest(b, "TestInstall_SharedBenchmark")
		content, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		var u sharedUse
		if err := json.Unmarshal(content, &u); err != nil {
			b.Fatal(err)
		}
		slowdown := float64(u.Shared-u.Local) / float64(u.Local)
		b.ReportMetric(float64(u.Requests), "requests")
		b.ReportMetric(float64(u.Bytes)/1e6, "MB-sent")
		b.ReportMetric(100*slowdown, "%-slower")
		if u.Requests > sharedRequestsLimit || u.Bytes > sharedBytesLimit || slowdown > sharedSlowdownLimit {
			b.Errorf("%d requests, %d bytes, %s in the place of %s: the limits are %d, %g and %g %%", u.Requests, u.Bytes, u.Shared, u.Local,
				sharedRequestsLimit, sharedBytesLimit, 100*sharedSlowdownLimit)
		}
	}
}

// arrivals are when the events of a run were seen, by their numbers.
type arrivals struct {
	mu   sync.Mutex
	seen map[int]time.Time
}

func (a *arrivals) watch(lines io.Reader) {
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var e provisioner.Event
		if json.Unmarshal(scanner.Bytes(), &e) == nil {
			a.mu.Lock()
			a.seen[e.Seq] = time.Now()
			a.mu.Unlock()
		}
	}
}

// start runs the program and watches its events; end waits for both.
func (a *arrivals) start(b *testing.B, args ...string) (end func() usage) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), binary, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); a.watch(out) }()
	return func() usage {
		<-done
		if err := cmd.Wait(); err != nil {
			b.Errorf("%v: %v", args, err)
		}
		var u usage
		if rusage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			u.memory = float64(rusage.Maxrss) * 1024
		}
		return u
	}
}

// BenchmarkAttach watches an installation of one process in another one.
func BenchmarkAttach(b *testing.B) {
	for b.Loop() {
		watchInstallation(b)
	}
}

func watchInstallation(b *testing.B) {
	b.Helper()
	dir := b.TempDir()
	b.Setenv("XDG_CACHE_HOME", dir)
	b.Setenv("XDG_STATE_HOME", dir)
	b.Setenv("EXOSHIFT_AGE_IDENTITY", filepath.Join(dir, "identity.txt"))
	recipient := writeIdentity(b, filepath.Join(dir, "identity.txt"))
	answers := filepath.Join(dir, "answers.yaml")
	if err := os.WriteFile(answers, []byte(standingAnswers), 0o600); err != nil {
		b.Fatal(err)
	}
	end := startZone(b, dir, "--speed", "120", "--latency", sharedLatency.String())
	b.Setenv("EXOSHIFT_STATE", "s3://fleet/prod?endpoint=https://sos-ch-gva-2.exo.io")
	measure(b, binary, "state", "init", os.Getenv("EXOSHIFT_STATE"), "--recipient", recipient, "--yes")
	sent, shown := &arrivals{seen: map[int]time.Time{}}, &arrivals{seen: map[int]time.Time{}}
	installed := sent.start(b, "install", "--yes", "--answers", answers, "--output", "json")
	awaitLock(b)
	attached := shown.start(b, "attach", "c-standing", "--output", "json")
	u := installed()
	attached()
	end()
	most, first := time.Duration(0), firstOf(shown.seen)
	for n, at := range sent.seen {
		seen, arrived := shown.seen[n]
		switch {
		case !arrived:
			b.Errorf("event %d never arrived", n)
		case at.After(first): // the earlier ones were there before anybody watched
			most = max(most, seen.Sub(at))
		}
	}
	b.ReportMetric(most.Seconds(), "s-to-screen")
	b.ReportMetric(u.memory/1e6, "MB-resident")
	if most > attachLimit || u.memory > sharedMemoryLimit {
		b.Errorf("an event took %s, and the run %g bytes of memory: the limits are %s and %g", most, u.memory, attachLimit, sharedMemoryLimit)
	}
}

func firstOf(seen map[int]time.Time) time.Time {
	first := time.Now()
	for _, at := range seen {
		if at.Before(first) {
			first = at
		}
	}
	return first
}

// awaitLock waits until a run works on the cluster.
func awaitLock(b *testing.B) {
	b.Helper()
	for range 200 {
		out, _ := exec.CommandContext(b.Context(), binary, "state", "list", "--output", "json").Output() // not yet
		if strings.Contains(string(out), `"locked":true`) {
			return
		}
	}
	b.Fatal("nobody works on the cluster")
}
