package masters

import (
	"context"
	"fmt"
	"slices"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/controlplane"
)

// view is what decides whether a master can be done without.
type view struct {
	masters []string // of the answers, without those that are lost
	lost    []string // masters without a member of etcd, as it was recovered without them
	target  string
	cluster state.Snapshot
	plane   controlplane.State
	nodes   []state.ClusterNode
}

func (c *base) inspect(ctx context.Context, target string) (seen view, err error) {
	return c.inspectWith(ctx, target, target)
}

// inspectWith requires a master also if it is one of those that are lost.
func (c *base) inspectWith(ctx context.Context, target, required string) (seen view, err error) {
	seen.target = target
	if seen.plane, err = c.clients.Cluster.InspectControlPlane(ctx); err != nil {
		return seen, err
	}
	for _, name := range c.listMasters() {
		if name != required && slices.Contains(c.lost, name) && seen.plane.FindPeer(name) == nil {
			seen.lost = append(seen.lost, name)
		} else {
			seen.masters = append(seen.masters, name)
		}
	}
	seen.nodes, err = c.clients.Cluster.ListClusterNodes(ctx)
	return seen, err
}

// inspectAll also reads the operators, the pools and the version.
func (c *base) inspectAll(ctx context.Context, target, required string) (seen view, err error) {
	if seen, err = c.inspectWith(ctx, target, required); err != nil {
		return seen, err
	}
	seen.cluster, _, err = nodes.CheckHealth(ctx, c.clients.Cluster, len(seen.masters), 0)
	return seen, err
}

func (v view) findNode(name string) *state.ClusterNode {
	for i := range v.nodes {
		if v.nodes[i].Name == name {
			return &v.nodes[i]
		}
	}
	return nil
}

// isWell reports whether the target itself is a healthy master: then the whole cluster has to be well, and otherwise only the others, as
// much of it ails with its master.
func (v view) isWell() bool {
	node, peer := v.findNode(v.target), v.plane.FindPeer(v.target)
	return node != nil && node.Ready && peer != nil && peer.Healthy && slices.Contains(v.plane.APIServers, v.target)
}

