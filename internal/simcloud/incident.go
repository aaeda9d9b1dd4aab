package simcloud

import (
	"slices"
	"strings"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/mirror"
)

// incident is something that somebody does to the zone's objects, as with a second terminal.
type incident struct {
	after  string                   // how the name of the machine begins whose creation brings it about
	strike func(a *api.API) (n int) // how many objects it took away
}

const (
	machineConfigPort = 22623
	apiPort           = 6443
	peerPort          = 2380
	// otherRelease has a boot image that others do not start from.
	otherRelease = "4.18.24"
)

// incidents returns what happens, by scenario.
func incidents() map[string]incident {
	return map[string]incident{
		mcsBlocked:          {"master-", func(a *api.API) int { return a.RemoveRules("_control_plane", machineConfigPort) }},
		rulesMissing:        {"master-", func(a *api.API) int { return a.RemoveRules("_control_plane", peerPort) }},
		loadBalancerBlocked: {"bootstrap", func(a *api.API) int { return a.RemoveRules("_load_balancers", apiPort) }},
		apiNameMissing: {"bootstrap", func(a *api.API) int {
			return a.RemoveRecords(func(r api.Record) bool { return r.Name == "api" || r.Name == "api-int" })
		}},
		routesUnreachable: {"worker-", func(a *api.API) int {
			return a.RemoveRecords(func(r api.Record) bool { return strings.HasPrefix(r.Name, "*.") })
		}},
		wrongBootImage:    {"bootstrap", func(a *api.API) int { return a.ReplaceImages(mirror.Build(otherRelease)) }},
		NoCloudController: {"bootstrap", func(a *api.API) int { return a.RevokeKeys("ccm-exoscale") }},
	}
}

// happen lets the scenario's incident happen, once in the life of a zone, so that it can be repaired.
func (z *Zone) happen() error {
	scenario := z.options.Scenario
	expected, ok := incidents()[scenario]
	if _, done := z.events.Get(scenario); done || !ok {
		return nil
	}
	due := func(i api.Instance) bool { return strings.HasPrefix(i.Name, expected.after) }
	if !slices.ContainsFunc(z.api.Instances(), due) || expected.strike(z.api) == 0 {
		return nil
	}
	return z.events.Put(scenario, true)
}
