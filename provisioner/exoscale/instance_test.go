package exoscale_test

import (
	"bytes"
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

func TestEnsureInstance_RunsWithAddress(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		groupID, _, err := w.EnsureSecurityGroup(ctx, group("nodes"))
		w.check(err)
		apart, _, err := w.EnsureAntiAffinityGroup(ctx, "lb", "")
		w.check(err)
		wanted := w.machine(ctx, "lb-0")
		wanted.SecurityGroups, wanted.AntiAffinityGroups = []string{groupID}, []string{apart}
		made, action, err := w.EnsureInstance(ctx, wanted)
		w.wantAction(action, err, state.Created)
		if _, err := netip.ParseAddr(made.Address); err != nil || made.ID == "" || made.State != "running" {
			w.t.Errorf("%+v", made)
		}
		listed, err := w.ListInstances(ctx, map[string]string{"exoshift-cluster": cluster})
		w.check(err)
		want := made
		want.DiskGiB, want.UserData, want.AntiAffinityGroups = 0, nil, nil // not part of a list
		if diff := cmp.Diff([]state.Instance{want}, listed); diff != "" {
			w.t.Error(diff)
		}
		described, err := w.DescribeInstances(ctx, map[string]string{"exoshift-cluster": cluster})
		w.check(err)
		if diff := cmp.Diff([]state.Instance{made}, described); diff != "" {
			w.t.Errorf("described: %s", diff)
		}
	})
}

func TestDescribeInstances_OmitsDeleted(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, err := w.ensureAll(ctx, w.machines(ctx, 3))
		w.check(err)
		listed, err := w.ListInstances(ctx, nil)
		w.check(err)
		w.InjectFaults(site.Fault{Match: "GET /v2/instance/" + listed[1].ID, Respond: matchPattern(404, `{"message":"Not Found"}`)})
		described, err := w.DescribeInstances(ctx, nil)
		w.check(err)
		if len(described) != 2 || described[0].ID != listed[0].ID || described[1].ID != listed[2].ID || described[0].DiskGiB == 0 {
			w.t.Errorf("%+v", described)
		}
	})
}

func TestEnsureInstance_WaitsForStart(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machine(ctx, "lb-0")
		_, _, err := w.EnsureInstance(w.killedAt(ctx, "POST /v2/instance", true), wanted)
		w.wantFault(err, fault.Cancelled)
		began := time.Now()
		made, action, err := w.EnsureInstance(ctx, wanted)
		w.wantAction(action, err, state.Adopted)
		if made.State != "running" || time.Since(began) < 5*time.Second {
			w.t.Errorf("%s after %s", made.State, time.Since(began))
		}
	})
}

func TestEnsureInstance_IgnoresOtherCluster(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		theirs := w.machine(ctx, "lb-0")
		theirs.Labels = map[string]string{"exoshift-cluster": "another"}
		their, _, err := w.EnsureInstance(ctx, theirs)
		w.check(err)
		our, action, err := w.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
		w.wantAction(action, err, state.Created)
		if our.ID == their.ID {
			w.t.Error("took their machine")
		}
		listed, err := w.ListInstances(ctx, map[string]string{"exoshift-cluster": cluster, "exoshift-role": "lb"})
		w.check(err)
		if len(listed) != 1 || listed[0].ID != our.ID {
			w.t.Errorf("%+v", listed)
		}
	})
}

func TestEnsureInstance_ReplacesDestroying(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.machine(ctx, "lb-0")
		w.InjectFaults(site.Fault{Match: "GET /v2/instance", Respond: matchPattern(200, `{"instances":[{"id":"7","name":"lb-0","state":"destroying",
			"labels":{"exoshift-cluster":"`+cluster+`"},"instance-type":{"id":"1"},"template":{"id":"2"}}]}`)})
		made, action, err := w.EnsureInstance(ctx, wanted)
		w.wantAction(action, err, state.Created)
		if made.ID == "7" {
			w.t.Error("took the one that vanishes")
		}
	})
}

func TestDeleteInstance_IsIdempotent(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		made, _, err := w.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
		w.check(err)
		action, err := w.DeleteInstance(ctx, made.ID)
		w.wantAction(action, err, state.Deleted)
		w.unchanged(func() {
			action, err := w.DeleteInstance(ctx, made.ID)
			w.wantAction(action, err, state.Found)
		})
		listed, err := w.ListInstances(ctx, nil)
		w.check(err)
		if len(listed) > 0 {
			w.t.Errorf("still there: %+v", listed)
		}
	})
}

func TestDeleteInstance_SurvivesLostAnswer(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		made, _, err := w.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
		w.check(err)
		w.InjectFaults(site.Fault{Match: "DELETE /v2/instance", ServeFirst: true})
		action, err := w.DeleteInstance(ctx, made.ID)
		w.wantAction(action, err, state.Deleted)
	})
}

func TestEnsureInstance_KeepsStoppedInstance(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		made, _, err := w.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
		w.check(err)
		stopped := site.Fault{Match: "GET /v2/instance", Respond: matchPattern(200, `{"instances":[{"id":"`+made.ID+`","name":"lb-0","state":"stopped",
			"labels":{"exoshift-cluster":"`+cluster+`"},"instance-type":{"id":"1"},"template":{"id":"2"}}]}`)}
		w.InjectFaults(stopped, stopped)
		_, _, err = w.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
		w.wantFault(err, fault.Conflict, "stopped", "start or delete", made.ID)
	})
}

func TestEnsureInstance_RefusesInvalid(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.unchanged(func() {
			large := w.machine(ctx, "lb-0")
			large.UserData = bytes.Repeat([]byte("x"), 24577)
			_, _, err := w.EnsureInstance(ctx, large)
			w.wantFault(err, fault.Invalid, "32772 characters", "32768")
			unknown := w.machine(ctx, "lb-0")
			unknown.Type = "standard.enormous"
			_, _, err = w.EnsureInstance(ctx, unknown)
			w.wantFault(err, fault.Invalid, "standard.enormous", zone)
		})
	})
}
