package clusterevents

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// Cluster is a cluster that is installed. Nobody else may poll it by the same connection: approvals are about what was polled last.
type Cluster interface {
	Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error)
}

// Monitor polls a cluster while a verb works on it.
type Monitor struct {
	cluster Cluster
	clock   provisioner.Clock
	emitter Emitter
	known   []string // nodes of the poll before
	answers bool     // the last poll was complete
}

// NewMonitor returns a monitor of a cluster.
func NewMonitor(cluster Cluster, clock provisioner.Clock) *Monitor {
	return &Monitor{cluster: cluster, clock: clock}
}

const (
	// interval is between two polls: people watch, nothing waits for them.
	interval = 15 * time.Second
	// finishLimit is for how long the API may take at the end, when a stop may have ended it.
	finishLimit = 5 * time.Second
)

// Run emits what changes until ctx ends. An API that does not answer is no event: that is for the steps of the verb.
func (m *Monitor) Run(ctx context.Context, report provisioner.Report) {
	for ctx.Err() == nil {
		m.poll(ctx, report)
		_ = m.clock.Sleep(ctx, interval) // it ends early with ctx
	}
}

// Finish emits what has changed since the last poll, unless that failed already.
func (m *Monitor) Finish(ctx context.Context, report provisioner.Report) {
	if m.answers {
		ctx, cancel := context.WithTimeout(ctx, finishLimit)
		defer cancel()
		m.poll(ctx, report)
	}
}

// Observe takes note of an event that something else has emitted: a step that emits nodes, as an addition does, may have emitted one as
// booting that has been ready all the time, and the next poll then corrects it.
func (m *Monitor) Observe(e provisioner.Event) {
	if e.Type == provisioner.TypeNode {
		m.emitter.states.Update("node/"+e.Name, e.State+e.Reason)
	}
}

func (m *Monitor) poll(ctx context.Context, report provisioner.Report) {
	seen, err := m.cluster.Poll(ctx, netip.Addr{}, nil)
	if ctx.Err() != nil {
		return
	}
	if m.answers = err == nil; m.answers {
		m.emit(report, seen)
	}
}

func (m *Monitor) emit(report provisioner.Report, seen state.Snapshot) {
	m.emitter.EmitEtcd(report, seen.Etcd)
	m.emitNodes(report, seen.Nodes)
	m.emitter.EmitPools(report, seen.Pools)
	m.emitter.EmitVersion(report, seen.Version)
	m.emitter.EmitOperators(report, seen.Operators)
}

func (m *Monitor) emitNodes(report provisioner.Report, nodes []state.NodeStatus) {
	gone := m.known
	m.known = nil
	for _, node := range nodes {
		m.known = append(m.known, node.Name)
		event := provisioner.Event{Type: provisioner.TypeNode, Name: node.Name, Role: findRole(node.Labels), State: provisioner.NodeReady}
		if !node.Ready {
			event.State, event.Reason = provisioner.NodeNotReady, node.Reason
		}
		m.emitNode(report, event)
	}
	for _, name := range gone {
		if !slices.Contains(m.known, name) {
			m.emitNode(report, provisioner.Event{Type: provisioner.TypeNode, Name: name, State: provisioner.NodeRemoved})
		}
	}
}

func (m *Monitor) emitNode(report provisioner.Report, event provisioner.Event) {
	if m.emitter.states.Update("node/"+event.Name, event.State+event.Reason) {
		report(event)
	}
}

// findRole returns the role of a node by its labels, of which OpenShift itself has worker, and with it app, on most nodes.
func findRole(labels map[string]string) string {
	role := ""
	for label := range labels {
		switch name, is := strings.CutPrefix(label, "node-role.kubernetes.io/"); {
		case !is, name == "app", name == "router", name == "control-plane":
		case role == "", role == string(state.RoleWorker):
			role = name
		}
	}
	return role
}
