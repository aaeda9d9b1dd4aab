package install

import (
	"fmt"

	"exoshift/provisioner"
	"exoshift/state"
)

func (i *Installation) emitCluster(report provisioner.Report, seen state.Snapshot) {
	i.emitEtcd(report, seen.Etcd)
	i.emitNodes(report, seen)
	i.emitVersion(report, seen.Version)
	for _, operator := range seen.Operators {
		i.emitOperator(report, operator)
	}
}

// A probe's failure is emitted only after this number of failures in a row: servers restart while the control plane is
// rolled out.
const failureThreshold = 3

func (i *Installation) emitProbes(report provisioner.Report, probes state.Probes) {
	i.emitProbe(report, "ssh", probes.SSH)
	i.emitProbe(report, "api-direct", probes.Direct)
	i.emitProbe(report, "api", probes.API)
}

func (i *Installation) emitProbe(report provisioner.Report, way string, probe state.Probe) {
	if probe.Target == "" || i.countFailures(way, probe.OK) < failureThreshold && !probe.OK {
		return
	}
	event := provisioner.Event{Type: provisioner.TypeProbe, Name: way, State: provisioner.Reached, Text: probe.Target}
	if !probe.OK {
		event.State, event.Reason = provisioner.Unreachable, probe.Layer+": "+probe.Detail
	}
	if i.states.Update("probe/"+way, event.State+event.Reason) {
		report(event)
	}
}

func (i *Installation) countFailures(way string, ok bool) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.consecutiveFailures[way]++; ok {
		i.consecutiveFailures[way] = 0
	}
	return i.consecutiveFailures[way]
}

func (i *Installation) emitBootstrap(report provisioner.Report, phase, text string) {
	if !i.states.Update("bootstrap/"+phase, "reached") {
		return
	}
	i.mu.Lock()
	i.phases[phase] = i.clients.Clock.Now()
	i.mu.Unlock()
	report(provisioner.Event{Type: provisioner.TypeBootstrap, Phase: phase, Text: text})
}

func (i *Installation) emitEtcd(report provisioner.Report, status state.EtcdStatus) {
	if len(status.Members) == 0 || !i.states.Update("etcd", fmt.Sprint(status.Members, status.BlockedReason)) {
		return
	}
	members := make([]provisioner.Member, len(status.Members))
	for n, member := range status.Members {
		members[n] = provisioner.Member(member)
	}
	count := len(members)
	report(provisioner.Event{Type: provisioner.TypeEtcd, Members: members, Count: &count, Text: status.Message, Reason: status.BlockedReason})
}

func (i *Installation) emitNodes(report provisioner.Report, seen state.Snapshot) {
	nodes, client, serving := indexNodes(seen.Nodes), map[string]string{}, map[string]string{}
	for _, request := range seen.Requests { // the newest last
		if request.Serving {
			serving[request.Node] = request.State
		} else {
			client[request.Node] = request.State
		}
	}
	for _, machine := range i.spec.Nodes() {
		instance, started := i.findInstance(machine.Name)
		if !started {
			continue
		}
		event := provisioner.Event{
			State: nodeBooting, Name: machine.Name, Role: string(machine.Role),
			Machine: instance.State, Client: client[machine.Name], Serving: serving[machine.Name],
		}
		if node, registered := nodes[machine.Name]; registered {
			event.State, event.Reason = nodeNotReady, node.Reason
			if node.Ready {
				event.State, event.Reason = nodeReady, ""
			}
		}
		i.emitNode(report, event)
	}
}

func indexNodes(nodes []state.NodeStatus) map[string]state.NodeStatus {
	named := make(map[string]state.NodeStatus, len(nodes))
	for _, node := range nodes {
		named[node.Name] = node
	}
	return named
}

func (i *Installation) findInstance(machine string) (state.Instance, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	instance, known := i.nodes[machine]
	return instance, known
}

func (i *Installation) emitNode(report provisioner.Report, event provisioner.Event) {
	event.Type = provisioner.TypeNode
	if i.states.Update("node/"+event.Name, event.State+" "+event.Reason+" "+event.Machine+" "+event.Client+" "+event.Serving) {
		report(event)
	}
}

// Further skipped requests are not emitted: with the node bootstrapper's credentials anybody can create any number of
// them.
const maxSkippedCSRs = 100

func (i *Installation) emitSkippedCSR(report provisioner.Report, request state.NodeRequest) {
	known := i.states.Get("csr/"+request.Name) != ""
	i.mu.Lock()
	if !known {
		i.skippedCSRs++
	}
	count := i.skippedCSRs
	i.mu.Unlock()
	switch {
	case known || count <= maxSkippedCSRs:
		decision := state.CSRDecision{Name: request.Name, Node: request.Node, Decision: state.Skipped, Reason: request.BlockedReason}
		if request.Keys > 0 {
			decision.Decision = state.Undecided
		}
		i.emitCSR(report, decision)
	case i.states.Update("left", "many"):
		report.EmitProgress(fmt.Sprintf("more than %d certificate requests were left alone; oc get csr lists them", maxSkippedCSRs))
	}
}

func (i *Installation) emitCSR(report provisioner.Report, d state.CSRDecision) {
	if i.states.Update("csr/"+d.Name, d.Decision+d.Reason) {
		report(provisioner.Event{Type: provisioner.TypeCSR, Name: d.Name, Node: d.Node, Decision: d.Decision, Reason: d.Reason})
	}
}

func (i *Installation) emitVersion(report provisioner.Report, version state.VersionStatus) {
	percent := version.Percent
	event := provisioner.Event{Type: provisioner.TypeVersion, State: "installing", Percent: &percent, Text: version.Message}
	switch {
	case version.Version == "":
		return
	case version.Failing:
		event.State = "failing"
	case version.IsInstalled():
		event.State = "installed"
	}
	if i.states.Update("version", fmt.Sprint(event.State, percent, event.Text)) {
		report(event)
	}
}

func (i *Installation) emitOperator(report provisioner.Report, operator state.OperatorStatus) {
	event := provisioner.Event{Type: provisioner.TypeOperator, Name: operator.Name, State: operator.State()}
	if event.State != "stable" {
		event.Reason = operator.Message
	}
	if i.states.Update("operator/"+operator.Name, event.State+event.Reason) {
		report(event)
	}
}
