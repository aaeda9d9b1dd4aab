// Package pool has the rules about groups of machines that are instance pools.
package pool

import (
	"fmt"

	"exoshift/state"
)

// Fault is what is wrong with an answer about a pool.
type Fault struct{ Key, Message, Allowed string }

// Check returns what is wrong with the pools of answers.
func Check(spec state.Spec) []Fault {
	var faults []Fault
	for _, other := range []struct {
		key     string
		machine state.MachineSpec
	}{
		{"sizing.bootstrap", spec.Sizing.Bootstrap}, {"sizing.loadBalancers", spec.Sizing.LoadBalancers},
		{"sizing.controlPlane", spec.Sizing.ControlPlane}, {"sizing.storage", spec.Sizing.Storage},
	} {
		if other.machine.Pool {
			faults = append(faults, Fault{other.key + ".pool", "an instance pool is not available for this role", "infra, workers and additional groups"})
		}
	}
	faults = append(faults, checkBounds("sizing.infra", spec.Sizing.Infra)...)
	faults = append(faults, checkBounds("sizing.workers", spec.Sizing.Workers)...)
	for i, group := range spec.Sizing.ExtraGroups {
		faults = append(faults, checkBounds(fmt.Sprintf("sizing.extraGroups[%d]", i), group.MachineSpec)...)
	}
	return faults
}

func checkBounds(key string, group state.MachineSpec) []Fault {
	switch {
	case !group.Pool && group.Min != 0:
		return []Fault{{key + ".min", "only an instance pool has a minimum", "0, or " + key + ".pool"}}
	case !group.Pool && group.Max != 0:
		return []Fault{{key + ".max", "only an instance pool has a maximum", "0, or " + key + ".pool"}}
	case group.Max > 0 && group.Min > group.Max:
		return []Fault{{key + ".min", fmt.Sprintf("%d is above the maximum of %d", group.Min, group.Max), fmt.Sprintf("at most %d", group.Max)}}
	case group.Min > 0 && group.Count < group.Min:
		return []Fault{{key + ".count", fmt.Sprintf("%d is below the minimum of the pool", group.Count), fmt.Sprintf("at least %d", group.Min)}}
	case group.Max > 0 && group.Count > group.Max:
		return []Fault{{key + ".count", fmt.Sprintf("%d is above the maximum of the pool", group.Count), fmt.Sprintf("at most %d", group.Max)}}
	}
	return nil
}
