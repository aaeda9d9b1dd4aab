package openshift

import (
	"cmp"
	"slices"

	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

type pool struct {
	Metadata named `json:"metadata"`
	Status   struct {
		Conditions conditions `json:"conditions"`
		Machines   int        `json:"machineCount"`
		Updated    int        `json:"updatedMachineCount"`
		Ready      int        `json:"readyMachineCount"`
	} `json:"status"`
}

// toStatus prefers the other conditions: Degraded only summarizes them (inferred).
func (p pool) toStatus() state.PoolStatus {
	status := state.PoolStatus{
		Name: p.Metadata.Name, Machines: p.Status.Machines, Updated: p.Status.Updated, Ready: p.Status.Ready,
	}
	for _, kind := range []string{"RenderDegraded", "NodeDegraded", "Degraded"} {
		if p.Status.Conditions.is(kind) {
			status.Degraded = true
			status.Message = cmp.Or(status.Message, p.Status.Conditions.find(kind).Message)
		}
	}
	return status
}

type scheduler struct {
	Spec struct {
		MastersSchedulable bool `json:"mastersSchedulable"`
	} `json:"spec"`
}

func (l *pollResult) listPoolStatuses() []state.PoolStatus {
	var statuses []state.PoolStatus
	for _, pool := range l.pools {
		statuses = append(statuses, pool.toStatus())
	}
	slices.SortFunc(statuses, func(a, b state.PoolStatus) int { return cmp.Compare(a.Name, b.Name) })
	return statuses
}

// listRouterNodes takes every pod of the namespace for a router: it holds nothing else (inferred).
func (l *pollResult) listRouterNodes() []string {
	var names []string
	for _, pod := range l.routers {
		if pod.Status.Phase == corev1.PodRunning && pod.Spec.NodeName != "" {
			names = append(names, pod.Spec.NodeName)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
