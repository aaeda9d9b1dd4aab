package exoscale_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

type roll struct {
	names   []string
	actions map[string]state.Action
	made    map[string]state.Instance
	talking atomic.Bool
}

func (w *world) ensureAll(ctx context.Context, wanted []state.Instance) (*roll, error) {
	r := &roll{actions: map[string]state.Action{}, made: map[string]state.Instance{}}
	err := w.EnsureInstances(ctx, wanted, state.InstanceObserver{Running: func(made state.Instance, action state.Action) {
		if r.talking.Swap(true) {
			w.t.Error("told of two machines at once")
		}
		defer r.talking.Store(false)
		r.names = append(r.names, made.Name)
		r.actions[made.Name], r.made[made.Name] = action, made
	}})
	return r, err
}

func (w *world) machines(ctx context.Context, n int) []state.Instance {
	one := w.machine(ctx, "")
	list := make([]state.Instance, n)
	for i := range list {
		list[i] = one
		list[i].Name = fmt.Sprintf("worker-%d", i)
	}
	return list
}

func (r *roll) want(t *testing.T, n int, action state.Action) {
	t.Helper()
	if len(r.names) != n || len(r.actions) != n {
		t.Fatalf("told of %d machines, %d times, instead of %d", len(r.actions), len(r.names), n)
	}
	for name, got := range r.actions {
		if got != action || r.made[name].Address == "" || r.made[name].ID == "" || r.made[name].State != "running" {
			t.Fatalf("%s was %s: %+v", name, got, r.made[name])
		}
	}
}

func TestEnsureInstances_ReportsEachOnce(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 40)
		first, err := w.ensureAll(ctx, wanted)
		w.check(err)
		first.want(w.t, 40, state.Created)
		if posts := w.count("POST /v2/instance"); posts != 40 {
			w.t.Errorf("%d creates", posts)
		}
		if reads := w.count("GET /v2/instance") - w.count("GET /v2/instance-type") + w.count("GET /v2/operation"); reads > 12 {
			w.t.Errorf("%d reads for 40 machines: %v", reads, w.Requests())
		}
		if len(w.journal.open) > 0 {
			w.t.Errorf("the journal misses results: %v", w.journal.open)
		}
		w.unchanged(func() {
			second, err := w.ensureAll(ctx, wanted)
			w.check(err)
			second.want(w.t, 40, state.Found)
		})
	})
}

func TestEnsureInstances_FiveAtATime(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 30)
		var now, most atomic.Int32
		w.InjectFaults(slices.Repeat([]site.Fault{{Match: "POST /v2/instance", ServeFirst: false, Respond: func(answer http.ResponseWriter, _ *http.Request) {
			most.Store(max(most.Load(), now.Add(1)))
			_ = w.net.Clock.Sleep(ctx, time.Second)
			now.Add(-1)
			matchPattern(200, `{"id":"op-1","state":"pending","reference":{"id":"none"}}`)(answer, nil)
		}}}, 30)...)
		w.InjectFaults(site.Fault{Match: "GET /v2/operation/op-1", Respond: matchPattern(200, `{"id":"op-1","state":"failure","reason":"unknown","message":"enough"}`)})
		_, err := w.ensureAll(ctx, wanted)
		w.wantFault(err, fault.Internal, "enough")
		if most.Load() != 5 {
			w.t.Errorf("%d at a time", most.Load())
		}
	})
}

func TestEnsureInstances_ReportsOnRunning(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 2)
		_, err := w.ensureAll(ctx, wanted[:1])
		w.check(err)
		began := time.Now()
		w.check(w.EnsureInstances(ctx, wanted, state.InstanceObserver{Running: func(made state.Instance, _ state.Action) {
			if took := time.Since(began); made.Name == "worker-0" && took > time.Second {
				w.t.Errorf("told of a running machine after %s", took)
			}
		}}))
	})
}

func TestEnsureInstances_AdoptsAfterLostAnswer(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 12)
		never := site.Fault{Match: "POST /v2/instance", Respond: matchPattern(502, "")}
		w.InjectFaults(site.Fault{Match: "POST /v2/instance", ServeFirst: true}, never)
		all, err := w.ensureAll(ctx, wanted)
		w.check(err)
		adopted := 0
		for _, action := range all.actions {
			if action == state.Adopted {
				adopted++
			}
		}
		if len(all.names) != 12 || adopted != 1 || w.count("POST /v2/instance") != 13 {
			w.t.Errorf("%d adopted, %v, %d creates", adopted, all.actions, w.count("POST /v2/instance"))
		}
	})
}

