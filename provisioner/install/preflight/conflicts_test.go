package preflight

import (
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

func TestConflicts_RefusesOtherGeneration(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef"
	machine := func(name, role, mark string) state.Object {
		return state.Object{Kind: state.KindInstance, Name: name, Labels: map[string]string{
			state.LabelCluster: "c-1", state.LabelRole: role, state.LabelRootCA: mark,
		}}
	}
	balancer, own := machine("lb-0", "lb", ""), machine("master-0", "master", hash[:16])
	marked := machine("master-2", "master", "ca-"+hash[:16]) // as since labels begin with a letter
	old, unknown := machine("master-1", "master", "fedcba9876543210"), machine("worker-0", "worker", "")
	for name, c := range map[string]struct {
		facts state.Facts
		renew bool
		there []state.Object
		want  string // "" for none
	}{
		"our own":                      {state.Facts{RootCAHash: hash}, false, []state.Object{balancer, own, marked}, ""},
		"of before":                    {state.Facts{RootCAHash: hash}, false, []state.Object{balancer, own, old}, "master-1"},
		"without a mark":               {state.Facts{RootCAHash: hash}, false, []state.Object{unknown}, "worker-0"},
		"to be renewed":                {state.Facts{RootCAHash: hash}, true, []state.Object{own, old}, ""},
		"of an installed cluster":      {state.Facts{RootCAHash: hash, BootstrapRemoved: time.Now()}, true, []state.Object{old}, "master-1"},
		"and nothing is in the folder": {state.Facts{}, true, []state.Object{own, unknown}, "lacks their certificates"},
		"only balancers":               {state.Facts{}, false, []state.Object{balancer}, ""},
	} {
		conflicts := NewConflicts(spec(), state.Folder{}, state.NewFactsStore(c.facts, nil), nil, &Inventory{existing: c.there}, nil, c.renew)
		err := conflicts.checkForeignObjects()
		if c.want == "" && err != nil || c.want != "" && (!fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "lb-0")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
