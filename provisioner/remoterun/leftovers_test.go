package remoterun_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

// killer simulates the end of a process at one of its requests, after which it sends no more. Machines continue.
type killer struct {
	mu     sync.Mutex
	at     int  // number of the request; 0: never
	order  bool // at the creation of a machine
	before bool // the request is not received; otherwise it is carried out, and the response is lost
	all    bool // count read requests, too
	count  int
	dead   bool
	kill   func()

	sentences []string
}

// ordering replaces a number: the request for a machine.
const ordering = -1

func (k *killer) arm(at int, kill func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at, k.order, k.count, k.dead, k.kill = at, at == ordering, 0, false, kill
}

func (k *killer) gate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fromMachine(r) {
			next.ServeHTTP(w, r)
			return
		}
		switch dies, dead := k.judge(r); {
		case dead:
			panic(http.ErrAbortHandler)
		case dies && k.before:
			k.kill()
			panic(http.ErrAbortHandler)
		case dies:
			next.ServeHTTP(nowhere{http.Header{}}, r) // before the kill, which closes the connection with the rest of the request
			k.kill()
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

func (k *killer) judge(r *http.Request) (dies, dead bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead {
		return false, true
	}
	if k.all || r.Method != http.MethodGet && r.Method != http.MethodHead {
		k.count++
		k.sentences = append(k.sentences, sentence(r))
		if k.count == k.at || k.order && strings.HasSuffix(r.URL.Path, "/v2/instance") {
			k.dead = true
			return true, false
		}
	}
	return false, false
}

type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header             { return n.header }
func (nowhere) WriteHeader(int)                   {}
func (nowhere) Write(content []byte) (int, error) { return len(content), nil }

// calls returns the numbers of a run's requests, of identical ones the first only.
func calls(t *testing.T, all bool) (numbers []int) {
	t.Helper()
	k := &killer{all: all}
	inLab(t, simcloud.Options{Middleware: k.gate}, func(l *lab) { l.runsWell() })
	seen := map[string]bool{}
	for n, sentence := range k.sentences {
		if !seen[sentence] {
			numbers = append(numbers, n+1)
		}
		seen[sentence] = true
	}
	return numbers
}

// sentence identifies a request, without what differs between two runs.
func sentence(r *http.Request) string {
	return r.Method + " " + regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16}`).ReplaceAllString(r.Host+r.URL.Path, "ID")
}

func TestZone_NextRunRemovesKilledRun(t *testing.T) {
	for _, at := range calls(t, false) {
		for _, before := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d before %t", at, before), func(t *testing.T) {
				k := &killer{before: before}
				inLab(t, simcloud.Options{Middleware: k.gate}, func(l *lab) {
					l.killed(k, at)
					l.must(l.vantage().CleanUpLeftovers(l.Context(), l.hear))
					l.empty()
					l.runsWell()
				})
			})
		}
	}
}

// killed runs until a request. Its folder remains, as a killed process leaves it.
func (l *lab) killed(k *killer, at int) {
	l.Helper()
	ctx, kill := context.WithCancel(l.Context())
	defer kill()
	k.arm(at, kill)
	_, err := l.vantage().Run(ctx, text("the program"), nil, l.hear)
	if err == nil {
		l.Fatal("a dead process had a report")
	}
	k.arm(0, nil)
}

func TestZone_CancelLeavesNothing(t *testing.T) {
	for _, at := range calls(t, true) {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			var mu sync.Mutex
			count, kill := 0, func() {}
			stop := func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					if !fromMachine(r) {
						count++
					}
					if count == at {
						kill()
					}
					mu.Unlock()
					next.ServeHTTP(w, r)
				})
			}
			inLab(t, simcloud.Options{Middleware: stop}, func(l *lab) {
				// Made in the bubble that it is waited for in: a run may end before its last request, and nothing else may end it.
				ctx, cancel := context.WithCancel(l.Context())
				defer cancel()
				mu.Lock()
				kill = cancel
				if count >= at {
					cancel()
				}
				mu.Unlock()
				if _, err := l.vantage().Run(ctx, text("the program"), nil, l.hear); err != nil && !fault.Is(err, fault.Cancelled) {
					l.Errorf("it ended with %v", err)
				}
				l.empty()
			})
		})
	}
}

func TestZone_RemovesExpiredUnrecorded(t *testing.T) {
	k := &killer{}
	inLab(t, simcloud.Options{Middleware: k.gate}, func(l *lab) {
		l.killed(k, ordering) // its machine exists
		if len(l.left()) < 4 {
			l.Fatalf("only %v is left", l.left())
		}
		l.must(os.RemoveAll(l.dir))
		l.must(l.vantage().CleanUpLeftovers(l.Context(), l.hear))
		if left := l.left(); len(left) != 3 {
			l.Errorf("what may be somebody's run was touched: %v", left)
		}
		l.must(l.net.Clock.Sleep(l.Context(), 61*time.Minute))
		l.must(l.vantage().CleanUpLeftovers(l.Context(), l.hear))
		l.empty()
	})
}

func TestZone_KeepsActiveRun(t *testing.T) {
	inLab(t, simcloud.Options{}, func(l *lab) {
		report, err := l.vantage().Run(l.Context(), text("the program"), []byte(`{"task":1}`), func(text string) {
			if strings.Contains(text, "the machine is running;") {
				l.must(l.vantage().CleanUpLeftovers(l.Context(), l.hear))
				l.must(l.vantageOf(l.dir+"-elsewhere").CleanUpLeftovers(l.Context(), l.hear))
			}
		})
		if err != nil || string(report) != ran {
			l.Errorf("%q came back, and %v", report, err)
		}
	})
}

func TestZone_KeepsLookalikes(t *testing.T) {
	inLab(t, simcloud.Options{}, func(l *lab) {
		cloud, storage := l.client()
		template, err := cloud.FindPublicTemplate(l.Context(), "Linux Ubuntu 24.04 LTS 64-bit")
		l.must(err)
		_, _, err = cloud.EnsureSecurityGroup(l.Context(), state.SecurityGroup{Name: "exoshift-check-mine"})
		l.must(err)
		_, err = storage.EnsureBucket(l.Context(), "exoshift-check-mine")
		l.must(err)
		for name, labels := range map[string]map[string]string{
			"exoshift-check-0123456789abcdef": nil, "exoshift-check-mine": {state.LabelCheck: "mine"},
		} {
			_, _, err = cloud.EnsureInstance(l.Context(), state.Instance{
				Name: name, Type: "standard.micro", TemplateID: template.ID, DiskGiB: 10, Labels: labels,
			})
			l.must(err)
		}
		l.must(l.net.Clock.Sleep(l.Context(), 2*time.Hour))
		l.must(l.vantage().CleanUpLeftovers(l.Context(), l.hear))
		if left := l.left(); len(left) != 4 {
			l.Errorf("%v is left", left)
		}
	})
}

func TestZone_ReportsRunInOtherZone(t *testing.T) {
	k := &killer{}
	inLab(t, simcloud.Options{Middleware: k.gate}, func(l *lab) {
		l.killed(k, ordering)
		folders, err := os.ReadDir(l.dir)
		l.must(err)
		folder, err := state.OpenReadOnly(l.dir + "/" + folders[0].Name())
		l.must(err)
		l.must(folder.Write("run.json", []byte(`{"zone":"de-fra-1"}`)))
		l.must(l.vantage().CleanUpLeftovers(l.Context(), l.hear))
		if text := strings.Join(l.seen, "\n"); !strings.Contains(text, "de-fra-1") || len(l.left()) < 4 {
			l.Errorf("it was told: %s; left is %v", text, l.left())
		}
	})
}

func TestZone_ContinuesWithUndeletableLeftover(t *testing.T) {
	k, way := &killer{}, &door{}
	silent := func(context.Context, network.Network, []byte, []string, io.Reader, io.Writer) int { return 0 }
	inLab(t, simcloud.Options{Program: silent, Middleware: func(next http.Handler) http.Handler { return way.before(k.gate(next)) }}, func(l *lab) {
		l.killed(k, ordering)
		folders, err := os.ReadDir(l.dir)
		l.must(err)
		old := folders[0].Name()
		way.set(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.Method == http.MethodDelete && strings.HasPrefix(r.URL.Path, "/"+"exoshift-check-"+old) {
				http.Error(w, "no", http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
		})
		_, err = l.run()
		l.must(err)
		if text := strings.Join(l.seen, "\n"); !strings.Contains(text, "could not be removed") {
			l.Errorf("it was told: %s", text)
		}
		way.set(nil)
		l.must(l.vantage().CleanUpLeftovers(l.Context(), l.hear))
		l.empty()
	})
}

func TestZone_DeletesLateMachine(t *testing.T) {
	way := &door{}
	inLab(t, simcloud.Options{Middleware: way.before}, func(l *lab) {
		ctx, cancel := context.WithCancel(l.Context())
		defer cancel()
		var late sync.WaitGroup
		way.set(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/v2/instance") {
				next.ServeHTTP(w, r)
				return
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				l.Error(err)
			}
			again := r.Clone(context.WithoutCancel(r.Context()))
			again.Body = io.NopCloser(bytes.NewReader(body))
			late.Go(func() {
				_ = l.net.Clock.Sleep(l.Context(), 5*time.Second)
				next.ServeHTTP(nowhere{http.Header{}}, again)
			})
			cancel()
			panic(http.ErrAbortHandler)
		})
		_, err := l.vantage().Run(ctx, text("the program"), nil, l.hear)
		if !fault.Is(err, fault.Cancelled) {
			l.Errorf("it ended with %v", err)
		}
		late.Wait()
		l.empty()
	})
}
