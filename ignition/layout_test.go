package ignition_test

import (
	"testing"

	"exoshift/ignition"
	"exoshift/state"
)

func TestLayoutOf_ReadsNodeDocument(t *testing.T) {
	spec := state.Default()
	spec.Sizing.Workers.DataDisk, spec.Sizing.Workers.TopoLVM = 50, true
	for name, c := range map[string]struct {
		role state.Role
		want ignition.Layout
	}{
		"no data disk":    {state.RoleInfra, ignition.Layout{}},
		"data disk":       {state.RoleStorage, ignition.Layout{RootGiB: 100}},
		"volume group":    {state.RoleWorker, ignition.Layout{RootGiB: 100, TopoLVM: true}},
		"a master's disk": {state.RoleMaster, ignition.Layout{}},
	} {
		t.Run(name, func(t *testing.T) {
			node := spec.Machines(c.role)[0]
			document, err := ignition.RenderNodePointer(node, domain, rootCA())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := ignition.ParseLayout(document); err != nil || got != c.want || got != ignition.NewLayout(node) {
				t.Errorf("%+v (%v), wanted %+v, the answers say %+v", got, err, c.want, ignition.NewLayout(node))
			}
		})
	}
	if _, err := ignition.ParseLayout([]byte("#cloud-config\n")); err == nil {
		t.Error("what is no Ignition document has a layout")
	}
}