func TestEnsureInstances_StopsAtQuota(t *testing.T) {
	inWorldOf(t, api.Config{Key: key, Secret: secret, Quotas: map[string]int{"instance": 7}}, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 40)
		began := time.Now()
		_, err := w.ensureAll(ctx, wanted)
		w.wantFault(err, fault.Quota, "create instance worker-", "limit")
		if posts := w.count("POST /v2/instance"); posts > 12 || time.Since(began) > 5*time.Second {
			w.t.Errorf("%d creates, %s", posts, time.Since(began))
		}
	})
}

func TestEnsureInstances_StopsAfterFailure(t *testing.T) {
	inWorldOf(t, api.Config{Key: key, Secret: secret, Latency: time.Second}, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 30)
		w.InjectFaults(site.Fault{Match: "POST /v2/instance", Respond: matchPattern(400, `{"message":"not this one"}`)})
		_, err := w.ensureAll(ctx, wanted)
		w.wantFault(err, fault.Invalid, "create instance worker-", "not this one")
		if posts := w.count("POST /v2/instance"); posts > 10 {
			w.t.Errorf("%d creates", posts)
		}
		if len(w.journal.open) > 0 {
			w.t.Errorf("the journal misses results: %v", w.journal.open)
		}
	})
}

// lost simulates an instance whose creation is accepted and never succeeds; its operation has the reason.
func (w *world) lost(operation string, times int) {
	w.InjectFaults(site.Fault{Match: "POST /v2/instance", Respond: matchPattern(200, `{"id":"op-77","state":"pending","reference":{"id":"dead"}}`)})
	w.InjectFaults(slices.Repeat([]site.Fault{{Match: "GET /v2/operation/op-77", Respond: matchPattern(200, operation)}}, times)...)
}

func TestEnsureInstances_FailedCreationReason(t *testing.T) {
	const failure = `{"id":"op-77","state":"failure","reason":"unavailable","message":"No hypervisor has room for the instance"}`
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 1)
		w.lost(failure, 2)
		began := time.Now()
		_, err := w.ensureAll(ctx, wanted)
		w.wantFault(err, fault.Transient, "create instance worker-0", "unavailable", "No hypervisor has room")
		if took := time.Since(began); took > 20*time.Second {
			w.t.Errorf("told after %s", took)
		}
		if asked := w.count("GET /v2/operation"); asked != 1 {
			w.t.Errorf("the operation was asked for %d times", asked)
		}
	})
}

func TestEnsureInstances_ErrorStateReason(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 1)
		w.lost(`{"id":"op-77","state":"failure","reason":"fault","message":"The host died"}`, 1)
		go func() {
			_ = w.net.Clock.Sleep(ctx, time.Second)
			w.InjectFaults(site.Fault{Match: "GET /v2/instance", Respond: matchPattern(200, `{"instances":[{"id":"dead","name":"worker-0","state":"error",
				"labels":{"exoshift-cluster":"`+cluster+`"},"instance-type":{"id":"1"},"template":{"id":"2"}}]}`)})
		}()
		began := time.Now()
		_, err := w.ensureAll(ctx, wanted)
		w.wantFault(err, fault.Internal, "create instance worker-0", "The host died")
		if took := time.Since(began); took > 4*time.Second {
			w.t.Errorf("told after %s", took)
		}
	})
}

func TestEnsureInstances_TimeoutWithFewRequests(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 1)
		w.lost(`{"id":"op-77","state":"pending"}`, 20)
		began := time.Now()
		_, err := w.ensureAll(ctx, wanted)
		w.wantFault(err, fault.Timeout, "wait for instance worker-0", "absent after 30m", "run again")
		if took, asked := time.Since(began), w.count("GET /v2/operation"); took > 31*time.Minute || asked > 10 {
			w.t.Errorf("%d questions in %s", asked, took)
		}
	})
}

func TestEnsureInstances_ReportsVanished(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 1)
		w.lost(`{"id":"op-77","state":"success"}`, 1)
		_, err := w.ensureAll(ctx, wanted)
		w.wantFault(err, fault.Transient, "disappeared", "event log")
	})
}

func TestEnsureInstances_GetsOmittedByID(t *testing.T) {
	for name, omitted := range map[string]time.Duration{"for a minute": time.Minute, "for ever": time.Hour} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				wanted := w.machines(ctx, 3)
				began := time.Now()
				w.omits = func(name string) bool { return name == "worker-1" && time.Since(began) < omitted }
				made, err := w.ensureAll(ctx, wanted)
				w.check(err)
				made.want(w.t, 3, state.Created)
				if one := made.made["worker-1"]; one.Address == "" || one.State != "running" {
					w.t.Errorf("told as %+v", one)
				}
				if asked := w.count("GET /v2/instance/"); asked == 0 || asked > 5 {
					w.t.Errorf("asked by ID %d times", asked)
				}
			})
		})
	}
}

