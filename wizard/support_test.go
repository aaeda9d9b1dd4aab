package wizard_test

import (
	"strings"
	"testing"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/instancetype"
	"exoshift/wizard/local"
	"exoshift/wizard/support"
)

func TestSupport_UnwiseMachines(t *testing.T) {
	group := func(count, data int, topolvm bool) []state.GroupSpec {
		return []state.GroupSpec{{Name: "gpu", MachineSpec: state.MachineSpec{Type: "standard.huge", Count: count, RootDisk: 100, DataDisk: data, TopoLVM: topolvm}}}
	}
	for name, c := range map[string]struct {
		change func(*state.Spec)
		want   []string // prefixes of the warnings
	}{
		"nothing":             {func(*state.Spec) {}, nil},
		"four workers":        {func(s *state.Spec) { s.Sizing.Workers.Count = 4 }, []string{"sizing.controlPlane.type  4 workers are more than recommended for masters with 16 GiB"}},
		"four with a group":   {func(s *state.Spec) { s.Sizing.ExtraGroups = group(1, 0, false) }, []string{"sizing.controlPlane.type  4 workers are more than recommended"}},
		"larger masters":      {func(s *state.Spec) { s.Sizing.Workers.Count, s.Sizing.ControlPlane.Type = 9, "memory.huge" }, nil},
		"no infra nodes":      {func(s *state.Spec) { s.Sizing.Infra.Count = 0 }, []string{"sizing.infra.count  Without infra nodes, the routers"}},
		"no storage nodes":    {func(s *state.Spec) { s.Sizing.Storage.Count = 0 }, []string{"sizing.storage.count  Without storage nodes there is no Ceph"}},
		"three infra nodes":   {func(s *state.Spec) { s.Sizing.Infra.Count = 3 }, []string{"sizing.infra.count  3 infra nodes suffice only without"}},
		"a disk without use":  {func(s *state.Spec) { s.Sizing.Workers.DataDisk = 50 }, []string{"sizing.workers.dataDisk  nothing uses this disk by default"}},
		"a disk of TopoLVM":   {func(s *state.Spec) { s.Sizing.Workers.DataDisk, s.Sizing.Workers.TopoLVM = 50, true }, nil},
		"a disk of masters":   {func(s *state.Spec) { s.Sizing.ControlPlane.DataDisk = 50 }, []string{"sizing.controlPlane.dataDisk  nothing uses"}},
		"an empty group":      {func(s *state.Spec) { s.Sizing.ExtraGroups = group(0, 0, false) }, []string{"sizing.extraGroups[0].count  the group has no nodes"}},
		"a group's disk":      {func(s *state.Spec) { s.Sizing.ExtraGroups = group(0, 9, false) }, []string{"sizing.extraGroups[0].dataDisk  nothing uses", "sizing.extraGroups[0].count"}},
		"a group's TopoLVM":   {func(s *state.Spec) { s.Sizing.ExtraGroups = group(0, 9, true) }, []string{"sizing.extraGroups[0].count"}},
		"what is refused":     {func(s *state.Spec) { s.Sizing.Infra.Count = 2 }, nil},
		"an unknown type too": {func(s *state.Spec) { s.Sizing.Workers.Count, s.Sizing.ControlPlane.Type = 9, "x" }, nil},
	} {
		spec := valid()
		c.change(&spec)
		got := support.Check(spec)
		for i, w := range got {
			if len(got) != len(c.want) || !strings.HasPrefix(w.String(), c.want[i]) {
				t.Errorf("%s: want %q, got:\n%s", name, c.want, lines(got))
				break
			}
		}
		if len(got) != len(c.want) || len(local.CheckWarnings(spec, wizard.Secrets{})) != len(got) {
			t.Errorf("%s: want %q, got:\n%s", name, c.want, lines(got))
		}
	}
}

func TestSupport_SuggestionsAreValid(t *testing.T) {
	spec := valid()
	spec.Sizing.Workers.Count, spec.Sizing.Infra.Count = 12, 3
	for _, warning := range support.Check(spec) {
		if err := field(t, warning.Field).Set(&spec, warning.Suggestion); err != nil {
			t.Error(err)
		}
	}
	if left := append(support.Check(spec), wizard.Check(spec)...); len(left) > 0 || spec.Sizing.ControlPlane.Type != "memory.huge" {
		t.Errorf("%s:\n%s", spec.Sizing.ControlPlane.Type, lines(left))
	}
}

func TestSupport_LargerMastersKeepCPUs(t *testing.T) {
	spec := valid()
	spec.Sizing.Workers.Count, spec.Sizing.ControlPlane.Type = 4, "cpu.extra-large"
	if got := support.Check(spec); len(got) != 1 || got[0].Suggestion != "standard.huge" {
		t.Errorf("got:\n%s", lines(got))
	}
}

func TestInstanceTypes_IncludeDefaults(t *testing.T) {
	names := map[string]instancetype.Type{}
	for _, o := range instancetype.List() {
		if o.CPUs < 1 || o.Memory <= 0 || names[o.Name].Name != "" {
			t.Errorf("%+v", o)
		}
		names[o.Name] = o
	}
	sizing := state.Default().Sizing
	for _, m := range []state.MachineSpec{sizing.Bootstrap, sizing.LoadBalancers, sizing.ControlPlane, sizing.Infra, sizing.Storage, sizing.Workers} {
		if names[m.Type].Name == "" {
			t.Errorf("no %s", m.Type)
		}
	}
}
