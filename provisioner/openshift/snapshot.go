package openshift

import (
	"net/netip"

	"exoshift/state"
)

// snapshot is all that one poll found about the progress of the cluster.
type snapshot struct {
	pollResult
	observed  state.Snapshot // as far as it is built already
	probes    state.Probes
	failure   error // why something could not be read; nil if all was
	bootstrap netip.Addr
	expected  []state.ExpectedNode
}

func (e snapshot) toEtcdObservation(complete bool) Observation {
	return Observation{
		Operator: e.etcd, Endpoints: e.endpoints.Data, Events: e.etcdEvents, Nodes: e.nodes, Expected: e.expected, Complete: complete || e.complete,
	}
}

const masterLabel = "node-role.kubernetes.io/master"

func (e snapshot) countMasters() int {
	count := 0
	for _, node := range e.nodes {
		if _, master := node.Labels[masterLabel]; master {
			count++
		}
	}
	return count
}

// minMasters is on how many masters the bootstrap machine requires the control plane before it ends.
const minMasters = 2

func (e snapshot) isControlPlaneRunning() bool {
	for _, component := range listComponents() {
		if e.revisions[component.name] < minMasters {
			return false
		}
	}
	return true
}

// hasMasterRequest reports whether a master has requested its first certificate: the API has no other trace of a machine that has
// fetched its configuration.
func (e snapshot) hasMasterRequest() bool {
	masters := map[string]bool{}
	for _, node := range e.expected {
		masters[node.Name] = node.Role == state.RoleMaster
	}
	for _, request := range e.observed.Requests {
		if !request.Serving && request.BlockedReason == "" && masters[request.Node] {
			return true
		}
	}
	return false
}

// isTornDown reports whether the bootstrap machine's API server is gone from those of the cluster, for when the event has
// expired.
func (e snapshot) isTornDown() bool {
	return e.bootstrap.IsValid() && len(e.servers) >= minMasters && !e.servers[e.bootstrap.String()] && e.succeeded
}

func (e snapshot) hasReadyWorker() bool {
	for _, node := range e.observed.Nodes {
		if _, master := node.Labels[masterLabel]; node.Ready && !master {
			return true
		}
	}
	return false
}

func (e snapshot) isStable() bool {
	return e.observed.Version.IsInstalled() && e.observed.Version.Total > 0 && len(e.observed.Version.Unstable) == 0
}