func TestEnsureInstances_RefusesDuplicateNames(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 2)
		wanted[1].Name = wanted[0].Name
		w.unchanged(func() {
			_, err := w.ensureAll(ctx, wanted)
			w.wantFault(err, fault.Invalid, "worker-0", "twice", "unique name")
		})
	})
}

func TestEnsureInstances_CancelLeavesNothing(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 8)
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		_, err := w.ensureAll(ctx, wanted)
		w.wantFault(err, fault.Timeout, "wait for instances")
	})
}

func TestEnsureInstances_AddsProtectionOnce(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 3)
		wanted[1].Protected = true
		first, err := w.ensureAll(ctx, wanted)
		w.check(err)
		first.want(w.t, 3, state.Created)
		protections := func() (n int) {
			for _, request := range w.Requests() {
				if strings.HasSuffix(request, ":add-protection") {
					n++
				}
			}
			return n
		}
		if protections() != 1 {
			w.t.Errorf("%d protections", protections())
		}
		live, err := w.ListInstances(ctx, nil)
		w.check(err)
		for _, one := range live {
			if one.Protected != (one.Name == "worker-1") || one.Labels["exoshift-role"] != "lb" {
				w.t.Errorf("%+v", one)
			}
		}
		w.unchanged(func() {
			again, err := w.ensureAll(ctx, wanted)
			w.check(err)
			again.want(w.t, 3, state.Found)
		})
		wanted[2].Protected = true
		third, err := w.ensureAll(ctx, wanted)
		w.check(err)
		if third.actions["worker-2"] != state.Updated || third.actions["worker-1"] != state.Found || protections() != 2 {
			w.t.Errorf("%v, %d protections", third.actions, protections())
		}
	})
}

func TestProtection_IsLiftedAndRemembered(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machines(ctx, 2)
		wanted[0].Protected, wanted[1].Protected = true, true
		_, err := w.ensureAll(ctx, wanted)
		w.check(err)
		wanted[1].Protected = false
		second, err := w.ensureAll(ctx, wanted)
		w.check(err)
		if second.actions["worker-0"] != state.Found || second.actions["worker-1"] != state.Updated {
			w.t.Errorf("%v", second.actions)
		}
		live, err := w.ListInstances(ctx, nil)
		w.check(err)
		for _, one := range live {
			if one.Protected != (one.Name == "worker-0") || one.Labels["exoshift-role"] != "lb" {
				w.t.Errorf("%+v", one)
			}
			before := w.count("PUT /v2/instance")
			_, err := w.DeleteInstance(ctx, one.ID)
			w.check(err)
			if unprotected := w.count("PUT /v2/instance") > before; unprotected != one.Protected {
				w.t.Errorf("%s had to be unprotected first: %t", one.Name, unprotected)
			}
		}
		w.unchanged(func() {
			again, err := w.previewed().ensureAll(ctx, wanted)
			w.check(err)
			if again.actions["worker-0"] != state.Created || again.actions["worker-1"] != state.Created {
				w.t.Errorf("%v", again.actions)
			}
		})
	})
}

func TestEnsureInstance_DeployTarget(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		id, err := w.FindDeployTarget(ctx, "dedicated-1")
		w.check(err)
		same, err := w.FindDeployTarget(ctx, id)
		w.check(err)
		if same != id || id == "" {
			w.t.Errorf("%q, %q", id, same)
		}
		wanted := w.machine(ctx, "lb-0")
		wanted.DeployTarget = id
		made, _, err := w.EnsureInstance(ctx, wanted)
		w.check(err)
		if made.DeployTarget != id {
			w.t.Errorf("%+v", made)
		}
		_, err = w.FindDeployTarget(ctx, "dedicated-9")
		w.wantFault(err, fault.NotFound, "dedicated-9", "dedicated-1", "edge-1")
		w.InjectFaults(site.Fault{Match: "GET /v2/deploy-target", Respond: matchPattern(200, `{"deploy-targets":[]}`)})
		_, err = w.FindDeployTarget(ctx, "dedicated-1")
		w.wantFault(err, fault.NotFound, "remove exoscale.deployTarget,")
		wanted.Name, wanted.DeployTarget = "lb-1", "00000000-0000-0000-0000-000000000000"
		_, _, err = w.EnsureInstance(ctx, wanted)
		w.wantFault(err, fault.NotFound, "create instance lb-1", zone)
	})
}
