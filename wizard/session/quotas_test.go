package session

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
	"exoshift/wizard"
)

func TestCompareQuotas_OnlyNeeded(t *testing.T) {
	got := CompareQuotas([]wizard.Quota{{Resource: "instance", Used: 11, Limit: 20}, {Resource: "gpu2", Used: 0, Limit: 0}, {Resource: "bucket", Used: 1, Limit: -1}}, map[string]int{"instance": 9, "bucket": 3, "template": 1})
	want := []wizard.QuotaCheck{
		{Quota: wizard.Quota{Resource: "instance", Used: 11, Limit: 20}, Need: 9, After: 20, Sufficient: true}, {Quota: wizard.Quota{Resource: "bucket", Used: 1, Limit: -1}, Need: 3, After: 4, Sufficient: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCheckQuotas_NamesFieldAndLimit(t *testing.T) {
	spec := state.Default()
	spec.Sizing.Workers.Count = 6
	spec.Sizing.ExtraGroups = []state.GroupSpec{{Name: "gpu", MachineSpec: state.MachineSpec{Type: "gpua30.small", Count: 1}}}
	for _, c := range []struct {
		quota       wizard.Quota
		need        int
		field, said string
	}{
		{wizard.Quota{Resource: "instance", Used: 11, Limit: 25}, 16, "sizing.workers.count", "4 workers instead of 6 would fit; or request a limit of 27"},
		{wizard.Quota{Resource: "instance", Used: 11, Limit: 20}, 16, "sizing.workers.count", "7 fewer instances would fit; or request a limit of 27"},
		{wizard.Quota{Resource: "elastic-ip", Used: 4, Limit: 5}, 2, "loadBalancer.strategy", "dns-round-robin needs none; or request a limit of 6"},
		{wizard.Quota{Resource: "gpua30", Used: 0, Limit: 0}, 1, "sizing.extraGroups[0].type", "instances of another type would fit; or request a limit of 1"},
		{wizard.Quota{Resource: "iam-key", Used: 10, Limit: 10}, 4, "", "4 fewer in use would fit; or request a limit of 14"},
	} {
		faults := CheckQuotas(spec, []wizard.Quota{c.quota}, map[string]int{c.quota.Resource: c.need})
		if len(faults) != 1 || faults[0].Field != c.field || !strings.Contains(faults[0].Message, c.said) {
			t.Errorf("%v: %v, want %s: %s", c.quota, faults, c.field, c.said)
		}
	}
}

func TestCheckQuotas_Sufficient(t *testing.T) {
	for _, quota := range []wizard.Quota{{Resource: "instance", Used: 0, Limit: 16}, {Resource: "instance", Used: 900, Limit: -1}} {
		if faults := CheckQuotas(state.Default(), []wizard.Quota{quota}, map[string]int{"instance": 16}); faults != nil {
			t.Errorf("%v is a shortage: %v", quota, faults)
		}
	}
}
