package simcloud

import (
	"slices"
	"strings"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/mirror"
)

// objectFault is something that somebody does to the zone's objects, as with a second terminal.
type objectFault struct {
	trigger string                   // how the name of the machine begins whose creation brings it about
	inject  func(a *api.API) (n int) // how many objects it took away
}

const (
	machineConfigPort = 22623
	apiPort           = 6443
	peerPort          = 2380
	// otherRelease has a boot image that others do not start from.
	otherRelease = "4.18.24"
)

// listObjectFaults returns what happens, by scenario.
func listObjectFaults() map[string]objectFault {
	return map[string]objectFault{
		mcsBlocked:          {"master-", func(a *api.API) int { return a.RemoveRules("_control_plane", machineConfigPort) }},
		rulesMissing:        {"master-", func(a *api.API) int { return a.RemoveRules("_control_plane", peerPort) }},
		loadBalancerBlocked: {"bootstrap", func(a *api.API) int { return a.RemoveRules("_load_balancers", apiPort) }},
		apiNameMissing: {"bootstrap", func(a *api.API) int {
			return a.RemoveRecords(func(r api.Record) bool { return r.Name == "api" || r.Name == "api-int" })
		}},
		routesUnreachable: {"worker-", func(a *api.API) int {
			return a.RemoveRecords(func(r api.Record) bool { return strings.HasPrefix(r.Name, "*.") })
		}},
		wrongBootImage:    {"bootstrap", func(a *api.API) int { return a.ReplaceImages(mirror.ImageName(otherRelease)) }},
		NoCloudController: {"bootstrap", func(a *api.API) int { return a.RevokeKeys("ccm-exoscale") }},
	}
}

// injectObjectFault lets the scenario's incident happen, once in the life of a zone, so that it can be repaired.
func (z *Zone) injectObjectFault() error {
	scenario := z.options.Scenario
	expected, ok := listObjectFaults()[scenario]
	if _, done := z.events.Get(scenario); done || !ok {
		return nil
	}
	due := func(i api.Instance) bool { return strings.HasPrefix(i.Name, expected.trigger) }
	if !slices.ContainsFunc(z.api.Instances(), due) || expected.inject(z.api) == 0 {
		return nil
	}
	return z.events.Put(scenario, true)
}
