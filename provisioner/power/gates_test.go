package power

import (
	"strings"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/state/rook"
)

func TestCheckCeph(t *testing.T) {
	const flags = "OSDMAP_FLAGS: noout,norebalance flag(s) set"
	tests := map[string]struct {
		ceph rook.Status
		want []string // parts of the reasons, one of each
	}{
		"well, with its flags": {rook.Status{Health: "HEALTH_WARN", Checks: []string{flags}, Flags: []string{"noout", "norebalance"}}, nil},
		"no flags":             {rook.Status{Health: "HEALTH_OK"}, []string{"ceph osd set noout", "ceph osd set norebalance"}},
		"one flag":             {rook.Status{Health: "HEALTH_WARN", Checks: []string{"OSDMAP_FLAGS: noout flag(s) set"}, Flags: []string{"noout"}}, []string{"ceph osd set norebalance"}},
		"another warning":      {rook.Status{Health: "HEALTH_WARN", Checks: []string{flags, "OSD_DOWN: 1 osds down"}, Flags: []string{"noout", "norebalance"}}, []string{"OSD_DOWN: 1 osds down"}},
		"no word":              {rook.Status{Flags: []string{"noout", "norebalance"}}, []string{"reports nothing"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.ceph.Name = "ceph/other"
			reasons := checkCeph(test.ceph)
			if len(reasons) != len(test.want) {
				t.Fatalf("%q", reasons)
			}
			for i, want := range test.want {
				if !strings.Contains(reasons[i], want) {
					t.Errorf("%q has not %q", reasons[i], want)
				}
			}
			test.ceph.Name = ownCeph
			for _, reason := range checkCeph(test.ceph) {
				if strings.Contains(reason, "has not the flag") {
					t.Errorf("the stop sets it itself: %s", reason)
				}
			}
		})
	}
}

func TestChooseLimit(t *testing.T) {
	now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	allowed := now.Add(90 * 24 * time.Hour)
	if limit, what := chooseLimit(now, allowed.Add(time.Hour)); !limit.Equal(allowed) || !strings.Contains(what, "90 days") {
		t.Errorf("%s: %s", limit, what)
	}
	if limit, what := chooseLimit(now, allowed.Add(-time.Hour)); !limit.Equal(allowed.Add(-time.Hour)) || !strings.Contains(what, "kubelet-signer") {
		t.Errorf("%s: %s", limit, what)
	}
}

func TestStop_PlanIsInOrder(t *testing.T) {
	want := "check upgrades ceph-flags cordon commit stop-workers stop-storage stop-masters stop-load-balancers record"
	checkPlan(t, NewStop(state.Spec{}, nil, Clients{}, StopOptions{}).Plan(), want)
}

func TestStart_PlanIsInOrder(t *testing.T) {
	want := "start-load-balancers start-masters wait-masters start-storage wait-storage start-workers wait-workers uncordon ceph-flags operators upgrades"
	checkPlan(t, NewStart(state.Spec{}, nil, Clients{}, nil).Plan(), want)
}
