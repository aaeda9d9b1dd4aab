package exoscale_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/state"
)

func TestEnsureElasticIP_CreatesAsRequested(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		made, action, err := w.EnsureElasticIP(ctx, elasticIP())
		w.wantAction(action, err, state.Created)
		if made.ID == "" || made.Address == "" {
			w.t.Errorf("%+v", made)
		}
		ips := w.elasticIPs(ctx)
		want := made
		want.ReverseDNS = ""
		want.Labels = map[string]string{"exoshift-cluster": cluster, "exoshift-name": made.Name}
		if diff := cmp.Diff([]state.ElasticIP{want}, ips); diff != "" {
			w.t.Error(diff)
		}
	})
}

func TestEnsureElasticIP_IgnoresOtherCluster(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		theirs := elasticIP()
		theirs.Labels = map[string]string{"exoshift-cluster": "another"}
		_, _, err := w.EnsureElasticIP(ctx, theirs)
		w.check(err)
		_, action, err := w.EnsureElasticIP(ctx, elasticIP())
		w.wantAction(action, err, state.Created)
	})
}

func TestEnsureElasticIP_UpdatesHealthcheckAndDNS(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		first, _, err := w.EnsureElasticIP(ctx, elasticIP())
		w.check(err)
		changed := elasticIP()
		changed.Healthcheck.Interval = 20 * time.Second
		changed.ReverseDNS = "other.example.com"
		second, action, err := w.EnsureElasticIP(ctx, changed)
		w.wantAction(action, err, state.Updated)
		if first.ID != second.ID {
			w.t.Errorf("%s became %s", first.ID, second.ID)
		}
		ips := w.elasticIPs(ctx)
		if len(ips) != 1 || ips[0].Healthcheck != changed.Healthcheck {
			w.t.Errorf("%+v", ips)
		}
		w.unchanged(func() {
			_, action, err := w.EnsureElasticIP(ctx, changed)
			w.wantAction(action, err, state.Found)
		})
		changed.Healthcheck.Mode = "tcp"
		_, _, err = w.EnsureElasticIP(ctx, changed)
		w.wantFault(err, fault.Conflict, `mode "https" instead of "tcp"`, first.Address)
	})
}

func TestAttachElasticIP_IsIdempotent(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		ip, _, err := w.EnsureElasticIP(ctx, elasticIP())
		w.check(err)
		machine, _, err := w.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
		w.check(err)
		action, err := w.EnsureAttached(ctx, ip.ID, machine.ID)
		w.wantAction(action, err, state.Created)
		w.unchanged(func() {
			action, err := w.EnsureAttached(ctx, ip.ID, machine.ID)
			w.wantAction(action, err, state.Found)
		})
		action, err = w.EnsureDetached(ctx, ip.ID, machine.ID)
		w.wantAction(action, err, state.Deleted)
		for _, gone := range []string{machine.ID, "00000000-0000-0000-0000-000000000000"} {
			w.unchanged(func() {
				action, err := w.EnsureDetached(ctx, ip.ID, gone)
				w.wantAction(action, err, state.Found)
			})
		}
		_, err = w.EnsureAttached(ctx, ip.ID, "00000000-0000-0000-0000-000000000000")
		w.wantFault(err, fault.NotFound, zone)
	})
}

func (w *world) elasticIPs(ctx context.Context) []state.ElasticIP {
	w.t.Helper()
	var answer struct {
		List []struct {
			ID          string            `json:"id"`
			IP          string            `json:"ip"`
			Description string            `json:"description"`
			Labels      map[string]string `json:"labels"`
			Healthcheck struct {
				Mode        string        `json:"mode"`
				Port        int           `json:"port"`
				URI         string        `json:"uri"`
				Interval    time.Duration `json:"interval"`
				Timeout     time.Duration `json:"timeout"`
				StrikesOK   int           `json:"strikes-ok"`
				StrikesFail int           `json:"strikes-fail"`
			} `json:"healthcheck"`
		} `json:"elastic-ips"`
	}
	w.ask(ctx, http.MethodGet, "/elastic-ip", nil, &answer)
	var ips []state.ElasticIP
	for _, live := range answer.List {
		check := live.Healthcheck
		ips = append(ips, state.ElasticIP{
			Name: live.Description, Labels: live.Labels, ID: live.ID, Address: live.IP,
			Healthcheck: state.Healthcheck{
				Mode: check.Mode, Port: check.Port, Path: check.URI, Interval: check.Interval * time.Second,
				Timeout: check.Timeout * time.Second, StrikesOK: check.StrikesOK, StrikesFail: check.StrikesFail,
			},
		})
	}
	return ips
}
