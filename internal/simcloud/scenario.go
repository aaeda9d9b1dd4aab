package simcloud

import (
	"maps"
	"slices"
	"strings"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/vm"
)

const (
	happy             = "happy"
	badCredentials    = "bad-credentials"
	quota             = "quota"
	mcsBlocked        = "mcs-blocked"
	masterNeverJoins  = "master-never-joins"
	lateDNS           = "late-dns"
	noDelegation      = "no-delegation"
	wrongDelegation   = "wrong-delegation"
	machineConfigPort = 22623
)

// Scenarios returns the names of what can happen in a zone, the ordinary case first.
func Scenarios() []string {
	return []string{happy, badCredentials, quota, mcsBlocked, masterNeverJoins, lateDNS, noDelegation, wrongDelegation}
}

// quotas returns the limits that differ from the usual ones.
func (z *Zone) quotas() map[string]int {
	limits := map[string]int{}
	if z.options.Scenario == quota {
		limits["instance"] = 10
	}
	maps.Copy(limits, z.options.Quotas)
	return limits
}

// broken tells whether a machine never boots: with master-never-joins the first master-2. One that is made in its place
// does.
func (z *Zone) broken(machine vm.Instance) bool {
	if z.options.Scenario != masterNeverJoins || !strings.HasPrefix(machine.Name+".", "master-2.") {
		return false
	}
	if _, happened := z.events.Get(masterNeverJoins); !happened {
		_ = z.events.Put(masterNeverJoins, true)
		_ = z.events.Put(masterNeverJoins+"/"+machine.ID, true) // a store that fails ends the zone elsewhere
	}
	never, _ := z.events.Get(masterNeverJoins + "/" + machine.ID)
	return never
}

// happen lets the scenario's event happen, once in the life of a zone, so that it can be repaired: with mcs-blocked
// the machine config server cannot be reached any more when the first master exists.
func (z *Zone) happen() error {
	if _, done := z.events.Get(mcsBlocked); done || z.options.Scenario != mcsBlocked {
		return nil
	}
	isMaster := func(i api.Instance) bool { return strings.HasPrefix(i.Name, "master-") }
	if !slices.ContainsFunc(z.api.Instances(), isMaster) || z.api.RemoveRules("_control_plane", machineConfigPort) == 0 {
		return nil
	}
	return z.events.Put(mcsBlocked, true)
}
