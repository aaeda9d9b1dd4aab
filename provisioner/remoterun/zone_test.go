package remoterun_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/remoterun"
	"exoshift/state"
)

// ran is the output of a successful run.
const ran = `the program probe it's {"task":1}`

func (l *lab) run() (string, error) {
	report, err := l.vantage().Run(l.Context(), text("the program"), []byte(`{"task":1}`), l.hear)
	return string(report), err
}

func (l *lab) runsWell() {
	l.Helper()
	report, err := l.run()
	l.must(err)
	if report != ran {
		l.Errorf("%q came back, want %q", report, ran)
	}
}

func TestZone_RunLeavesNothing(t *testing.T) {
	inLab(t, simcloud.Options{}, func(l *lab) {
		l.runsWell()
		if text := strings.Join(l.seen, "\n"); !strings.Contains(text, "standard.micro") || !strings.Contains(text, "checks the network") {
			l.Errorf("it was told: %s", text)
		}
		l.empty()
	})
}

func TestZone_MachineHasNodeGroups(t *testing.T) {
	for _, exist := range []bool{true, false} {
		inLab(t, simcloud.Options{}, func(l *lab) {
			cloud, _ := l.client()
			var want []string
			for _, group := range groups() {
				if exist {
					id, _, err := cloud.EnsureSecurityGroup(l.Context(), group)
					l.must(err)
					want = append(want, id)
				}
			}
			var got []string
			report, err := l.vantage().Run(l.Context(), text("the program"), []byte(`{"task":1}`), func(text string) {
				if strings.Contains(text, "the machine is running;") {
					machines, err := cloud.ListInstances(l.Context(), nil)
					l.must(err)
					got = machines[0].SecurityGroups
				}
				if !exist && len(got) == 1 {
					missing, err := cloud.ListMissingRules(l.Context(), l.like(cloud.ListObjectsByKind(l.Context(), state.KindSecurityGroup)))
					if err != nil || len(missing) > 0 {
						l.Errorf("the group of its own lacks %v, %v", missing, err)
					}
				}
			})
			l.must(err)
			if string(report) != ran || exist && !slices.Equal(got, want) || !exist && len(got) != 1 {
				l.Errorf("%q came back; it was in %v, want %v", report, got, want)
			}
			l.empty()
		})
	}
}

// like returns the group of a run with the rules of a node, as the run's own.
func (l *lab) like(all []state.Object, err error) state.SecurityGroup {
	l.must(err)
	i := slices.IndexFunc(all, func(o state.Object) bool { return strings.HasPrefix(o.Name, "exoshift-check-") })
	own := state.SecurityGroup{Name: all[i].Name}
	for _, group := range groups() {
		for _, rule := range group.Rules {
			if rule.Group != "" {
				rule.Group = own.Name
			}
			own.Rules = append(own.Rules, rule)
		}
	}
	return own
}

func TestZone_RefusesAlteredProgram(t *testing.T) {
	way := &door{}
	inLab(t, simcloud.Options{Middleware: way.before}, func(l *lab) {
		way.set(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/program.gz") && r.URL.RawQuery != "" {
				_, _ = w.Write(packed("another program"))
				return
			}
			next.ServeHTTP(w, r)
		})
		_, err := l.run()
		l.fails(err, fault.Conflict, "differs from the uploaded", "sos-"+region)
		if l.runs != 0 {
			l.Error("it was run")
		}
		l.empty()
	})
}

func packed(content string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(content))
	_ = w.Close()
	return b.Bytes()
}

// fromMachine reports whether a request is from a machine of the zone.
func fromMachine(r *http.Request) bool { return strings.HasPrefix(r.RemoteAddr, "198.18.") }

func TestZone_StorageUnreachableIsFinding(t *testing.T) {
	way := &door{}
	inLab(t, simcloud.Options{Middleware: way.before}, func(l *lab) {
		way.set(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if fromMachine(r) {
				panic(http.ErrAbortHandler)
			}
			next.ServeHTTP(w, r)
		})
		began := time.Now()
		_, err := l.run()
		l.fails(err, fault.Timeout, "did not reach the object storage", "https://sos-"+region+".exo.io")
		if took := time.Since(began); took > 4*time.Minute {
			l.Errorf("it took %s, although the machine switches itself off", took)
		}
		if !errors.Is(err, remoterun.ErrNoContact) {
			l.Errorf("%v is not ErrSilent", err)
		}
		l.empty()
	})
}

func TestZone_MachineFailureIsReported(t *testing.T) {
	for name, test := range map[string]struct {
		method, object string
		kind           fault.Kind
		says           string
	}{
		"program": {http.MethodGet, "/program.gz", fault.Transient, "could not download"},
		"task":    {http.MethodGet, "/task", fault.Transient, "could not download"},
		"report":  {http.MethodPut, "/report", fault.Transient, "could not upload"},
	} {
		t.Run(name, func(t *testing.T) {
			way := &door{}
			inLab(t, simcloud.Options{Middleware: way.before}, func(l *lab) {
				way.set(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					if fromMachine(r) && r.Method == test.method && strings.HasSuffix(r.URL.Path, test.object) {
						http.Error(w, "no", http.StatusForbidden)
						return
					}
					next.ServeHTTP(w, r)
				})
				_, err := l.run()
				l.fails(err, test.kind, test.says)
				l.empty()
			})
		})
	}
}

