package nodes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/state/rook"
)

// review finds what the removal of nodes means, and refuses what the cluster cannot lose. It changes nothing.
type review struct {
	*Removal
	all []Node // of the cluster
}

func (r review) check(ctx context.Context, names []string) error {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return r.refuse("%s is named twice", name)
		}
		if slices.ContainsFunc(r.spec.Machines(state.RoleLoadBalancer), func(m state.Machine) bool { return m.Name == name }) {
			return r.refuse("%s is a load balancer, which is no node of the cluster", name)
		}
		at := slices.IndexFunc(r.all, func(n Node) bool { return n.Name == name })
		if at < 0 {
			found, err := r.findEnded(name)
			if err != nil {
				return err
			}
			r.targets = append(r.targets, Target{Node: found})
			continue
		}
		if err := cmp.Or(r.checkRole(r.all[at]), r.checkPlace(r.all[at])); err != nil {
			return err
		}
		r.targets = append(r.targets, Target{Node: r.all[at]})
	}
	if err := r.checkPending(names); err != nil {
		return err
	}
	if err := r.findPools(); err != nil {
		return err
	}
	if err := r.chooseReplacements(); err != nil {
		return err
	}
	if err := r.checkCounts(); err != nil {
		return err
	}
	if err := r.checkCluster(ctx); err != nil {
		return err
	}
	if err := r.checkStorage(ctx); err != nil {
		return err
	}
	return r.checkPods(ctx)
}

// findEnded returns a node that is gone, but whose removal was not recorded as ended.
func (r review) findEnded(name string) (Node, error) {
	removal := r.facts.Get().FindRemoval(name)
	if removal == nil {
		return Node{}, r.refuse("the cluster %s has no node %s, and no machine of that name: it is gone already, or never was there", r.spec.Cluster.ID, name)
	}
	return Node{Name: name, Role: removal.Role, Removal: removal}, nil
}

func (r review) checkRole(node Node) error {
	role := node.Role
	if node.Removal != nil {
		role = node.Removal.Role
	}
	switch {
	case role == state.RoleMaster:
		return r.refuseMaster(node.Name)
	case node.Answer == nil && node.Machine == nil && node.Removal == nil:
		return r.refuse("%s: %v", node.Name, errNotOurs)
	case !slices.Contains(r.spec.ComputeRoles(), role):
		return r.refuse("%s belongs to the group %q, which the answers do not have", node.Name, role)
	case node.Answer != nil && node.Machine == nil && node.Node == nil && node.Removal == nil:
		return r.refuse("%s is gone already, and the answers ask for it: lower %s.count, or have it made again by exoshift install", node.Name, formatSizing(role))
	case role == r.spec.RouterRole() && r.spec.IsRoundRobin():
		return r.refuse("%s has a router that names lead to directly (loadBalancer.strategy is dns-round-robin)", node.Name)
	}
	return nil
}

func (r review) refuseMaster(name string) error {
	if r.isReplacement() {
		return r.refuse("%s is a master: its member of etcd would have to be replaced with it, which this verb does not do", name)
	}
	return r.refuse("%s is a master, which etcd has a member on: a cluster keeps its %d masters", name, r.spec.Sizing.ControlPlane.Count)
}

// checkPlace requires that the node does not take the place of another one that is still there, and that it is not removed before the one
// that takes its place is ready.
func (r review) checkPlace(node Node) error {
	for _, pending := range r.facts.Get().Removals {
		if pending.ReplacedBy == node.Name {
			return r.refuse("%s takes the place of %s, whose replacement has not ended", node.Name, pending.Node).
				WithHint("end it first: exoshift nodes replace %s", pending.Node)
		}
	}
	if r.isReplacement() || node.Removal == nil || node.Removal.ReplacedBy == "" || node.Removal.Committed {
		return nil
	}
	if !slices.ContainsFunc(r.all, func(n Node) bool { return n.Name == node.Removal.ReplacedBy && n.Node != nil && n.Node.Ready }) {
		return r.refuse("%s, which takes the place of %s, is not ready", node.Removal.ReplacedBy, node.Name).
			WithHint("end the replacement: exoshift nodes replace %s", node.Name)
	}
	return nil
}

// checkPending requires that removals go on that can only be ended.
func (r review) checkPending(names []string) error {
	for _, pending := range r.facts.Get().Removals {
		made := slices.ContainsFunc(r.all, func(n Node) bool { return n.Name == pending.Node && n.Machine != nil && n.Removal == nil })
		if pending.Committed && !made && !slices.Contains(names, pending.Node) {
			if pending.Role == state.RoleMaster {
				return r.refuse("what was begun with the master %s has not ended", pending.Node).WithHint("end it first: %s", FormatCommand(pending))
			}
			return r.refuse("the removal of %s has not ended", pending.Node).
				WithHint("end it first: exoshift nodes remove %s", pending.Node)
		}
	}
	return nil
}

// minWorkers is the smallest number of workers that pods with three replicas and their budgets get along with.
const minWorkers = 3

// minStorage is the number of copies that Ceph keeps, each on a node of its own.
const minStorage = 3

func (r review) checkCounts() error {
	after := r.After()
	for _, role := range r.spec.ComputeRoles() {
		before, left := len(r.spec.Machines(role)), len(after.Machines(role))
		switch {
		case before == left:
		case role == state.RoleWorker && left < minWorkers:
			return r.refuse("%d workers would be left, and a cluster needs %d", left, minWorkers)
		case role == state.RoleStorage && left < minStorage:
			return r.refuse("%d storage nodes would be left, and Ceph keeps each of its %d copies on a node of its own", left, minStorage)
		case left == 0:
			return r.refuse("the group %s would have no node left", state.FormatGroup(role))
		}
	}
	return nil
}

