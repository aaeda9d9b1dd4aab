package observe

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"

	"exoshift/provisioner/openshift/etcd"
	"exoshift/provisioner/openshift/kubeapi"
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

func (e snapshot) toEtcdObservation(complete bool) etcd.Observation {
	return etcd.Observation{
		Operator: e.etcd, Endpoints: e.endpoints.Data, Events: e.etcdEvents, Nodes: e.nodes, Expected: e.expected, Complete: complete || e.complete,
	}
}

func (e snapshot) countMasters() int {
	count := 0
	for _, node := range e.nodes {
		if _, master := node.Labels[kubeapi.MasterLabel]; master {
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
		if _, master := node.Labels[kubeapi.MasterLabel]; node.Ready && !master {
			return true
		}
	}
	return false
}

func (e snapshot) isStable() bool {
	return e.observed.Version.IsInstalled() && e.observed.Version.Total > 0 && len(e.observed.Version.Unstable) == 0
}

// listPhases returns the phases that the snapshot itself shows. The machine config server is accessible to the cluster's machines
// only, so that it serves is inferred from later phases.
func (e snapshot) listPhases() []string {
	reported := e.etcd.Status.Conditions
	var shown []string
	for _, signal := range []struct {
		phase string
		seen  bool
	}{
		{state.PhaseMachine, e.probes.SSH.OK},
		{state.PhaseManifests, e.versioned},
		{state.PhaseMastersBoot, e.hasMasterRequest()},
		{state.PhaseMasters, e.countMasters() > 0},
		{state.PhaseEtcd, len(e.observed.Etcd.Members) > 1},
		{state.PhaseControlPlane, e.isControlPlaneRunning()},
		{state.PhaseBootstrapped, e.succeeded},
		{state.PhaseTeardown, e.tornDown || e.isTornDown()},
		{state.PhaseEtcdInCluster, reported.Is(etcd.RunningInCluster)},
		{state.PhaseComplete, e.complete},
		{state.PhaseMemberRemoved, reported.Is(etcd.BootstrapMemberRemoved)},
		{state.PhaseNodes, e.hasReadyWorker()},
		{state.PhaseVersion, e.observed.Version.IsInstalled()},
		{state.PhaseStable, e.isStable()},
	} {
		if signal.seen {
			shown = append(shown, signal.phase)
		}
	}
	return shown
}

// listImpliedPhases returns the phases that must precede one. Signals get lost (events expire, a run is resumed, a firewall
// blocks the bootstrap machine), but these orders are fixed; etcd and the control plane grow in parallel. Nothing implies that
// the bootstrap member was removed: a machine is deleted because of it.
func listImpliedPhases(phase string) []string {
	switch phase {
	case state.PhaseMachineConfig:
		return []string{state.PhaseMachine}
	case state.PhaseTemporaryAPI:
		return []string{state.PhaseMachineConfig}
	case state.PhaseManifests, state.PhaseMastersBoot:
		return []string{state.PhaseTemporaryAPI}
	case state.PhaseMasters:
		return []string{state.PhaseMastersBoot}
	case state.PhaseEtcd, state.PhaseControlPlane:
		return []string{state.PhaseManifests, state.PhaseMasters}
	case state.PhaseBootstrapped:
		return []string{state.PhaseControlPlane}
	case state.PhaseTeardown:
		return []string{state.PhaseBootstrapped}
	case state.PhaseEtcdInCluster:
		return []string{state.PhaseEtcd}
	case state.PhaseComplete:
		return []string{state.PhaseTeardown, state.PhaseEtcdInCluster}
	case state.PhaseMemberRemoved:
		return []string{state.PhaseComplete}
	case state.PhaseNodes:
		return []string{state.PhaseManifests, state.PhaseMasters}
	case state.PhaseVersion:
		// An installed version waits for no worker nodes: without them, routers run on masters.
		return []string{state.PhaseNodes}
	case state.PhaseStable:
		return []string{state.PhaseVersion}
	}
	return nil
}

func (e snapshot) describeWaiting(phase string) string {
	switch phase {
	case state.PhaseMachine, state.PhaseMachineConfig, state.PhaseTemporaryAPI:
		return "the API answered; waiting for it to answer again"
	case state.PhaseManifests:
		return "waiting for the first object of the cluster version operator"
	case state.PhaseMastersBoot:
		return "no master has requested a certificate yet"
	case state.PhaseMasters:
		return "no master has registered yet"
	case state.PhaseEtcd:
		return "etcd: " + cmp.Or(e.observed.Etcd.Message, "the operator has not reported any member yet")
	case state.PhaseControlPlane:
		return e.describeMissingControlPlane()
	case state.PhaseBootstrapped:
		return "waiting for the bootstrap machine to detect the control plane's pods"
	case state.PhaseTeardown:
		return "waiting for the remaining manifests to be applied"
	}
	return e.describeLateWaiting(phase)
}

func (e snapshot) describeLateWaiting(phase string) string {
	switch phase {
	case state.PhaseEtcdInCluster:
		return "etcd: " + cmp.Or(e.observed.Etcd.BlockedReason, e.observed.Etcd.Message, "the operator has not reported any member yet")
	case state.PhaseComplete:
		return "waiting for the bootstrap machine to report completion"
	case state.PhaseMemberRemoved:
		return "waiting for etcd to remove the bootstrap member: " + cmp.Or(e.observed.Etcd.BlockedReason, "the operator has not confirmed it yet")
	case state.PhaseNodes:
		return "no node besides the masters is Ready yet"
	case state.PhaseVersion:
		return cmp.Or(e.observed.Version.Message, "the cluster version operator has not reported yet")
	case state.PhaseStable:
		return e.describeUnstable()
	}
	return ""
}

func (e snapshot) describeMissingControlPlane() string {
	var missing []string
	for _, component := range listComponents() {
		if count := e.revisions[component.name]; count < minMasters {
			missing = append(missing, fmt.Sprintf("%s on %d", component.name, count))
		}
	}
	return fmt.Sprintf("waiting for %d masters to run the control plane: %s", minMasters, strings.Join(missing, ", "))
}

func (e snapshot) describeUnstable() string {
	version := e.observed.Version
	switch {
	case version.Total == 0:
		return "no operator has reported yet"
	case !version.IsInstalled():
		return cmp.Or(version.Message, "the version is no longer installed")
	}
	return fmt.Sprintf("%d of %d operators are not stable: %s", len(version.Unstable), version.Total, kubeapi.FormatNames(version.Unstable))
}
