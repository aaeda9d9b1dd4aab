package openshift

import (
	"net/netip"

	"exoshift/state"
)

// snapshot is what tells how far the cluster is: all that was seen at one moment.
type snapshot struct {
	pollResult
	observed  state.Snapshot // as far as it is made already
	probes    state.Probes
	failure   error // why something could not be read; nil if all was
	bootstrap netip.Addr
	expected  []state.ExpectedNode
}

// masterLabel marks the control plane's nodes.
const masterLabel = "node-role.kubernetes.io/master"

// countMasters counts the masters that have registered.
func (e snapshot) countMasters() int {
	count := 0
	for _, node := range e.nodes {
		if _, master := node.Labels[masterLabel]; master {
			count++
		}
	}
	return count
}

// minMasters is on how many masters the bootstrap machine wants to see the control plane before it gives way.
const minMasters = 2

func (e snapshot) isControlPlaneRunning() bool {
	for _, component := range listComponents() {
		if e.revisions[component.name] < minMasters {
			return false
		}
	}
	return true
}

// hasMasterRequest tells whether a master has asked for its first certificate: there is no other trace in the API of a machine
// that has fetched its configuration.
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

// isTornDown tells whether the bootstrap machine's API server has left those of the cluster, for when the event
// that says so has expired.
func (e snapshot) isTornDown() bool {
	return e.bootstrap.IsValid() && len(e.servers) >= minMasters && !e.servers[e.bootstrap.String()] && e.succeeded
}

// hasReadyWorker tells whether a node is Ready that is no master.
func (e snapshot) hasReadyWorker() bool {
	for _, node := range e.observed.Nodes {
		if _, master := node.Labels[masterLabel]; node.Ready && !master {
			return true
		}
	}
	return false
}

// isStable tells whether the version is installed and every operator stable.
func (e snapshot) isStable() bool {
	return e.observed.Version.IsInstalled() && e.observed.Version.Total > 0 && len(e.observed.Version.Unstable) == 0
}
