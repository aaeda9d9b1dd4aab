package openshift

import (
	"net/netip"

	"exoshift/state"
)

// evidence is what tells how far the cluster is: all that was seen at one moment.
type evidence struct {
	look
	seen      state.Observation // as far as it is made already
	probes    state.Probes
	failure   error // why something could not be read; nil if all was
	bootstrap netip.Addr
	expected  []state.ExpectedNode
}

// masterLabel marks the control plane's nodes.
const masterLabel = "node-role.kubernetes.io/master"

// masters counts the masters that have registered.
func (e evidence) masters() int {
	count := 0
	for _, node := range e.nodes {
		if _, master := node.Labels[masterLabel]; master {
			count++
		}
	}
	return count
}

// enoughMasters is on how many masters the bootstrap machine wants to see the control plane before it gives way.
const enoughMasters = 2

func (e evidence) controlPlaneRuns() bool {
	for _, component := range controlPlane() {
		if e.revisions[component.name] < enoughMasters {
			return false
		}
	}
	return true
}

// mastersAsk tells whether a master has asked for its first certificate: there is no other trace in the API of a machine
// that has fetched its configuration.
func (e evidence) mastersAsk() bool {
	masters := map[string]bool{}
	for _, node := range e.expected {
		masters[node.Name] = node.Role == state.RoleMaster
	}
	for _, request := range e.seen.Requests {
		if !request.Serving && request.Refusal == "" && masters[request.Node] {
			return true
		}
	}
	return false
}

// tornDownSilently tells whether the bootstrap machine's API server has left those of the cluster, for when the event
// that says so has expired.
func (e evidence) tornDownSilently() bool {
	return e.bootstrap.IsValid() && len(e.servers) >= enoughMasters && !e.servers[e.bootstrap.String()] && e.succeeded
}

// othersJoined tells whether a node is Ready that is no master.
func (e evidence) othersJoined() bool {
	for _, node := range e.seen.Nodes {
		if _, master := node.Labels[masterLabel]; node.Ready && !master {
			return true
		}
	}
	return false
}

// stable tells whether the version is installed and every operator stable.
func (e evidence) stable() bool {
	return e.seen.Version.Installed() && e.seen.Version.Total > 0 && len(e.seen.Version.Unstable) == 0
}
