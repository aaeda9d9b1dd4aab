package diagnosis

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

// Were every rule's cause there at once, this would be the order of what to do. A rule whose place changes is one that an operator
// would begin with at another time: the row that moves has to be right.
func TestRules_Order(t *testing.T) {
	want := []string{
		// the bootstrap machine and what the API needs
		"elastic-ip-detached", "certificate-expired", "foreign-authority", "image-pull-failed", "wrong-boot-image",
		"api-name-missing", "load-balancer-blocked", "bootstrap-silent",
		// the control plane: masters join
		"machine-config-blocked", "source-rewritten", "no-master",
		// etcd grows
		"rules-missing", "wrong-node-address", "no-cloud-controller", "etcd-incomplete",
		// the bootstrap machine leaves
		"machine-config-mismatch", "bootstrap-member-stays",
		// the other nodes, unless the finding is about masters
		"no-hostname", "machine-stopped", "expired-while-off", "requests-left", "worker-config-unserved", "machine-silent",
		// operators
		"address-clash", "etcd-slow-disk", "routers-on-masters", "routes-unreachable", "operators-stalled",
		// nothing
		"pdb-blocks", "drain-kills-router", "machine-config-lags", "ceph-degraded", "pool-evicts-wrong", "member-unhealthy", "quorum-lost", "key-revoked-early", "backup-unreadable",
		"upgrade-stuck-operator", "upgrade-pool-degraded", "slow",
	}
	var findings []Finding
	for _, rule := range Rules() {
		findings = append(findings, Finding{Rule: rule.ID, Confidence: rule.Confidence, Blocks: rule.Blocks, Order: rule.getOrder(rule.Blocks)})
	}
	slices.SortStableFunc(findings, compareFindings)
	if diff := cmp.Diff(want, rulesOf(findings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Two faults at once: each is found, neither hides the other, and what blocks the earlier phase is first.
func TestEvaluate_OrderOfTwoFaults(t *testing.T) {
	others := func(s *Input) (names []string) {
		for _, machine := range s.Spec.Nodes() {
			if machine.Role != state.RoleMaster {
				names = append(names, machine.Name)
			}
		}
		return names
	}
	nameless := func(s *Input, names ...string) {
		for _, name := range names {
			s.lose(name)
		}
		s.Snapshot.Requests = append(s.Snapshot.Requests, state.NodeRequest{Name: "csr-1", Node: "localhost", State: state.RequestPending, BlockedReason: "unknown"})
	}
	stuckEtcd := func(minute float64, s *Input) { s.stop(minute, 22.2) }
	for name, test := range map[string]struct {
		until float64
		signs func(minute float64, s *Input)
		want  []string
	}{
		"a master that never boots, and nameless workers": {60, func(minute float64, s *Input) {
			s.lose("master-2")
			if minute > 39 {
				nameless(s, others(s)...)
			}
		}, []string{"machine-silent", "no-hostname"}},
		"nameless masters": {60, func(minute float64, s *Input) {
			if minute > 16.5 {
				nameless(s, "master-1", "master-2")
				s.Snapshot.Nodes = append(s.Snapshot.Nodes, state.NodeStatus{Name: "localhost", Address: s.address("master-1")})
			}
		}, []string{"no-hostname"}},
		"a master that never boots, and a worker that was stopped": {60, func(_ float64, s *Input) {
			s.lose("master-2")
			s.lose("worker-0")
			s.machine("worker-0").State = stopped
		}, []string{"machine-silent", "machine-stopped"}},
		"two masters, one that never boots and one that was stopped": {60, func(_ float64, s *Input) {
			s.lose("master-2")
			s.lose("master-1")
			s.machine("master-1").State = stopped
		}, []string{"machine-stopped", "machine-silent"}},
		"a master whose requests are left, and nameless workers": {60, func(minute float64, s *Input) {
			s.refuse("master-2", false, "it is forged")
			if minute > 39 {
				nameless(s, others(s)...)
			}
		}, []string{"requests-left", "no-hostname"}},
		"etcd that does not grow, and what comes after": {60, func(minute float64, s *Input) {
			stuckEtcd(minute, s)
			s.Snapshot.Pools = []state.PoolStatus{{Name: "master", Degraded: true, Message: "rendered-master-1 not found"}}
		}, []string{"etcd-incomplete", "machine-config-mismatch"}},
		"etcd that does not grow, and disks that are slow": {60, func(minute float64, s *Input) {
			stuckEtcd(minute, s)
			s.Snapshot.Etcd.Degraded = append(s.Snapshot.Etcd.Degraded, "FSyncControllerDegraded: slow")
		}, []string{"etcd-incomplete", "etcd-slow-disk"}},
		"no master, and a rule for etcd": {40, func(minute float64, s *Input) {
			s.stop(minute, 15)
			s.MissingRules = []string{"port 2379-2380/tcp is blocked: security group c-demo-1_control_plane lacks the rule for the etcd"}
		}, []string{"no-master", "rules-missing"}},
		"a worker that was stopped explains no master": {40, func(minute float64, s *Input) {
			s.stop(minute, 15)
			s.machine("worker-0").State = stopped
		}, []string{"no-master", "machine-stopped"}},
		"an API whose name is missing, and that restarts in vain": {40, func(minute float64, s *Input) {
			s.stop(minute, 15)
			s.Accessible, s.Names[0].Found, s.Names[0].Missing = true, nil, true
			delete(s.PhaseTimes, state.PhaseTemporaryAPI)
			s.Snapshot.Bootstrap.Reached = nil
			unanswered(s, state.LayerDNS, "no such host")
			if minute > 16 {
				s.Snapshot.Probes.Direct = fails("https://198.51.100.3:6443/readyz", state.LayerTCP, "connection refused")
			}
		}, []string{"api-name-missing"}},
		"an API that is gone, without another reason": {45, func(minute float64, s *Input) {
			s.stop(minute, 7.9)
			if s.Accessible = true; minute > 7.9 {
				s.Snapshot.Probes.Direct = fails("https://198.51.100.3:6443/readyz", state.LayerTCP, "connection refused")
			}
		}, []string{"bootstrap-silent"}},
		"an API whose name is missing, and with an expired certificate": {40, func(minute float64, s *Input) {
			s.stop(minute, 7)
			s.Accessible, s.Names[0].Found, s.Names[0].Missing = true, nil, true
			unanswered(s, state.LayerDNS, "no such host")
			s.Snapshot.Probes.Direct = fails("https://198.51.100.3:6443/readyz", state.LayerTLS, "TLS: the certificate has expired or is not valid yet; check the clocks")
		}, []string{"api-name-missing"}},
		"a bootstrap machine that is dead, and an API whose name is missing": {40, func(minute float64, s *Input) {
			s.stop(minute, 0.5)
			s.Accessible, s.Names[0].Found, s.Names[0].Missing = true, nil, true
			unanswered(s, state.LayerDNS, "no such host")
		}, []string{"api-name-missing", "bootstrap-silent"}},
		"a bootstrap machine that was slow, and is stuck": {55, func(minute float64, s *Input) {
			*s = slowed(min(minute, 21), 4)
			s.Now, s.Wall, s.Snapshot.Probes.SSH = at(minute), at(minute), state.Probe{}
		}, []string{"bootstrap-silent"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := rulesOf(examined(0, test.until, func(minute float64) Input {
				s := healthy(minute)
				test.signs(minute, &s)
				return s
			}))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEvaluate_StartedMachineIsNotSilentAtOnce(t *testing.T) {
	silentAt := func(from, to float64) bool {
		return slices.Contains(rulesOf(examined(from, to, func(minute float64) Input {
			s := healthy(minute)
			s.lose("worker-1")
			if minute < 70 {
				s.machine("worker-1").State = stopped
			}
			return s
		})), "machine-silent")
	}
	if silentAt(0, 69) || silentAt(0, 80) {
		t.Error("it counts as silent while it is stopped, or boots")
	}
	if !silentAt(0, 84) {
		t.Error("it has not made contact since it was started, and does not count as silent")
	}
}

// A machine that takes four times as long makes no progress for twelve minutes before its first service answers.
func TestEvaluate_SlowIsFoundOnce(t *testing.T) {
	e, found, last := New(), 0, false
	for minute := 0.0; minute <= 200; minute += lookEvery {
		s := slowed(minute, 4)
		s.BootstrapHost = &state.BootstrapHost{Lines: []state.JournalLine{{Unit: "release-image.service"}}}
		if minute > 11.5 {
			s.BootstrapHost.Lines = append(s.BootstrapHost.Lines, state.JournalLine{Unit: "node-image-pull.service"})
		}
		now := slices.Contains(rulesOf(e.Evaluate(s)), slow)
		if now && !last {
			found++
		}
		if last = now; now && s.PhaseTimes[state.PhaseComplete].Before(at(minute-1)) && !s.PhaseTimes[state.PhaseComplete].IsZero() {
			t.Fatalf("it is slow in minute %.1f, after the bootstrap", minute)
		}
	}
	if found != 1 {
		t.Errorf("found %d times", found)
	}
}
