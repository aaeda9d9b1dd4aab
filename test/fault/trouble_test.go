package fault_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
)

// detour answers for the API as long as it is set.
type detour struct {
	mu    sync.Mutex
	serve func(http.ResponseWriter, *http.Request, http.Handler)
}

func (d *detour) set(serve func(http.ResponseWriter, *http.Request, http.Handler)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.serve = serve
}

func (d *detour) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		d.mu.Lock()
		serve := d.serve
		d.mu.Unlock()
		if serve == nil {
			next.ServeHTTP(answer, request)
			return
		}
		serve(answer, request, next)
	})
}

// inTrouble runs a test on a lab without a cluster, whose API takes a detour.
func inTrouble(t *testing.T, test func(*lab, *detour)) {
	t.Helper()
	dir := fastDir(t)
	synctest.Test(t, func(t *testing.T) {
		strike, way := newStriker("", ""), &detour{}
		l := openLab(t, filepath.Join(dir, "cluster"), simcloud.Options{Middleware: func(next http.Handler) http.Handler {
			return way.before(strike.before(next))
		}}, strike)
		defer l.close()
		l.inside = withoutCluster
		test(l, way)
	})
}

// recovers fails unless the next run finishes, and leaves nothing to change.
func (l *lab) recovers() {
	l.Helper()
	l.must(l.install())
	if pending := l.pending(); len(pending) > 0 {
		l.Errorf("another run would change %+v", pending)
	}
}

// fails demands that a run ends in an error of a step that says all of this and what to do next.
func (l *lab) fails(step string, kind fault.Kind, words ...string) {
	l.Helper()
	err := l.install()
	var failed *provisioner.StepError
	if !errors.As(err, &failed) || failed.Step.ID != step || !fault.Is(failed.Err, kind) {
		l.Fatalf("%v, want step %s to fail with kind %d", err, step, kind)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			l.Errorf("%v: it does not say %q", err, word)
		}
	}
	if fault.HintOf(err) == "" {
		l.Errorf("%v: what to do next?", err)
	}
}

// operations lets the operation of a request end in another way than it does.
func operations(on string, ending string) func(http.ResponseWriter, *http.Request, http.Handler) {
	var mu sync.Mutex
	var changed string
	return func(answer http.ResponseWriter, request *http.Request, next http.Handler) {
		mu.Lock()
		defer mu.Unlock()
		if changed != "" && strings.HasSuffix(request.URL.Path, "/operation/"+changed) {
			answer.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = answer.Write([]byte(strings.ReplaceAll(ending, "ID", changed)))
			return
		}
		if changed != "" || !strings.HasPrefix(request.Method+" "+request.URL.Path, on) {
			next.ServeHTTP(answer, request)
			return
		}
		recorded := httptest.NewRecorder()
		next.ServeHTTP(recorded, request)
		var operation struct{ ID string }
		_ = json.Unmarshal(recorded.Body.Bytes(), &operation)
		changed = operation.ID
		answer.Header().Set("Content-Type", recorded.Header().Get("Content-Type"))
		answer.WriteHeader(recorded.Code)
		_, _ = answer.Write(recorded.Body.Bytes())
	}
}

func TestOperation_NeverEnds(t *testing.T) {
	inTrouble(t, func(l *lab, way *detour) {
		way.set(operations("POST /v2/elastic-ip", `{"id":"ID","state":"pending"}`))
		began := time.Now()
		l.fails("elastic-ips", fault.Timeout, "create elastic-ip c-1_", "has not ended")
		if waited := time.Since(began); waited > 4*time.Hour {
			t.Errorf("it waited %s", waited)
		}
		way.set(nil)
		l.recovers()
		if ips := l.count("elastic-ip "); ips != 2 {
			t.Errorf("%d elastic IPs", ips)
		}
	})
}

func TestOperation_FailureReason(t *testing.T) {
	for reason, kind := range map[string]fault.Kind{"conflict": fault.Conflict, "forbidden": fault.Denied, "unavailable": fault.Transient} {
		t.Run(reason, func(t *testing.T) {
			inTrouble(t, func(l *lab, way *detour) {
				way.set(operations("POST /v2/dns-domain", `{"id":"ID","state":"failure","reason":"`+reason+`","message":"the name servers are on strike"}`))
				l.fails("dns-zone", kind, "create dns-zone c-1.example.net", reason, "the name servers are on strike")
				way.set(nil)
				l.recovers()
			})
		})
	}
}

func TestInstance_CreationFailureReason(t *testing.T) {
	inTrouble(t, func(l *lab, way *detour) {
		way.set(func(answer http.ResponseWriter, request *http.Request, next http.Handler) {
			if request.Method == http.MethodPost && strings.HasSuffix(request.URL.Path, "/v2/instance") {
				answer.Header().Set("Content-Type", "application/json")
				answer.WriteHeader(http.StatusServiceUnavailable)
				_, _ = answer.Write([]byte(`{"message":"no hypervisor has room"}`))
				return
			}
			next.ServeHTTP(answer, request)
		})
		l.fails("load-balancers", fault.Transient, "create instance lb-", "no hypervisor has room")
		way.set(nil)
		l.recovers()
	})
}

func TestInstance_NeverBootsIsReplaced(t *testing.T) {
	long(t)
	dir := fastDir(t)
	synctest.Test(t, func(t *testing.T) {
		l := openWholeLab(t, dir, "master-never-joins", newStriker("", ""))
		defer l.close()
		err := l.install()
		if err == nil || !strings.Contains(err.Error(), "etcd has 3 of 4 members") || !strings.Contains(fault.HintOf(err), "delete it and run the same command again") {
			t.Fatalf("%v; %s", err, fault.HintOf(err))
		}
		l.deleteMachine("master-2")
		l.recovers()
		if names := l.count("dns-record etcd-2 "); names != 1 {
			t.Errorf("etcd-2 has %d addresses", names)
		}
	})
}

// deleteMachine does what the hint says.
func (l *lab) deleteMachine(name string) {
	l.Helper()
	p := l.start()
	defer p.end()
	machines, err := p.cloud.ListInstances(p.ctx, map[string]string{"exoshift-cluster": l.spec.Cluster.ID})
	l.must(err)
	for _, machine := range machines {
		if machine.Name == name {
			_, err := p.cloud.DeleteInstance(p.ctx, machine.ID)
			l.must(err)
		}
	}
}

// count tells how many objects a rerun finds whose kind and name begin like this.
func (l *lab) count(prefix string) int {
	l.Helper()
	n := 0
	for _, line := range l.found() {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

func TestDelegation_LateIsAwaited(t *testing.T) {
	dir := fastDir(t)
	synctest.Test(t, func(t *testing.T) {
		l := openLab(t, filepath.Join(dir, "cluster"), simcloud.Options{Scenario: "late-dns"}, newStriker("", ""))
		defer l.close()
		l.inside = withoutCluster
		began := time.Now()
		l.recovers()
		if waited := time.Since(began); waited < 20*time.Minute {
			t.Errorf("it took %s, less than the delegation", waited)
		}
	})
}

func TestFolder_RefusesSecondProcess(t *testing.T) {
	dir := fastDir(t)
	folder, err := state.Create(filepath.Join(dir, "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := folder.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	var held *state.LockedError
	if _, err := folder.Lock(t.Context()); !errors.As(err, &held) {
		t.Errorf("%v, want it to be refused", err)
	}
}
