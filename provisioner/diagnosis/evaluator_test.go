package diagnosis

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

func examined(from, to float64, look func(minute float64) Input) []Finding {
	examiner := New()
	var last []Finding
	for minute := from; minute <= to; minute += lookEvery {
		last = examiner.Evaluate(look(minute))
	}
	return last
}

func rulesOf(findings []Finding) []string {
	var ids []string
	for _, finding := range findings {
		ids = append(ids, finding.Rule)
	}
	return ids
}

func TestEvaluate_HidesExplainedStall(t *testing.T) {
	stuck := func(minute float64) Input {
		s := healthy(minute)
		s.stop(minute, 15)
		return s
	}
	if got := rulesOf(examined(0, 28, stuck)); !slices.Equal(got, []string{"no-master"}) {
		t.Fatalf("without an explanation: %v", got)
	}
	explained := func(minute float64) Input {
		s := stuck(minute)
		if minute > 20 {
			s.MissingRules = []string{"port 22623/tcp is blocked: security group c-demo-1_load_balancers lacks the rule for the machine config server"}
		}
		return s
	}
	if got := rulesOf(examined(0, 28, explained)); !slices.Equal(got, []string{"machine-config-blocked"}) {
		t.Errorf("with an explanation: %v", got)
	}
}

func TestEvaluate_HidesExplainedRule(t *testing.T) {
	got := rulesOf(examined(0, 10, func(minute float64) Input {
		s := healthy(min(minute, 2))
		s.Now, s.TemplateBuild = at(minute), "39"
		s.BootstrapHost = &state.BootstrapHost{Services: []state.ServiceRecord{{Service: "node-image-pull", Starts: 9, Failure: "exit status 1"}}}
		return s
	}))
	if !slices.Equal(got, []string{"wrong-boot-image"}) {
		t.Errorf("found %v", got)
	}
}

