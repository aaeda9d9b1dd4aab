package simcloud

import (
	"strings"

	"exoshift/internal/simcloud/vm"
)

// listBootFaults returns, by scenario, the name prefix of machines that never boot.
func listBootFaults() map[string]string {
	return map[string]string{masterNeverJoins: "master-2.", bootstrapSilent: "bootstrap.", mastersSilent: "master-"}
}

// hasBootFault affects only the first machine of a name; its replacement boots.
func (f *faultInjector) hasBootFault(machine vm.Instance) bool {
	scenario, name := f.scenario, machine.Name+"."
	prefix, ok := listBootFaults()[scenario]
	if !ok || !strings.HasPrefix(name, prefix) {
		return false
	}
	host, _, _ := strings.Cut(name, ".")
	if _, happened := f.events.Get(scenario + "/" + host); !happened {
		_ = f.events.Put(scenario+"/"+host, true)
		_ = f.events.Put(scenario+"/"+machine.ID, true) // an error of the store ends the zone elsewhere
	}
	never, _ := f.events.Get(scenario + "/" + machine.ID)
	return never
}
