// Package observe polls a cluster that is being installed: each poll yields a snapshot.
package observe

import (
	"context"
	"net/netip"
	"sync"

	"exoshift/provisioner/openshift/csr"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
)

// Observer polls a cluster, and remembers what earlier polls found. It only lists and gets: watches would break whenever an API
// server is replaced.
type Observer struct {
	connector *kubeapi.Connector
	reviewer  *csr.Reviewer
	probes    bootstrapProbes

	mu      sync.Mutex
	client  *kubeapi.Client // of history; nil before the first poll
	history history
}

// New returns an observer of the connector's cluster, which has the requests for certificates reviewed.
func New(connector *kubeapi.Connector, reviewer *csr.Reviewer) *Observer {
	return &Observer{connector: connector, reviewer: reviewer, history: newHistory()}
}

// Close stops background probes; the Observer stays usable.
func (o *Observer) Close() { o.probes.close() }

// Poll polls the cluster once: the bootstrap machine, if there is one, and all resources of the API, each kind once. The snapshot
// is valid beside an error: what could not be read is missing in it, and phases that earlier polls found remain.
func (o *Observer) Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error) {
	api, err := o.connector.Connect(ctx)
	if err != nil {
		return o.buildSnapshot(nil, snapshot{failure: err}), err
	}
	o.begin(api)
	var probes state.Probes
	probed := bootstrap.IsValid() && !o.hasReached(state.PhaseMemberRemoved) // afterwards the machine is deleted
	if probed {
		o.probes.start(ctx, api, bootstrap)
	}
	answer, err := checkReady(ctx, api)
	if probed {
		probes = o.probes.collect(ctx, err != nil)
	}
	probes.API = answer
	found := snapshot{probes: probes, failure: err, bootstrap: bootstrap, expected: expected}
	if err == nil {
		found.pollResult, found.failure = poll(ctx, api, o.hasReached)
	}
	return o.buildSnapshot(api, found), found.failure
}

// begin forgets the history of another cluster.
func (o *Observer) begin(api *kubeapi.Client) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.client != nil && o.client != api {
		o.history = newHistory()
	}
	o.client = api
}

func (o *Observer) hasReached(phase string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.history.reached[phase]
}

func (o *Observer) buildSnapshot(api *kubeapi.Client, found snapshot) state.Snapshot {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.connector.Network.Clock.Now()
	if api != nil && o.connector.Current() != api { // the kubeconfig changed meanwhile
		return state.Snapshot{At: now, Probes: found.probes}
	}
	seen := &found.observed
	seen.At, seen.Probes = now, found.probes
	seen.Nodes = toNodeStatuses(found.nodes)
	if api != nil {
		o.history.count(found.probes.API.OK)
		seen.Requests = o.reviewer.Review(api, csr.Evidence{At: now, Expected: found.expected, Nodes: found.nodes, Requests: found.requests})
	}
	seen.Version = found.version.ToStatus()
	o.history.operators.UpdateVersion(&seen.Version)
	seen.Operators = o.history.operators.UpdateOperators(found.operators, seen.At)
	seen.Version.Total, seen.Version.Unstable = len(seen.Operators), listUnstable(seen.Operators)
	seen.Pools, seen.Routers, seen.MastersSchedulable = found.listPoolStatuses(), found.listRouterNodes(), found.schedulers.Spec.MastersSchedulable
	seen.Etcd = found.toEtcdObservation(o.history.reached[state.PhaseComplete]).Status()
	seen.Bootstrap = o.history.updateBootstrap(found)
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
