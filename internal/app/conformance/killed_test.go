package conformance

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

// killer simulates the end of a process at one of its changes, after which it sends nothing more. Machines and operations go on.
type killer struct {
	mu     sync.Mutex
	at     int  // the number of the change; 0: never
	before bool // the change is not received; otherwise it is carried out, and its answer is lost
	count  int
	dead   bool
	kill   func()
	calls  []string
}

func (k *killer) arm(at int, kill func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at, k.count, k.dead, k.kill = at, 0, false, kill
}

func (k *killer) gate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isFromZone(r) {
			next.ServeHTTP(w, r)
			return
		}
		dies, dead := k.countCall(r)
		switch {
		case dead:
			panic(http.ErrAbortHandler)
		case dies:
			if !k.before {
				next.ServeHTTP(nowhere{http.Header{}}, r)
			}
			k.kill()
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

func (k *killer) countCall(r *http.Request) (dies, dead bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return false, k.dead
	}
	k.count++
	k.calls = append(k.calls, describeCall(r))
	k.dead = k.count == k.at
	return k.dead, false
}

// isFromZone reports whether a request is from a machine of the zone or from the platform, which imports images.
func isFromZone(r *http.Request) bool {
	return strings.HasPrefix(r.RemoteAddr, "198.18.") || strings.HasPrefix(r.RemoteAddr, "198.51.100.")
}

func describeCall(r *http.Request) string {
	ids := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|` + namePattern.String())
	return r.Method + " " + ids.ReplaceAllString(r.Host+r.URL.Path, "ID")
}

type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header             { return n.header }
func (nowhere) WriteHeader(int)                   {}
func (nowhere) Write(content []byte) (int, error) { return len(content), nil }

// listCalls returns the numbers of a run's changes, of equal ones the first only.
func listCalls(t *testing.T) (numbers []int) {
	t.Helper()
	k := &killer{}
	inWorld(t, simcloud.Options{Middleware: k.gate}, func(w *world) { w.run() })
	seen := map[string]bool{}
	for n, call := range k.calls {
		if !seen[call] {
			numbers = append(numbers, n+1)
		}
		seen[call] = true
	}
	return numbers
}

// diesAt has a run killed at a change, and the next one made.
func diesAt(t *testing.T, at int, before bool) {
	t.Helper()
	k := &killer{before: before}
	inWorld(t, simcloud.Options{Middleware: k.gate}, func(w *world) {
		there := w.left()
		ctx, kill := context.WithCancel(w.Context())
		defer kill()
		k.arm(at, kill)
		_, err := Run(ctx, w.options)
		if at > len(k.calls) {
			return // how many calls a run makes depends on how often it has to look
		}
		if err == nil {
			w.Fatal("a dead process was content")
		}
		k.arm(0, nil)
		w.emitted = nil
		if v := w.run()[Swept]; !v.OK {
			w.Errorf("killed at %s: %s", k.calls[at-1], v.Text)
		}
		w.wantEmpty(there)
		if t.Failed() {
			t.Logf("killed at %s", k.calls[at-1])
		}
	})
}

func TestRun_RemovesKilledRun(t *testing.T) {
	calls := listCalls(t)
	diesAt(t, calls[len(calls)/2], false)
}

func TestRun_RemovesRunKilledAnytime(t *testing.T) {
	long(t)
	for _, at := range listCalls(t) {
		for _, before := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d before %t", at, before), func(t *testing.T) {
				t.Parallel()
				diesAt(t, at, before)
			})
		}
	}
}

func TestRun_StopDeletesCreated(t *testing.T) {
	inWorld(t, simcloud.Options{}, func(w *world) {
		there := w.left()
		ctx, stop := context.WithTimeout(w.Context(), 6*time.Minute)
		defer stop()
		verdicts, err := Run(ctx, w.options)
		if !fault.Is(err, fault.Timeout) || len(verdicts) != len(IDs()) {
			w.Errorf("%v, %d verdicts", err, len(verdicts))
		}
		w.wantEmpty(there)
	})
}

func TestRun_KeepsForeignObjects(t *testing.T) {
	inWorld(t, simcloud.Options{}, func(w *world) {
		other, err := connect(w.options, state.NoJournal{})
		w.must(err)
		defer other.close()
		young, old := newName(time.Now()), newName(time.Now().Add(-3*maxAge))
		for _, name := range []string{"c-demo-1_lb", "exoshift-conformance", young + "_right", old + "_right"} {
			_, _, err := other.cloud.EnsureAntiAffinityGroup(w.Context(), name, "somebody's")
			w.must(err)
		}
		before := w.left()
		w.must(Sweep(w.Context(), w.options))
		after := strings.Join(w.left(), ", ")
		if strings.Contains(after, old) || !strings.Contains(after, young) || len(w.left()) != len(before)-1 {
			w.Errorf("before %v, after %s", before, after)
		}
	})
}
