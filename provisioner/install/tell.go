package install

import (
	"fmt"

	"exoshift/provisioner"
	"exoshift/state"
)

// tellCluster reports what is new in what was seen.
func (i *Installation) tellCluster(report provisioner.Report, seen state.Observation) {
	i.tellEtcd(report, seen.Etcd)
	i.tellNodes(report, seen)
	i.tellVersion(report, seen.Version)
	for _, operator := range seen.Operators {
		i.tellOperator(report, operator)
	}
}

// patience is how often in a row a probe has to fail before that is told: servers come and go while the control plane
// moves.
const patience = 3

func (i *Installation) tellProbes(report provisioner.Report, probes state.Probes) {
	i.tellProbe(report, "ssh", probes.SSH)
	i.tellProbe(report, "api-direct", probes.Direct)
	i.tellProbe(report, "api", probes.API)
}

func (i *Installation) tellProbe(report provisioner.Report, way string, probe state.Probe) {
	if probe.Target == "" || i.strikes(way, probe.OK) < patience && !probe.OK {
		return
	}
	event := provisioner.Event{Type: provisioner.TypeProbe, Name: way, State: provisioner.Reached, Text: probe.Target}
	if !probe.OK {
		event.State, event.Reason = provisioner.Unreachable, probe.Layer+": "+probe.Detail
	}
	if i.changed("probe/"+way, event.State+event.Reason) {
		report(event)
	}
}

// strikes counts failures in a row.
func (i *Installation) strikes(way string, ok bool) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.failures[way]++; ok {
		i.failures[way] = 0
	}
	return i.failures[way]
}

// tellBootstrap reports a phase once.
func (i *Installation) tellBootstrap(report provisioner.Report, phase, text string) {
	if !i.changed("bootstrap/"+phase, "reached") {
		return
	}
	i.mu.Lock()
	i.phases[phase] = i.world.Clock.Now()
	i.mu.Unlock()
	report(provisioner.Event{Type: provisioner.TypeBootstrap, Phase: phase, Text: text})
}

func (i *Installation) tellEtcd(report provisioner.Report, status state.EtcdStatus) {
	if len(status.Members) == 0 || !i.changed("etcd", fmt.Sprint(status.Members, status.Held)) {
		return
	}
	members := make([]provisioner.Member, len(status.Members))
	for n, member := range status.Members {
		members[n] = provisioner.Member(member)
	}
	count := len(members)
	report(provisioner.Event{Type: provisioner.TypeEtcd, Members: members, Count: &count, Text: status.Message, Reason: status.Held})
}

// tellNodes reports the nodes whose machines run, each with the states of its requests for certificates.
func (i *Installation) tellNodes(report provisioner.Report, seen state.Observation) {
	nodes, client, serving := nodesByName(seen.Nodes), map[string]string{}, map[string]string{}
	for _, request := range seen.Requests { // the newest last
		if request.Serving {
			serving[request.Node] = request.State
		} else {
			client[request.Node] = request.State
		}
	}
	for _, machine := range i.spec.Nodes() {
		instance, started := i.instanceOf(machine.Name)
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
		i.tellNode(report, event)
	}
}

func nodesByName(nodes []state.NodeStatus) map[string]state.NodeStatus {
	named := make(map[string]state.NodeStatus, len(nodes))
	for _, node := range nodes {
		named[node.Name] = node
	}
	return named
}

func (i *Installation) instanceOf(machine string) (state.Instance, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	instance, known := i.nodes[machine]
	return instance, known
}

func (i *Installation) tellNode(report provisioner.Report, event provisioner.Event) {
	event.Type = provisioner.TypeNode
	if i.changed("node/"+event.Name, event.State+" "+event.Reason+" "+event.Machine+" "+event.Client+" "+event.Serving) {
		report(event)
	}
}

// leftTold is how many requests that were left alone are told one by one: anybody who got hold of the node bootstrapper's
// credentials can make any number of them.
const leftTold = 100

func (i *Installation) tellLeft(report provisioner.Report, request state.NodeRequest) {
	i.mu.Lock()
	_, known := i.seen["csr/"+request.Name]
	if !known {
		i.left++
	}
	count := i.left
	i.mu.Unlock()
	switch {
	case known || count <= leftTold:
		decision := state.CSRDecision{Name: request.Name, Node: request.Node, Decision: state.Left, Reason: request.Refusal}
		if request.Keys > 0 {
			decision.Decision = state.Undecided
		}
		i.tellCSR(report, decision)
	case i.changed("left", "many"):
		report.Progress(fmt.Sprintf("more than %d certificate requests were left alone; oc get csr lists them", leftTold))
	}
}

func (i *Installation) tellCSR(report provisioner.Report, d state.CSRDecision) {
	if i.changed("csr/"+d.Name, d.Decision+d.Reason) {
		report(provisioner.Event{Type: provisioner.TypeCSR, Name: d.Name, Node: d.Node, Decision: d.Decision, Reason: d.Reason})
	}
}

func (i *Installation) tellVersion(report provisioner.Report, version state.VersionStatus) {
	percent := version.Percent
	event := provisioner.Event{Type: provisioner.TypeVersion, State: "installing", Percent: &percent, Text: version.Message}
	switch {
	case version.Version == "":
		return
	case version.Failing:
		event.State = "failing"
	case version.Installed():
		event.State = "installed"
	}
	if i.changed("version", fmt.Sprint(event.State, percent, event.Text)) {
		report(event)
	}
}

func (i *Installation) tellOperator(report provisioner.Report, operator state.OperatorStatus) {
	event := provisioner.Event{Type: provisioner.TypeOperator, Name: operator.Name, State: operator.State()}
	if event.State != "stable" {
		event.Reason = operator.Message
	}
	if i.changed("operator/"+operator.Name, event.State+event.Reason) {
		report(event)
	}
}
