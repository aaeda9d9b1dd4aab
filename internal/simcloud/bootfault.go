package simcloud

import (
	"strings"

	"exoshift/internal/simcloud/vm"
)

// listBootFaults returns how the names of the machines begin that never boot, by scenario.
func listBootFaults() map[string]string {
	return map[string]string{masterNeverJoins: "master-2.", bootstrapSilent: "bootstrap.", mastersSilent: "master-"}
}

// hasBootFault tells whether a machine never boots: the first of its name. One that is made in its place does.
func (z *Zone) hasBootFault(machine vm.Instance) bool {
	scenario, name := z.options.Scenario, machine.Name+"."
	prefix, ok := listBootFaults()[scenario]
	if !ok || !strings.HasPrefix(name, prefix) {
		return false
	}
	host, _, _ := strings.Cut(name, ".")
	if _, happened := z.events.Get(scenario + "/" + host); !happened {
		_ = z.events.Put(scenario+"/"+host, true)
		_ = z.events.Put(scenario+"/"+machine.ID, true) // a store that fails ends the zone elsewhere
	}
	never, _ := z.events.Get(scenario + "/" + machine.ID)
	return never
}
