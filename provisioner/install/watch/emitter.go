package watch

import (
	"exoshift/provisioner"
	"exoshift/provisioner/clusterevents"
	"exoshift/provisioner/install/machines"
	"exoshift/state"
)

// emitter emits what has changed between two polls.
type emitter struct {
	spec     state.Spec
	machines *machines.Machines
	changes  clusterevents.Emitter
	states   provisioner.LastStates // of probes

	consecutiveFailures map[string]int // of probes, in a row
}

func (e *emitter) emitCluster(report provisioner.Report, seen state.Snapshot) {
	e.changes.EmitEtcd(report, seen.Etcd)
	e.emitNodes(report, seen)
	e.changes.EmitVersion(report, seen.Version)
	e.changes.EmitOperators(report, seen.Operators)
}

// A probe's failure is emitted only after this number of failures in a row: servers restart while the control plane is
// rolled out.
const failureThreshold = 3

func (e *emitter) emitProbes(report provisioner.Report, probes state.Probes) {
	e.emitProbe(report, "ssh", probes.SSH)
	e.emitProbe(report, "api-direct", probes.Direct)
	e.emitProbe(report, "api", probes.API)
}

func (e *emitter) emitProbe(report provisioner.Report, way string, probe state.Probe) {
	if probe.Target == "" || e.countFailures(way, probe.OK) < failureThreshold && !probe.OK {
		return
	}
	event := provisioner.Event{Type: provisioner.TypeProbe, Name: way, State: provisioner.Reached, Text: probe.Target}
	if !probe.OK {
		event.State, event.Reason = provisioner.Unreachable, probe.Layer+": "+probe.Detail
	}
	if e.states.Update("probe/"+way, event.State+event.Reason) {
		report(event)
	}
}

func (e *emitter) countFailures(way string, ok bool) int {
	if e.consecutiveFailures[way]++; ok {
		e.consecutiveFailures[way] = 0
	}
	return e.consecutiveFailures[way]
}

func (e *emitter) emitNodes(report provisioner.Report, seen state.Snapshot) {
	nodes, client, serving := seen.NodesByName(), map[string]string{}, map[string]string{}
	for _, request := range seen.Requests { // the newest last
		if request.Serving {
			serving[request.Node] = request.State
		} else {
			client[request.Node] = request.State
		}
	}
	for _, machine := range e.spec.Nodes() {
		instance, started := e.machines.Find(machine.Name)
		if !started {
			continue
		}
		event := provisioner.Event{
			State: provisioner.NodeBooting, Name: machine.Name, Role: string(machine.Role),
			Machine: instance.State, Client: client[machine.Name], Serving: serving[machine.Name],
		}
		if node, registered := nodes[machine.Name]; registered {
			event.State, event.Reason = provisioner.NodeNotReady, node.Reason
			if node.Ready {
				event.State, event.Reason = provisioner.NodeReady, ""
			}
		}
		e.machines.EmitNode(report, event)
	}
}
