package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

// Options are what a person decides about a removal.
type Options struct {
	Timeout        time.Duration // of the evictions from one node
	DeleteEmptyDir bool          // pods lose what they keep in the node's own storage
	Force          bool          // pods are ended that nobody makes again
	Parallel       int           // nodes at a time
	Journal        state.Recorder
	// Commit puts the answers and the facts' indices in force, at once or not at all.
	Commit func(spec state.Spec, change func(*state.Facts)) error
}

// Target is a node that is to be removed.
type Target struct {
	Node
	Pods         []state.Pod // that have to go elsewhere
	Blocked      []string    // pods whose budgets permit no eviction now
	Attachments  []string    // volumes that are attached to it
	LocalVolumes []string    // claims whose volumes only it has
}

// Removal removes nodes from a cluster.
type Removal struct {
	spec    state.Spec // as it was before
	facts   *state.FactsStore
	clients Clients
	options Options
	targets []Target

	mu      sync.Mutex
	current state.Spec      // without what was committed
	removed map[string]bool // nodes that are gone
}

// NewRemoval is for the removal of nodes from the cluster of these answers.
func NewRemoval(spec state.Spec, facts *state.FactsStore, clients Clients, options Options) *Removal {
	return &Removal{spec: spec, current: spec, removed: map[string]bool{}, facts: facts, clients: clients, options: options}
}

// Targets returns the nodes to remove, once Prepare has returned.
func (r *Removal) Targets() []Target { return r.targets }

// After returns the answers as they are after the removal.
func (r *Removal) After() state.Spec {
	spec := r.spec
	for _, target := range r.targets {
		if target.Answer != nil {
			spec = spec.WithoutNode(target.Role, target.Answer.Index)
		}
	}
	return spec
}

const opRemove = "remove nodes"

func refuse(format string, args ...any) error {
	return fault.Newf(fault.Conflict, opRemove, "nothing was changed: "+format, args...)
}

// unwellError is that the cluster must not lose a node now.
type unwellError struct{ reasons []string }

func (e unwellError) Error() string {
	return "nothing was changed: the cluster is not well: " + joinReasons(e.reasons)
}

// IsUnwell reports whether a removal was refused because of a state of the cluster that may pass.
func IsUnwell(err error) bool {
	var unwell unwellError
	return errors.As(err, &unwell)
}

// Prepare finds the nodes, and what their removal means. fault.Conflict: the cluster would not be safe without them, or they are
// no nodes that this verb removes. It changes nothing.
func (r *Removal) Prepare(ctx context.Context, names []string) error {
	r.targets = nil
	all, err := List(ctx, r.spec, r.facts.Get(), r.clients, false)
	if err != nil {
		return err
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return refuse("%s is named twice", name)
		}
		if slices.ContainsFunc(r.spec.Machines(state.RoleLoadBalancer), func(m state.Machine) bool { return m.Name == name }) {
			return refuse("%s is a load balancer, which is no node of the cluster", name)
		}
		at := slices.IndexFunc(all, func(n Node) bool { return n.Name == name })
		if at < 0 {
			found, err := r.findEnded(name)
			if err != nil {
				return err
			}
			r.targets = append(r.targets, Target{Node: found})
			continue
		}
		if err := r.checkRole(all[at]); err != nil {
			return err
		}
		r.targets = append(r.targets, Target{Node: all[at]})
	}
	if err := r.checkPending(all, names); err != nil {
		return err
	}
	if err := r.checkCounts(); err != nil {
		return err
	}
	if err := r.checkCluster(ctx, all); err != nil {
		return err
	}
	return r.checkPods(ctx)
}

// findEnded returns a node that is gone, but whose removal was not recorded as ended.
func (r *Removal) findEnded(name string) (Node, error) {
	removal := r.facts.Get().FindRemoval(name)
	if removal == nil {
		return Node{}, refuse("the cluster %s has no node %s, and no machine of that name: it is gone already, or never was there", r.spec.Cluster.ID, name)
	}
	return Node{Name: name, Role: removal.Role, Removal: removal}, nil
}

func (r *Removal) checkRole(node Node) error {
	role := node.Role
	if node.Removal != nil {
		role = node.Removal.Role
	}
	switch {
	case role == state.RoleMaster:
		return refuse("%s is a master, which etcd has a member on: a cluster keeps its %d masters", node.Name, r.spec.Sizing.ControlPlane.Count)
	case role == state.RoleStorage:
		return refuse("%s is a storage node: its data has to be moved to other nodes first, which this verb does not do", node.Name)
	case node.Answer == nil && node.Machine == nil && node.Removal == nil:
		return refuse("%s: %v", node.Name, errNotOurs)
	case !slices.Contains(r.spec.ComputeRoles(), role):
		return refuse("%s belongs to the group %q, which the answers do not have", node.Name, role)
	case node.Answer != nil && node.Machine == nil && node.Node == nil && node.Removal == nil:
		return refuse("%s is gone already, and the answers ask for it: lower %s.count, or have it made again by exoshift install", node.Name, formatSizing(role))
	case role == r.spec.RouterRole() && r.spec.IsRoundRobin():
		return refuse("%s has a router that names lead to directly (loadBalancer.strategy is dns-round-robin)", node.Name)
	}
	return nil
}

// checkPending requires that removals go on that can only be ended.
func (r *Removal) checkPending(all []Node, names []string) error {
	for _, pending := range r.facts.Get().Removals {
		made := slices.ContainsFunc(all, func(n Node) bool { return n.Name == pending.Node && n.Machine != nil && n.Removal == nil })
		if pending.Committed && !made && !slices.Contains(names, pending.Node) {
			return fault.Newf(fault.Conflict, opRemove, "nothing was changed: the removal of %s has not ended", pending.Node).
				WithHint("end it first: exoshift nodes remove %s", pending.Node)
		}
	}
	return nil
}