// listReasons returns why the target must not be taken out of the cluster.
func (v view) listReasons() []string {
	reasons := append(v.checkOthers(), v.checkRollouts(!v.isWell())...)
	if v.cluster.Version.Progressing {
		reasons = append(reasons, "an update of the cluster goes on: "+v.cluster.Version.Message)
	}
	if !v.isWell() {
		return reasons
	}
	busy := 0
	if v.findNode(v.target).Cordoned {
		busy = 1
	}
	for _, reason := range nodes.ListUnwell(v.cluster, len(v.masters), busy) {
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	return reasons
}

// listUnhealthy returns the other masters whose members do not answer.
func (v view) listUnhealthy() []string {
	var names []string
	for _, peer := range v.plane.Peers {
		if peer.Name != "" && peer.Name != v.target && !peer.Healthy {
			names = append(names, peer.Name)
		}
	}
	return names
}

// diagnose emits which members keep the target from being taken out.
func (c *base) diagnose(report provisioner.Report, seen view) {
	c.members.Emit(report, diagnosis.Input{Now: c.clients.Clock.Now(), Wall: c.clients.Clock.Now(), Spec: c.spec, Unhealthy: seen.listUnhealthy()})
}

// checkOthers returns why the other masters could not keep the quorum and the API.
func (v view) checkOthers() []string {
	var reasons []string
	for _, peer := range v.plane.Peers {
		switch {
		case peer.Name == "":
			reasons = append(reasons, "etcd has a member at "+peer.Address+" that has not started")
		case !slices.Contains(v.masters, peer.Name):
			reasons = append(reasons, "etcd has the member "+peer.Name+", which is no master of the answers")
		}
	}
	for _, name := range v.masters {
		if name == v.target {
			continue
		}
		peer, node := v.plane.FindPeer(name), v.findNode(name)
		switch {
		case peer == nil:
			reasons = append(reasons, "etcd has no member on "+name)
		case peer.Learner:
			reasons = append(reasons, "the member of etcd on "+name+" has no vote yet")
		case !peer.Healthy:
			reasons = append(reasons, "the member of etcd on "+name+" does not answer")
		}
		switch {
		case node == nil:
			reasons = append(reasons, name+" is no node of the cluster")
		case !node.Ready:
			reasons = append(reasons, name+" is not ready: "+node.Reason)
		}
		if !slices.Contains(v.plane.APIServers, name) {
			reasons = append(reasons, "the API server on "+name+" is not ready")
		}
	}
	return reasons
}

// checkRollouts returns which masters do not have the latest revision of a part of the control plane.
func (v view) checkRollouts(withoutTarget bool) []string {
	var reasons []string
	for _, rollout := range v.plane.Rollouts {
		for _, name := range v.masters {
			if revision := rollout.Nodes[name]; revision != rollout.Latest && (name != v.target || !withoutTarget) {
				reasons = append(reasons, fmt.Sprintf("%s on %s is at revision %d of %d", rollout.Component, name, revision, rollout.Latest))
			}
		}
	}
	return reasons
}

// Prepare finds the masters, and refuses what the cluster cannot do without now: fault.Conflict. It changes nothing.
func (c *Change) Prepare(ctx context.Context, names []string) error {
	c.targets = nil
	masters := c.listMasters()
	for i, name := range names {
		switch {
		case slices.Contains(names[:i], name):
			return c.refuse("%s is named twice", name)
		case !slices.Contains(masters, name):
			return c.refuse("%s is no master, and masters are changed by themselves", name).WithHint("give the masters and the other nodes in two commands")
		}
	}
	for _, begun := range c.facts.Get().Removals {
		if !slices.Contains(names, begun.Node) && begun.Committed || begun.Role == state.RoleMaster && (begun.Type != "") == c.isReplacement() && begun.Committed {
			return c.refuse("what was begun with %s has not ended", begun.Node).WithHint("end it first: %s", nodes.FormatCommand(begun))
		}
	}
	if len(masters) < minMasters {
		return c.refuse("etcd has %d members, and cannot do without one", len(masters))
	}
	names = slices.Clone(names)
	stable.Sort(names, func(a, b string) int { return c.rank(a) - c.rank(b) })
	for _, name := range names {
		if err := c.prepareTarget(ctx, name); err != nil {
			return err
		}
	}
	if err := c.checkFirst(ctx); err != nil {
		return err
	}
	return c.reviewPods(ctx)
}

// minMasters is with how many members etcd keeps its quorum without one.
const minMasters = 3

// rank has what was begun end first: no other master may be missing meanwhile.
func (c *Change) rank(name string) int {
	if c.record(name).Committed {
		return 0
	}
	return 1
}

func (c *Change) prepareTarget(ctx context.Context, name string) error {
	node, err := c.find(ctx, name)
	if err != nil {
		return err
	}
	if known := c.facts.Get().FindRemoval(name); known != nil {
		node.Removal = known
	}
	if !c.isReplacement() && node.Machine == nil && !c.record(name).Committed {
		return c.refuse("the machine of %s is gone", name).WithHint("replace it: exoshift nodes replace %s", name)
	}
	c.targets = append(c.targets, nodes.Target{Node: node})
	return nil
}

// reviewPods finds what has to leave the masters, and refuses what nobody has agreed to lose.
func (c *Change) reviewPods(ctx context.Context) error {
	for i, target := range c.targets {
		if c.record(target.Name).Committed {
			continue
		}
		reviewed, err := c.drainer.Review(ctx, target.Node)
		if err != nil {
			return err
		}
		c.targets[i] = reviewed
	}
	return nil
}

// checkFirst checks what has to hold for the first target; the others are checked when it is their turn.
func (c *Change) checkFirst(ctx context.Context) error {
	if len(c.targets) == 0 || c.record(c.targets[0].Name).Committed {
		return nil
	}
	seen, err := c.inspectAll(ctx, c.targets[0].Name, c.targets[0].Name)
	if err != nil {
		return err
	}
	if reasons := seen.listReasons(); len(reasons) > 0 {
		return fault.New(fault.Conflict, c.op(), nodes.NewUnwellError(reasons)).WithHint("mend that first, or wait until it is over; then run the same command again")
	}
	if refusal := c.options.Backup.Refusal; refusal != "" {
		return c.refuse("%s", refusal)
	}
	return nil
}
