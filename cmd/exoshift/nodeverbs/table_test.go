package nodeverbs

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"exoshift/provisioner/nodes"
	"exoshift/state"
)

func TestNodeList_ShowsBoundsOfPools(t *testing.T) {
	member := func(name string, role state.Role, spec state.MachineSpec) nodes.Node {
		return nodes.Node{Name: name, Role: role, Answer: &state.Machine{Name: name, Role: role, MachineSpec: spec}}
	}
	bounded := state.MachineSpec{Pool: true, Min: 3, Max: 9}
	all := []nodes.Node{
		member("master-0", state.RoleMaster, state.MachineSpec{}),
		member("infra-0", state.RoleInfra, state.MachineSpec{Pool: true}),
		member("worker-1", state.RoleWorker, bounded), member("worker-2", state.RoleWorker, bounded),
		{Name: "worker-3", Role: state.RoleWorker}, // the answers do not ask for it
	}
	var table, lines bytes.Buffer
	if err := printNodes(&table, all, time.Now(), false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"infra: an instance pool of 1 machine, may have any number\n", "workers: an instance pool of 2 machines, may have 3 to 9\n"} {
		if strings.Count(table.String(), want) != 1 {
			t.Errorf("the table has not once %q:\n%s", want, table.String())
		}
	}
	if strings.Contains(table.String(), "controlPlane: ") {
		t.Errorf("masters are no pool:\n%s", table.String())
	}
	if err := writeNodesJSON(&lines, all); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(lines.String()), "\n") {
		want := []string{"", `"instance_pool":{"min":0,"max":0}`, `"instance_pool":{"min":3,"max":9}`, `"instance_pool":{"min":3,"max":9}`, ""}[i]
		if has := strings.Contains(line, `"instance_pool"`); has != (want != "") || !strings.Contains(line, want) {
			t.Errorf("%q is not in %s", want, line)
		}
	}
}