// What blocks the earliest phase is first; of one phase, the surest, then the oldest.
func TestEvaluate_BlockingFirst(t *testing.T) {
	got := rulesOf(examined(40, 62, func(minute float64) Input {
		s := healthy(minute)
		s.Names[2].Found, s.Names[2].Missing = nil, true
		s.lose("worker-0")
		s.Snapshot.Etcd.Degraded = []string{"FSyncControllerDegraded: slow"}
		if minute > 44 {
			s.TemplateBuild = "39"
		}
		return s
	}))
	if diff := cmp.Diff([]string{"wrong-boot-image", "machine-silent", "etcd-slow-disk", "routes-unreachable"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestEvaluate_IgnoresStaleAPIData(t *testing.T) {
	silentFrom := func(from float64) func(float64) Input {
		return func(minute float64) Input {
			s := healthy(minute)
			s.Snapshot.Pools[0].Degraded, s.Snapshot.Pools[0].Message = true, "rendered-master-1 not found"
			if minute >= from {
				s.Snapshot.Pools, s.APIError = nil, errors.New("no answer in time")
			}
			return s
		}
	}
	if got := rulesOf(examined(40, 60, silentFrom(41))); len(got) > 0 {
		t.Errorf("found while nobody could see it: %v", got)
	}
	if got := rulesOf(examined(40, 60, silentFrom(43))); !slices.Equal(got, []string{"machine-config-mismatch"}) {
		t.Errorf("what was found before is lost: %v", got)
	}
}

func TestEvaluate_FindingLingersThenRestarts(t *testing.T) {
	blink := func(minute float64) Input {
		s := healthy(minute)
		if minute < 45 || minute > 45.4 && minute < 47 {
			s.TemplateBuild = "39"
		}
		return s
	}
	if got := rulesOf(examined(40, 45.3, blink)); len(got) != 1 {
		t.Errorf("it is gone at once: %v", got)
	}
	late := examined(40, 46, blink)
	if len(late) != 1 || late[0].Since.After(at(40)) {
		t.Errorf("it began anew after less than half a minute: %v", late)
	}
	if got := examined(40, 47.8, blink); len(got) > 0 {
		t.Errorf("it stays: %v", got)
	}
}

// A finding that is true is not withdrawn because something else goes on.
func TestEvaluate_SilentMasterStays(t *testing.T) {
	e, first := New(), 0.0
	for minute := 0.0; minute <= 60; minute += lookEvery {
		s := healthy(minute) // in which the others join from minute 39 on, and operators settle
		s.lose("master-2")
		found := slices.Contains(rulesOf(e.Evaluate(s)), "machine-silent")
		switch {
		case found && first == 0:
			first = minute
		case !found && first > 0:
			t.Fatalf("found in minute %.1f, and withdrawn in minute %.1f", first, minute)
		}
	}
	if first == 0 || first > 30 {
		t.Errorf("found in minute %.1f", first)
	}
}

func TestEvaluate_SilentWorkerStaysUntilItJoins(t *testing.T) {
	e := New()
	look := func(minute float64) []string {
		s := healthy(min(minute, 90))
		s.Now, s.Wall = at(minute), at(minute)
		if minute < 110 {
			s.lose("worker-1")
		}
		if minute < 70 {
			s.lose("worker-2") // which comes late
		}
		return rulesOf(e.Evaluate(s))
	}
	for minute := 0.0; minute <= 111; minute += lookEvery {
		found := slices.Contains(look(minute), "machine-silent")
		if minute > 65 && minute < 109 && !found {
			t.Fatalf("withdrawn in minute %.1f", minute)
		}
	}
	if got := look(111); slices.Contains(got, "machine-silent") {
		t.Error("it has joined, and still counts as silent")
	}
}

func TestEvaluate_IncompleteEtcdStaysBesideOtherProgress(t *testing.T) {
	e, stuck := New(), state.EtcdStatus{}
	for minute := 0.0; minute <= 60; minute += lookEvery {
		s := healthy(minute)
		if minute < 22.2 {
			stuck = s.Snapshot.Etcd
		} else { // etcd stands still; nodes join, and operators settle
			s.Snapshot.Etcd = stuck
			for _, phase := range []string{state.PhaseEtcdInCluster, state.PhaseComplete, state.PhaseMemberRemoved} {
				delete(s.PhaseTimes, phase)
				s.Snapshot.Bootstrap.Reached = slices.DeleteFunc(s.Snapshot.Bootstrap.Reached, func(reached string) bool { return reached == phase })
			}
		}
		if got := rulesOf(e.Evaluate(s)); minute > 37 && !slices.Equal(got, []string{"etcd-incomplete"}) {
			t.Fatalf("in minute %.1f: %v", minute, got)
		}
	}
}

func TestEvaluate_IgnoresFlappingSign(t *testing.T) {
	n := 0
	got := examined(40, 60, func(minute float64) Input {
		s := healthy(minute)
		if n++; n%3 != 0 {
			s.TemplateBuild = "39"
		}
		return s
	})
	if len(got) > 0 {
		t.Errorf("found: %v", got)
	}
}

func TestEvaluate_IsDeterministic(t *testing.T) {
	sick := func(minute float64) Input {
		s := healthy(minute)
		s.Facts.APIAddress, s.Facts.IngressAddress, s.Machines[0].Address = "10.129.0.1", "172.30.0.7", "100.64.0.1"
		s.Snapshot.Etcd.Degraded = []string{"FSyncControllerDegraded: slow"}
		s.refuse("worker-0", false, "it is forged")
		return s
	}
	first := examined(40, 50, sick)
	if len(first) < 3 {
		t.Fatalf("found only %v", rulesOf(first))
	}
	for range 10 {
		if diff := cmp.Diff(first, examined(40, 50, sick)); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestEvaluate_TruncatesLongLists(t *testing.T) {
	s := crowded(1000)
	for n := range s.Snapshot.Nodes {
		s.Snapshot.Nodes[n].Address = "10.0.0.1"
	}
	s.MissingRules = make([]string, 100)
	for n := range s.MissingRules {
		s.MissingRules[n] = "port 22623/tcp is blocked: security group c_control_plane lacks the rule"
	}
	found := examined(50, 60, func(minute float64) Input {
		s.Now = at(minute)
		return s
	})
	if len(found) == 0 {
		t.Fatal("nothing was found")
	}
	for _, finding := range found {
		if len(finding.Evidence) > 2*(maxListed+1) {
			t.Errorf("%s has %d lines of evidence", finding.Rule, len(finding.Evidence))
		}
		for _, line := range append(finding.Evidence, finding.Fix) {
			if len(line) > 1500 {
				t.Errorf("%s: a text of %d bytes", finding.Rule, len(line))
			}
		}
	}
}

func TestEvaluate_KeepsInstallationsApart(t *testing.T) {
	one, other := New(), New()
	for minute := 40.0; minute < 42; minute += lookEvery {
		s := healthy(minute)
		s.TemplateBuild = "39"
		one.Evaluate(s)
		if found := other.Evaluate(healthy(minute)); len(found) > 0 {
			t.Fatalf("found in the healthy one: %v", found)
		}
	}
}

func TestEvaluate_InstalledClusterFirstCertificates(t *testing.T) {
	got := examined(0, 10, func(minute float64) Input {
		s := healthy(90)
		s.Now, s.Wall = at(60*24*90+minute), at(60*24*90+minute)
		s.Facts.BootstrapRemoved, s.PhaseTimes, s.Snapshot.Bootstrap = at(31), nil, state.BootstrapStatus{}
		unanswered(&s, state.LayerTCP, "no answer in time")
		return s
	})
	if len(got) > 0 {
		t.Errorf("found: %v", got)
	}
}

func TestEvaluate_WrongCertificateIsNotBlocked(t *testing.T) {
	got := rulesOf(examined(9, 20, func(minute float64) Input {
		s := healthy(minute)
		unanswered(&s, state.LayerTLS, "TLS: the certificate was issued for another cluster or an earlier attempt")
		return s
	}))
	if !slices.Equal(got, []string{"foreign-authority"}) {
		t.Errorf("found %v", got)
	}
}

// A proxy between this machine and the zone may answer on the bootstrap machine's own address, with a certificate of its own.
func TestEvaluate_ProxyInPlaceOfBootstrapMachine(t *testing.T) {
	got := rulesOf(examined(9, 12, func(minute float64) Input {
		s := healthy(minute)
		unanswered(&s, state.LayerTCP, "the connection was closed")
		s.Snapshot.Probes.Direct = fails("https://198.51.100.3:6443/readyz", state.LayerTLS, "TLS: the certificate is for another name")
		return s
	}))
	if slices.Contains(got, "foreign-authority") {
		t.Errorf("found %v", got)
	}
}

// Whoever holds the node bootstrapper's token may give a request any name, and users paste the advised command.
func TestDetectSkippedRequests_NoNamesInCommands(t *testing.T) {
	for _, name := range []string{"x; reboot", "$(reboot)", "x\nreboot", "`reboot`", "--kubeconfig=x", "a'b", "x|sh", "é"} {
		s := healthy(42)
		s.Snapshot.Requests = append(s.Snapshot.Requests, state.NodeRequest{
			Name: name, Node: "worker-1", Serving: true, State: state.RequestPending, BlockedReason: "forged", Created: s.Now,
		})
		found := detectSkippedRequests(newInputIndex(s))
		if len(found.evidence) == 0 || strings.ContainsAny(found.evidence[0], "\n") {
			t.Errorf("%q is told as %q", name, found.evidence)
		}
		if advice := found.fix + strings.Join(found.subject, " "); strings.Contains(advice, name) || !strings.Contains(advice, "oc get csr") {
			t.Errorf("%q: %s", name, advice)
		}
	}
}

func TestTrack_NewServiceIsProgress(t *testing.T) {
	spoken := func(minute float64, units ...string) *inputIndex {
		s := healthy(minute)
		s.Snapshot, s.BootstrapHost = state.Snapshot{}, &state.BootstrapHost{}
		for _, unit := range units {
			s.BootstrapHost.Lines = append(s.BootstrapHost.Lines, state.JournalLine{Unit: unit})
		}
		return newInputIndex(s)
	}
	var v progressTracker
	v.track(spoken(1, "release-image.service"))
	again := spoken(2, "release-image.service", "release-image.service")
	if v.track(again); !again.lastProgress.Equal(at(1)) {
		t.Error("a service that goes on talking is movement")
	}
	next := spoken(3, "release-image.service", "bootkube.service")
	if v.track(next); !next.lastProgress.Equal(at(3)) {
		t.Error("the next service is no movement")
	}
}
