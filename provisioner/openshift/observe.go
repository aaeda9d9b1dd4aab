package openshift

import (
	"cmp"
	"context"
	"net/netip"
	"slices"

	"exoshift/state"
)

// Poll polls the cluster once: the bootstrap machine, if there is one, and all resources of the API, each kind once. The snapshot
// is valid beside an error: what could not be read is missing in it, and phases that earlier polls found remain.
func (c *Cluster) Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error) {
	api, err := c.connect(ctx)
	if err != nil {
		return c.buildObservation(nil, snapshot{failure: err}), err
	}
	var probes state.Probes
	sent := c.startProbes(ctx, api, bootstrap)
	answer, err := api.checkReady(ctx, c)
	if sent {
		probes = c.collectProbes(ctx, err != nil)
	}
	probes.API = answer
	found := snapshot{probes: probes, failure: err, bootstrap: bootstrap, expected: expected}
	if err == nil {
		found.pollResult, found.failure = api.poll(ctx, c.has)
	}
	return c.buildObservation(api, found), found.failure
}

func (c *Cluster) buildObservation(api *api, found snapshot) state.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.api != api && api != nil { // the kubeconfig changed meanwhile
		return state.Snapshot{At: c.net.Clock.Now(), Probes: found.probes}
	}
	seen := &found.observed
	seen.At, seen.Probes = c.net.Clock.Now(), found.probes
	seen.Nodes = toNodeStatuses(found.nodes)
	if api != nil {
		c.history.count(found.probes.API.OK)
		seen.Requests, c.approvable = c.history.reviewRequests(api.domain(), found)
	}
	seen.Version = found.version.toStatus()
	c.history.updateVersion(&seen.Version)
	seen.Operators = c.history.updateOperators(found.operators, seen.At)
	seen.Version.Total, seen.Version.Unstable = len(seen.Operators), listUnstable(seen.Operators)
	seen.Pools, seen.Routers, seen.MastersSchedulable = found.listPoolStatuses(), found.listRouterNodes(), found.schedulers.Spec.MastersSchedulable
	seen.Etcd = found.buildEtcdStatus(c.history.reached[state.PhaseComplete])
	seen.Bootstrap = c.history.updateBootstrap(found)
	return *seen
}

func listUnstable(operators []state.OperatorStatus) []string {
	var names []string
	for _, operator := range operators {
		if !operator.Stable {
			names = append(names, operator.Name)
		}
	}
	return names
}

func sortBy[T any, K cmp.Ordered](all []T, key func(T) K) {
	slices.SortStableFunc(all, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}