// checkCluster checks that the cluster is well, and that the routers have room elsewhere.
func (r review) checkCluster(ctx context.Context) error {
	if !slices.ContainsFunc(r.targets, func(t Target) bool { return !t.isCommitted() }) {
		return nil
	}
	seen, reasons, err := CheckHealth(ctx, r.clients.Cluster, r.spec.Sizing.ControlPlane.Count, r.countBusy())
	if err != nil {
		return err
	}
	if len(reasons) > 0 {
		return fault.New(fault.Conflict, r.options.Verb+" nodes", unwellError{reasons}).
			WithHint("mend that first, or wait until it is over; then run the same command again")
	}
	routers, room := r.countRouters(seen.Routers)
	if routers > room {
		return r.refuse("%d routers run on the nodes of %s, each needs a node of its own, and %d would be left for them", routers, state.FormatGroup(r.spec.RouterRole()), room)
	}
	return nil
}

// countRouters returns the number of nodes that have routers, and of those that could have one afterwards.
func (r review) countRouters(placed []string) (routers, room int) {
	for _, node := range r.all {
		if node.Role != r.spec.RouterRole() || node.Node == nil {
			continue
		}
		if slices.Contains(placed, node.Name) {
			routers++
		}
		if node.Node.Ready && !node.Node.Cordoned && !r.isTarget(node.Name) {
			room++
		}
	}
	for _, target := range r.targets {
		if target.Replacement != nil && target.Role == r.spec.RouterRole() && !isMember(r.all, target.Replacement.Name) {
			room++
		}
	}
	return routers, room
}

func (r review) isTarget(name string) bool {
	return slices.ContainsFunc(r.targets, func(t Target) bool { return t.Name == name })
}

// checkPods finds what evictions mean, and refuses what nobody has agreed to lose.
func (r review) checkPods(ctx context.Context) error {
	for i := range r.targets {
		if err := r.reviewPods(ctx, &r.targets[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r review) reviewPods(ctx context.Context, target *Target) error {
	if target.Node.Node == nil {
		return nil
	}
	budgets, err := r.clients.Cluster.ListBudgets(ctx)
	if err != nil {
		return err
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
	if target.hasCeph() { // its data is elsewhere by then
		target.LocalVolumes = slices.DeleteFunc(target.LocalVolumes, func(claim string) bool { return strings.HasPrefix(claim, rook.Namespace+"/") })
	}
	for _, pod := range target.Pods {
		for _, budget := range budgets {
			if budget.Allowed == 0 && pod.Ready && budget.Selects(pod) {
				target.Blocked = append(target.Blocked, fmt.Sprintf("%s of %s: the disruption budget %s permits no eviction now", pod.ID(), formatOwner(pod), budget.Name))
			}
		}
	}
	return r.checkLosses(*target)
}

// checkLosses refuses to lose what has not been given up.
func (r review) checkLosses(target Target) error {
	if target.isCommitted() {
		return nil
	}
	if len(target.LocalVolumes) > 0 {
		return r.refuse("%s has the only copy of volumes, of the claims %s", target.Name, formatNames(target.LocalVolumes)).
			WithHint("move their data and delete the claims first")
	}
	var local, alone []string
	for _, pod := range target.Pods {
		if isOfCeph(pod) {
			continue
		}
		if pod.EmptyDir {
			local = append(local, pod.ID())
		}
		if pod.Owner == "" {
			alone = append(alone, pod.ID())
		}
	}
	switch {
	case len(alone) > 0 && !r.options.Force:
		return r.refuse("on %s run pods that nobody makes again: %s", target.Name, formatNames(alone)).
			WithHint("give --force to end them for good")
	case len(local) > 0 && !r.options.DeleteEmptyDir:
		return r.refuse("on %s run pods that lose what they keep on the node itself (emptyDir): %s", target.Name, formatNames(local)).
			WithHint("give --delete-emptydir-data to have them lose it")
	}
	return nil
}

// isOfCeph reports whether a pod keeps what it has in Ceph's own disks, or nothing.
func isOfCeph(pod state.Pod) bool { return pod.Namespace == rook.Namespace }

// checkStorage checks that Ceph can do without a storage node: one at a time.
func (r review) checkStorage(ctx context.Context) error {
	at := slices.IndexFunc(r.targets, Target.hasCeph)
	if at < 0 {
		return nil
	}
	target := &r.targets[at]
	if len(r.targets) > 1 {
		return r.refuse("%s is a storage node, of which one is changed at a time, and nothing else with it", target.Name)
	}
	var ready []string
	for _, node := range r.all {
		if node.Role == state.RoleStorage && node.Node != nil && node.Node.Ready && (!node.Node.Cordoned || node.Name == target.Name) {
			ready = append(ready, node.Name)
		}
	}
	found, err := r.storage.Review(ctx, target.toChange(r.options.Configure != nil), ready)
	if err != nil {
		return err
	}
	target.Warnings = found.Warnings
	switch {
	case len(found.Refusals) == 0:
		return nil
	case found.Busy:
		return fault.New(fault.Conflict, r.options.Verb+" nodes", unwellError{prependAll("Ceph of "+target.Name+": ", found.Refusals)}).
			WithHint("mend that first, or wait until it is over; then run the same command again")
	}
	return r.refuse("%s is a storage node: %w", target.Name, fault.Reasons(found.Refusals))
}

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
