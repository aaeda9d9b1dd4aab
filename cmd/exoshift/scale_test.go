package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/rehearsal"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

// Variables by which `make bench` passes the size to the process, and the path of its account.
const (
	scaleWorkers = "EXOSHIFT_SCALE_WORKERS"
	scaleAccount = "EXOSHIFT_SCALE_ACCOUNT"
)

type account struct {
	Workers   int
	Wall      time.Duration `json:"-"` // of the whole process, as its CPU and its resident memory in bytes
	CPU       time.Duration `json:"-"`
	Memory    float64       `json:"-"`
	Virtual   time.Duration
	Client    time.Duration // CPU of the engine and the adapters
	Mutations int
	Reads     int // requests to the API of the zone, by the client
	Busiest   int // reads in the busiest minute
}

// TestInstall_OfSize is the process that BenchmarkScale measures.
func TestInstall_OfSize(t *testing.T) {
	workers, err := strconv.Atoi(os.Getenv(scaleWorkers))
	if err != nil {
		t.Skip("make bench says how many workers")
	}
	rehearsal.SaveMemory() // as a rehearsal does
	reads := &readings{minutes: map[time.Time]int{}}
	result := account{Workers: workers}
	many := circumstances{
		spec: func(spec *state.Spec) {
			spec.Sizing.Workers.Count = workers
			spec.Network.PodCIDR = "10.128.0.0/12" // the usual network has room for 512 nodes
		},
		quotas:     map[string]int{"instance": 40 + workers},
		middleware: reads.count,
	}
	clientTime := startProfile(t) // its goroutine uses the wall clock, therefore it starts outside
	virtuallyIn(t, many, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		began := time.Now()
		pprof.Do(t.Context(), pprof.Labels(sideLabel, "client"), func(ctx context.Context) {
			if err := installWith(ctx, s, cli.Streams{Out: io.Discard, Err: os.Stderr}); err != nil {
				t.Fatal(err)
			}
		})
		result.Virtual, result.Mutations = time.Since(began), zone.Mutations()
	})
	result.Client = clientTime()
	result.Reads, result.Busiest = reads.all, reads.busiest()
	content, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", content)
	if path := os.Getenv(scaleAccount); path != "" {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

type readings struct {
	mu      sync.Mutex
	all     int
	minutes map[time.Time]int
}

func (r *readings) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.Method == http.MethodGet && strings.HasPrefix(request.Header.Get("Authorization"), "EXO2-") {
			r.mu.Lock()
			r.all++
			r.minutes[time.Now().Truncate(time.Minute)]++
			r.mu.Unlock()
		}
		next.ServeHTTP(w, request)
	})
}

func (r *readings) busiest() int {
	most := 0
	for _, reads := range r.minutes {
		most = max(most, reads)
	}
	return most
}

// sideLabel marks the samples of the client. A goroutine inherits its labels from the one that started it, so those of the
// zone have none.
const sideLabel = "side"

// startProfile returns a function that ends the profile and returns the CPU time of the client outside of the simulation.
func startProfile(t *testing.T) (end func() time.Duration) {
	t.Helper()
	var samples bytes.Buffer
	if err := pprof.StartCPUProfile(&samples); err != nil {
		t.Fatal(err)
	}
	return func() time.Duration {
		pprof.StopCPUProfile()
		read, err := profile.Parse(&samples)
		if err != nil {
			t.Fatal(err)
		}
		var took time.Duration
		for _, sample := range read.Sample {
			if len(sample.Label[sideLabel]) > 0 && !simulated(sample) {
				took += time.Duration(sample.Value[1])
			}
		}
		return took
	}
}

// simulated reports whether a sample is of the network in memory, in which the client's goroutines transfer packets, or of the
// garbage collector, which they assist with the zone's memory.
func simulated(sample *profile.Sample) bool {
	return slices.ContainsFunc(sample.Location, func(l *profile.Location) bool {
		return slices.ContainsFunc(l.Line, func(l profile.Line) bool {
			name := l.Function.Name
			return strings.HasPrefix(name, "exoshift/internal/simcloud") || strings.HasPrefix(name, "runtime.gcAssistAlloc")
		})
	})
}
