package wizard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

func TestOnlyLimitsOfWhichSomethingIsNeededAreWeighed(t *testing.T) {
	got := CompareQuotas([]Quota{{"instance", 11, 20}, {"gpu2", 0, 0}, {"bucket", 1, -1}}, map[string]int{"instance": 9, "bucket": 3, "template": 1})
	want := []QuotaCheck{
		{Quota: Quota{"instance", 11, 20}, Need: 9, After: 20, Sufficient: true}, {Quota: Quota{"bucket", 1, -1}, Need: 3, After: 4, Sufficient: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAShortageSaysWhatWouldFitAndWhichLimitToAskFor(t *testing.T) {
	spec := state.Default()
	spec.Sizing.Workers.Count = 6
	spec.Sizing.ExtraGroups = []state.GroupSpec{{Name: "gpu", MachineSpec: state.MachineSpec{Type: "gpua30.small", Count: 1}}}
	for _, c := range []struct {
		quota       Quota
		need        int
		field, said string
	}{
		{Quota{"instance", 11, 25}, 16, "sizing.workers.count", "4 workers in place of 6 would fit; or ask for a limit of 27"},
		{Quota{"instance", 11, 20}, 16, "sizing.workers.count", "7 fewer machines would fit; or ask for a limit of 27"},
		{Quota{"elastic-ip", 4, 5}, 2, "loadBalancer.strategy", "dns-round-robin needs none; or ask for a limit of 6"},
		{Quota{"gpua30", 0, 0}, 1, "sizing.extraGroups[0].type", "machines of another type would fit; or ask for a limit of 1"},
		{Quota{"iam-key", 10, 10}, 4, "", "4 fewer in use would fit; or ask for a limit of 14"},
	} {
		faults := CheckQuotas(spec, []Quota{c.quota}, map[string]int{c.quota.Resource: c.need})
		if len(faults) != 1 || faults[0].Field != c.field || !strings.Contains(faults[0].Message, c.said) {
			t.Errorf("%v: %v, want %s: %s", c.quota, faults, c.field, c.said)
		}
	}
}

func TestWhatSufficesIsNoShortage(t *testing.T) {
	for _, quota := range []Quota{{"instance", 0, 16}, {"instance", 900, -1}} {
		if faults := CheckQuotas(state.Default(), []Quota{quota}, map[string]int{"instance": 16}); faults != nil {
			t.Errorf("%v is a shortage: %v", quota, faults)
		}
	}
}