// minWorkers is the smallest number of workers that pods with three replicas and their budgets get along with.
const minWorkers = 3

func (r *Removal) checkCounts() error {
	after := r.After()
	for _, role := range r.spec.ComputeRoles() {
		before, left := len(r.spec.Machines(role)), len(after.Machines(role))
		switch {
		case before == left:
		case role == state.RoleWorker && left < minWorkers:
			return refuse("%d workers would be left, and a cluster needs %d", left, minWorkers)
		case left == 0:
			return refuse("the group %s would have no node left", state.FormatGroup(role))
		}
	}
	return nil
}

// checkCluster checks that the cluster is well, and that the routers have room elsewhere.
func (r *Removal) checkCluster(ctx context.Context, all []Node) error {
	if !slices.ContainsFunc(r.targets, func(t Target) bool { return !t.isCommitted() }) {
		return nil
	}
	seen, reasons, err := checkHealth(ctx, r.clients.Cluster, r.spec.Sizing.ControlPlane.Count, r.countBusy())
	if err != nil {
		return err
	}
	if len(reasons) > 0 {
		return fault.New(fault.Conflict, opRemove, unwellError{reasons}).
			WithHint("mend that first, or wait until it is over; then run the same command again")
	}
	routers, room := 0, 0
	for _, node := range all {
		if node.Role != r.spec.RouterRole() || node.Node == nil {
			continue
		}
		if slices.Contains(seen.Routers, node.Name) {
			routers++
		}
		if node.Node.Ready && !node.Node.Cordoned && !r.isTarget(node.Name) {
			room++
		}
	}
	if routers > room {
		return refuse("%d routers run on the nodes of %s, each needs a node of its own, and %d would be left for them", routers, state.FormatGroup(r.spec.RouterRole()), room)
	}
	return nil
}

// countBusy counts the nodes that the cluster does without already: those whose removal was begun, and targets that are not ready.
func (r *Removal) countBusy() int {
	removals := r.facts.Get().Removals
	r.mu.Lock()
	defer r.mu.Unlock()
	count := len(removals)
	for _, target := range r.targets {
		begun := slices.ContainsFunc(removals, func(n state.NodeRemoval) bool { return n.Node == target.Name })
		if member := target.Node.Node; !begun && !r.removed[target.Name] && member != nil && (!member.Ready || member.Cordoned) {
			count++
		}
	}
	return count
}

func (r *Removal) isTarget(name string) bool {
	return slices.ContainsFunc(r.targets, func(t Target) bool { return t.Name == name })
}

// checkPods finds what evictions mean, and refuses what nobody has agreed to lose.
func (r *Removal) checkPods(ctx context.Context) error {
	budgets, err := r.clients.Cluster.ListBudgets(ctx)
	if err != nil {
		return err
	}
	for i := range r.targets {
		target := &r.targets[i]
		if target.Node.Node == nil {
			continue
		}
		pods, err := r.clients.Cluster.ListNodePods(ctx, target.Name)
		if err != nil {
			return err
		}
		target.Pods = selectEvictable(pods)
		if target.Attachments, err = r.clients.Cluster.ListAttachments(ctx, target.Name); err != nil {
			return err
		}
		if target.LocalVolumes, err = r.clients.Cluster.ListLocalVolumes(ctx, target.Name); err != nil {
			return err
		}
		for _, pod := range target.Pods {
			for _, budget := range budgets {
				if budget.Allowed == 0 && pod.Ready && budget.Selects(pod) {
					target.Blocked = append(target.Blocked, fmt.Sprintf("%s of %s: the disruption budget %s permits no eviction now", pod.ID(), formatOwner(pod), budget.Name))
				}
			}
		}
		if err := r.checkLosses(*target); err != nil {
			return err
		}
	}
	return nil
}

// checkLosses refuses to lose what has not been given up.
func (r *Removal) checkLosses(target Target) error {
	if target.isCommitted() {
		return nil
	}
	if len(target.LocalVolumes) > 0 {
		return fault.Newf(fault.Conflict, opRemove, "nothing was changed: %s has the only copy of volumes, of the claims %s", target.Name, formatNames(target.LocalVolumes)).
			WithHint("move their data and delete the claims first")
	}
	var local, alone []string
	for _, pod := range target.Pods {
		if pod.EmptyDir {
			local = append(local, pod.ID())
		}
		if pod.Owner == "" {
			alone = append(alone, pod.ID())
		}
	}
	switch {
	case len(alone) > 0 && !r.options.Force:
		return fault.Newf(fault.Conflict, opRemove, "nothing was changed: on %s run pods that nobody makes again: %s", target.Name, formatNames(alone)).
			WithHint("give --force to end them for good")
	case len(local) > 0 && !r.options.DeleteEmptyDir:
		return fault.Newf(fault.Conflict, opRemove, "nothing was changed: on %s run pods that lose what they keep on the node itself (emptyDir): %s", target.Name, formatNames(local)).
			WithHint("give --delete-emptydir-data to have them lose it")
	}
	return nil
}

func (t Target) isCommitted() bool { return t.Removal != nil && t.Removal.Committed }

// formatSizing returns the section of the answers that a group is in.
func formatSizing(role state.Role) string {
	switch role {
	case state.RoleWorker, state.RoleInfra, state.RoleStorage:
		return "sizing." + state.FormatGroup(role)
	}
	return "sizing.extraGroups " + string(role)
}

func formatOwner(pod state.Pod) string {
	if pod.Owner == "" {
		return "nobody"
	}
	return pod.Owner
}
