package simcloud

import (
	"slices"
	"strings"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/api/compute"
	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/store"
)

// objectFault is a change of the zone's objects by another operator.
type objectFault struct {
	trigger string                   // prefix of the name of the machine whose creation triggers it
	inject  func(a *api.API) (n int) // returns the number of removed objects
}

const (
	machineConfigPort = 22623
	apiPort           = 6443
	peerPort          = 2380
	// otherRelease has a boot image that other releases refuse.
	otherRelease = "4.18.24"
)

func listObjectFaults() map[string]objectFault {
	return map[string]objectFault{
		mcsBlocked:          {"master-", func(a *api.API) int { return a.RemoveRules("_control_plane", machineConfigPort) }},
		rulesMissing:        {"master-", func(a *api.API) int { return a.RemoveRules("_control_plane", peerPort) }},
		loadBalancerBlocked: {"bootstrap", func(a *api.API) int { return a.RemoveRules("_load_balancers", apiPort) }},
		apiNameMissing: {"bootstrap", func(a *api.API) int {
			return a.RemoveRecords(func(name string) bool { return name == "api" || name == "api-int" })
		}},
		routesUnreachable: {"worker-", func(a *api.API) int {
			return a.RemoveRecords(func(name string) bool { return strings.HasPrefix(name, "*.") })
		}},
		wrongBootImage:    {"bootstrap", func(a *api.API) int { return a.ReplaceImages(mirror.ImageName(otherRelease)) }},
		NoCloudController: {"bootstrap", func(a *api.API) int { return a.RevokeKeys("ccm-exoscale") }},
	}
}

// faultInjector injects the faults of a scenario that happen once in the life of a zone, so that they can be repaired.
type faultInjector struct {
	scenario string
	events   *store.Table[bool] // those that happened
}

// injectObjectFault changes the zone's objects as the scenario says.
func (f *faultInjector) injectObjectFault(a *api.API) error {
	scenario := f.scenario
	expected, ok := listObjectFaults()[scenario]
	if _, done := f.events.Get(scenario); done || !ok {
		return nil
	}
	due := func(i compute.Machine) bool { return strings.HasPrefix(i.Name, expected.trigger) }
	if !slices.ContainsFunc(a.Instances(), due) || expected.inject(a) == 0 {
		return nil
	}
	return f.events.Put(scenario, true)
}
