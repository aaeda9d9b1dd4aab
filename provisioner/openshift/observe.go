package openshift

import (
	"cmp"
	"context"
	"net/netip"
	"slices"

	"exoshift/state"
)

// Observe takes one look at the cluster: at the bootstrap machine, if there is one, and at everything that the API has,
// each kind once. The observation is valid, as far as it goes, beside an error: what could not be read is missing in it,
// and what earlier looks saw of phases stays.
func (c *Cluster) Observe(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Observation, error) {
	api, err := c.connect(ctx)
	if err != nil {
		return c.digest(nil, evidence{failure: err}), err
	}
	var probes state.Probes
	sent := c.sendSentries(ctx, api, bootstrap)
	answer, err := api.probe(ctx, c)
	if sent {
		probes = c.gatherSentries(ctx, err != nil)
	}
	probes.API = answer
	found := evidence{probes: probes, failure: err, bootstrap: bootstrap, expected: expected}
	if err == nil {
		found.look, found.failure = api.look(ctx, c.has)
	}
	return c.digest(api, found), found.failure
}

// digest makes the observation out of what was found, and of what earlier looks saw.
func (c *Cluster) digest(api *api, found evidence) state.Observation {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.api != api && api != nil { // another kubeconfig came meanwhile
		return state.Observation{At: c.net.Clock.Now(), Probes: found.probes}
	}
	seen := &found.seen
	seen.At, seen.Probes = c.net.Clock.Now(), found.probes
	seen.Nodes = nodeStatuses(found.nodes)
	if api != nil {
		c.memory.count(found.probes.API.OK)
		seen.Requests, c.approvable = c.memory.reviewRequests(api.domain(), found)
	}
	seen.Version = found.version.status()
	c.memory.judgeVersion(&seen.Version)
	seen.Operators = c.memory.judgeOperators(found.operators, seen.At)
	seen.Version.Total, seen.Version.Unstable = len(seen.Operators), unstable(seen.Operators)
	seen.Pools, seen.Routers, seen.MastersSchedulable = found.poolStatuses(), found.routerNodes(), found.schedulers.Spec.MastersSchedulable
	seen.Etcd = found.etcdStatus(c.memory.reached[state.PhaseComplete])
	seen.Bootstrap = c.memory.status(found)
	return *seen
}

func unstable(operators []state.OperatorStatus) []string {
	var names []string
	for _, operator := range operators {
		if !operator.Stable {
			names = append(names, operator.Name)
		}
	}
	return names
}

// sortedBy sorts by a key.
func sortedBy[T any, K cmp.Ordered](all []T, key func(T) K) {
	slices.SortStableFunc(all, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}
