package simcloud

import (
	"maps"
	"slices"
	"strings"

	"exoshift/internal/simcloud/api"
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

// broken tells whether a machine never boots.
func (z *Zone) broken(name string) bool {
	return z.options.Scenario == masterNeverJoins && strings.HasPrefix(name+".", "master-2.")
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