func TestZone_ReportsExitCode(t *testing.T) {
	broken := func(context.Context, network.Network, []byte, []string, io.Reader, io.Writer) int { return 3 }
	inLab(t, simcloud.Options{Program: broken}, func(l *lab) {
		_, err := l.run()
		l.fails(err, fault.Internal, "its exit status was 3")
		l.empty()
	})
}

func TestZone_EndsHangingProgram(t *testing.T) {
	endless := func(ctx context.Context, _ network.Network, _ []byte, _ []string, _ io.Reader, _ io.Writer) int {
		<-ctx.Done()
		return 1
	}
	inLab(t, simcloud.Options{Program: endless}, func(l *lab) {
		_, err := l.run()
		l.fails(err, fault.Internal, "its exit status was 124")
		l.empty()
	})
}

func TestZone_DeletedMachineEndsWait(t *testing.T) {
	endless := func(ctx context.Context, _ network.Network, _ []byte, _ []string, _ io.Reader, _ io.Writer) int {
		<-ctx.Done()
		return 1
	}
	inLab(t, simcloud.Options{Program: endless}, func(l *lab) {
		cloud, _ := l.client()
		began := time.Now()
		_, err := l.vantage().Run(l.Context(), text("the program"), nil, func(text string) {
			if strings.Contains(text, "checks the network") {
				machines, err := cloud.ListInstances(l.Context(), nil)
				l.must(err)
				_, err = cloud.DeleteInstance(l.Context(), machines[0].ID)
				l.must(err)
			}
		})
		l.fails(err, fault.Transient, "stopped or deleted")
		if took := time.Since(began); took > 4*time.Minute {
			l.Errorf("it took %s", took)
		}
		l.empty()
	})
}

func TestZone_QuotaExceededHint(t *testing.T) {
	for _, resource := range []string{"instance", "bucket"} {
		inLab(t, simcloud.Options{Quotas: map[string]int{resource: 0}}, func(l *lab) {
			_, err := l.run()
			l.fails(err, fault.Quota, "uota")
			l.empty()
		})
	}
}

func TestZone_RefusesWithoutJournal(t *testing.T) {
	inLab(t, simcloud.Options{}, func(l *lab) {
		l.must(os.WriteFile(l.dir, nil, 0o600)) // at the path of the folder
		before := l.zone.Mutations()
		_, err := l.run()
		if err == nil || l.zone.Mutations() != before {
			l.Errorf("%v, and %d changes", err, l.zone.Mutations()-before)
		}
	})
}

func TestZone_ConcurrentRuns(t *testing.T) {
	inLab(t, simcloud.Options{}, func(l *lab) {
		var both sync.WaitGroup
		for _, dir := range []string{l.dir, l.dir, l.dir + "-elsewhere"} {
			both.Go(func() {
				report, err := l.vantageOf(dir).Run(l.Context(), text("the program"), []byte(`{"task":1}`), l.hear)
				if err != nil || string(report) != ran {
					l.Errorf("%q came back, and %v", report, err)
				}
			})
		}
		both.Wait()
		if l.runs != 3 {
			l.Errorf("the program ran %d times", l.runs)
		}
		l.empty()
	})
}

func TestZone_PanicLeavesNothing(t *testing.T) {
	inLab(t, simcloud.Options{}, func(l *lab) {
		func() {
			defer func() {
				if recover() == nil {
					l.Error("it did not panic")
				}
			}()
			_, _ = l.vantage().Run(l.Context(), text("the program"), nil, func(text string) {
				if strings.Contains(text, "the machine is running;") {
					panic("a defect")
				}
			})
		}()
		l.empty()
	})
}

func TestZone_DeletesTaskWhileRunning(t *testing.T) {
	var l *lab
	waits := func(ctx context.Context, _ network.Network, _ []byte, _ []string, _ io.Reader, out io.Writer) int {
		if err := l.net.Clock.Sleep(ctx, 10*time.Second); err != nil {
			return 1
		}
		_, storage := l.client()
		dates, err := storage.ListBucketDates(ctx)
		for bucket := range dates {
			_, err = storage.GetObject(ctx, bucket, "task", 100)
		}
		if fault.Is(err, fault.NotFound) {
			_, _ = io.WriteString(out, "gone")
		}
		return 0
	}
	inLab(t, simcloud.Options{Program: waits}, func(inside *lab) {
		l = inside
		if report, err := l.run(); err != nil || report != "gone" {
			l.Errorf("%q came back, and %v", report, err)
		}
	})
}

func TestEstimate_MachinePriceUpload(t *testing.T) {
	inLab(t, simcloud.Options{}, func(l *lab) {
		before := l.zone.Mutations()
		terms, err := l.vantage().Estimate(l.Context(), text("the program"))
		l.must(err)
		for _, word := range []string{"standard.micro", region, "5 minutes", "less than 1 MB", "0.01"} {
			if !strings.Contains(terms.String(), word) {
				l.Errorf("%q does not say %q", terms, word)
			}
		}
		if l.zone.Mutations() != before {
			l.Error("it changed something")
		}
	})
}
