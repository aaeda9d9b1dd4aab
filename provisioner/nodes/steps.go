package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/network"
	"exoshift/state"
)

const (
	pollInterval = 5 * time.Second
	// healthLimit is for how long a removal waits until the cluster has got over the one before.
	healthLimit = 10 * time.Minute
	// configLimit is for how long nodes may lag behind the configuration of their pool: then the machine config operator reports a failure.
	configLimit = time.Hour
	// detachLimit is for how long volumes may stay attached after their last pod.
	detachLimit = 10 * time.Minute
	// silenceLimit is for how long a node may be ready after its machine was stopped: the cluster notices after less than two minutes.
	silenceLimit = 10 * time.Minute
)

// Plan returns the steps of the removal, a chain for each node, of which as many run at a time as the options say.
func (r *Removal) Plan() provisioner.Plan {
	if r.isReplacement() {
		return r.planReplacement()
	}
	var plan provisioner.Plan
	var last []string // of each chain
	for i, target := range r.targets {
		var needs []string
		if before := i - max(1, r.options.Parallel); before >= 0 {
			needs = []string{last[before]}
		}
		chain := r.buildChain(target, needs)
		plan, last = append(plan, chain...), append(last, chain[len(chain)-1].ID)
	}
	return append(plan, configuration{r}.after(last)...)
}

// buildChain returns the steps of one node, each after the one before it, and the first after needs.
func (r *Removal) buildChain(target Target, needs []string) []provisioner.Step {
	steps := r.listSteps(target)
	for i := range steps {
		steps[i].ID, steps[i].Phase, steps[i].Needs = steps[i].ID+"-"+target.Name, Phase, needs
		needs = []string{steps[i].ID}
	}
	return steps
}

// planReplacement replaces as many nodes at a time as the options say: their machines are added at once, then each node is removed.
func (r *Removal) planReplacement() provisioner.Plan {
	var plan provisioner.Plan
	var needs []string
	for batch := range slices.Chunk(r.targets, max(1, r.options.Parallel)) {
		if added := listAdded(batch); len(added) > 0 {
			names := formatAdded(batch)
			plan = append(plan, provisioner.Step{
				ID: added[0], Title: "Add " + names, Phase: Phase, Needs: needs, Usual: addUsual,
				Do: func(ctx context.Context, report provisioner.Report) error { return r.add(ctx, report, batch) },
			})
			needs = []string{added[0]}
		}
		var ended []string
		for _, target := range batch {
			chain := r.buildChain(target, needs)
			plan, ended = append(plan, chain...), append(ended, chain[len(chain)-1].ID)
		}
		needs = ended
	}
	return plan
}

// addUsual is how long a machine takes to become a node.
const addUsual = 8 * time.Minute

// listAdded returns the IDs of steps, one for each machine that has to be added before the targets are removed.
func listAdded(batch []Target) []string {
	var names []string
	for _, target := range batch {
		if target.isAdded() {
			id := "add-" + target.Replacement.Name
			if target.Replacement.Name == newMember {
				id = "add-for-" + target.Name
			}
			names = append(names, id)
		}
	}
	return names
}

// FirstAddition returns the answers with the first machines that are added, beside the nodes that they replace; false: none is.
func (r *Removal) FirstAddition() (state.Spec, bool) {
	for batch := range slices.Chunk(r.targets, max(1, r.options.Parallel)) {
		if len(listAdded(batch)) > 0 {
			return exchangeAdded(r.spec, batch), true
		}
	}
	return r.spec, false
}

func exchangeAdded(spec state.Spec, batch []Target) state.Spec {
	for _, target := range batch {
		if target.isAdded() {
			spec = target.exchange(spec)
		}
	}
	return spec
}

// add records which node each machine takes the place of, and puts the answers in force that have it: then the machines are made.
func (r *Removal) add(ctx context.Context, report provisioner.Report, batch []Target) error {
	spec := exchangeAdded(r.current, batch) // no other step of the plan runs meanwhile
	err := r.options.Commit(spec, func(facts *state.Facts) {
		facts.NodeIndices, facts.PoolMembers = spec.Indices, spec.Members.Map()
		for _, target := range batch {
			if target.isAdded() {
				facts.SetRemoval(target.newRecord())
			}
		}
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.current = spec
	r.mu.Unlock()
	for _, target := range batch {
		if target.isAdded() {
			r.progress.emit(report, target, provisioner.Event{State: provisioner.TargetAdding})
		}
	}
	if err := r.options.Add(ctx, report, spec); err != nil {
		return err
	}
	poolMembers{r}.learnMembers()
	return nil
}

func (r *Removal) listSteps(t Target) []provisioner.Step {
	do := func(step func(context.Context, provisioner.Report, Target) error) provisioner.StepFunc {
		return func(ctx context.Context, report provisioner.Report) error { return step(ctx, report, t) }
	}
	// doTo also emits the state that the node has then, whether the step had something to do or not.
	doTo := func(reached string, step func(context.Context, provisioner.Report, Target) error) provisioner.StepFunc {
		return func(ctx context.Context, report provisioner.Report) error {
			err := step(ctx, report, t)
			if err == nil || provisioner.IsSkip(err) {
				r.progress.emit(report, t, provisioner.Event{State: reached})
			}
			return err
		}
	}
	cordon := provisioner.Step{ID: "cordon", Title: "Cordon " + t.Name, Usual: 5 * time.Second, Do: doTo(provisioner.TargetCordoned, r.cordon)}
	leave := []provisioner.Step{
		{ID: "drain", Title: "Evict the pods of " + t.Name, Usual: 2 * time.Minute, Do: do(r.drain)},
		{ID: "detach", Title: "Wait until no volume is attached to " + t.Name, Usual: 10 * time.Second, Do: doTo(provisioner.TargetDrained, r.waitDetached)},
		{ID: "commit", Title: "Take " + t.Name + " out of the answers", Do: do(r.commit)},
		{ID: "withdraw", Title: "Delete the records of " + t.Name, Do: do(r.withdraw)},
	}
	if t.Pool != nil { // a member that is stopped might be replaced by its pool
		return slices.Concat([]provisioner.Step{cordon}, leave, []provisioner.Step{
			{ID: "evict-machine", Title: "Evict the machine of " + t.Name + " from its instance pool", Usual: time.Minute, Do: doTo(provisioner.TargetStopped, poolMembers{r}.evictMember)},
			{ID: "delete-node", Title: "Delete the node " + t.Name, Do: doTo(provisioner.TargetRemoved, poolMembers{r}.deleteLast)},
		})
	}
	leave = append(leave,
		provisioner.Step{ID: "stop", Title: "Stop the machine of " + t.Name, Usual: 2 * time.Minute, Do: doTo(provisioner.TargetStopped, r.stop)},
		provisioner.Step{ID: "delete-node", Title: "Delete the node " + t.Name, Do: do(r.deleteNode)},
	)
	end := provisioner.Step{ID: "delete-machine", Title: "Delete the machine of " + t.Name, Usual: 30 * time.Second, Do: doTo(provisioner.TargetRemoved, r.deleteMachine)}
	if !t.hasCeph() {
		return slices.Concat([]provisioner.Step{cordon}, leave, []provisioner.Step{end})
	}
	of := t.toChange(r.options.Configure != nil)
	return slices.Concat(r.storage.StepsBefore(of, configuration{r}.before(t)), []provisioner.Step{cordon}, r.storage.StepsCordoned(of), leave, r.storage.StepsAfter(of), []provisioner.Step{end})
}

// cordon records what it does before it does it, so that it can be undone.
func (r *Removal) cordon(ctx context.Context, report provisioner.Report, t Target) error {
	removal := t.newRecord()
	if !removal.Committed {
		if err := r.waitHealthy(ctx, report, t); err != nil {
			return err
		}
		removal.Cordoned = removal.Cordoned || t.Node.Node != nil && !t.Node.Node.Cordoned
	}
	if err := r.facts.Update(func(facts *state.Facts) { facts.SetRemoval(removal) }); err != nil {
		return err
	}
	if t.Node.Node == nil {
		return provisioner.Skip("there is no such node in the cluster")
	}
	const kind = "cordon" // in the journal, which is stored before the node is changed, and the facts with it
	if err := r.options.Journal.RecordIntent(kind, t.Name); err != nil {
		return err
	}
	action, err := r.clients.Cluster.SetCordon(ctx, t.Name, true)
	if fault.Is(err, fault.NotFound) {
		return provisioner.Skip("the node is gone")
	}
	if err != nil {
		return err
	}
	report.EmitObject(KindNode, t.Name, "", string(action))
	return r.options.Journal.RecordResult(kind, t.Name, t.Name, action)
}

// waitHealthy also waits for nodes that do not have the configuration of their pool yet, such as one that was just added: for as long as the
// machine config operator itself has patience with them.
func (r *Removal) waitHealthy(ctx context.Context, report provisioner.Report, t Target) error {
	began := r.clients.Clock.Now()
	caughtUp := began // when nodes lagged last
	return provisioner.PollUntil(r.clients.Clock, 2*pollInterval, healthLimit, func(ctx context.Context, report provisioner.Report) error {
		_, reasons, err := CheckHealth(ctx, r.clients.Cluster, r.spec.Sizing.ControlPlane.Count, r.countBusy())
		if err != nil || len(reasons) == 0 {
			r.observer.observe(report, t.Name, obstacles{})
			return err
		}
		lagging, err := listLagging(ctx, r.clients.Cluster)
		if err != nil {
			return err
		}
		r.observer.observe(report, t.Name, obstacles{lagging: lagging})
		err = fault.Newf(fault.Conflict, "cordon "+t.Name, "the cluster is not well: %w", fault.Reasons(reasons)).
			WithHint("nothing was changed with %s; run the same command again once that is over", t.Name)
		now := r.clients.Clock.Now()
		if len(lagging) > 0 && now.Sub(began) < configLimit {
			caughtUp = now
		}
		if now.Sub(caughtUp) < healthLimit {
			return provisioner.Progressing(err)
		}
		return err
	})(ctx, report)
}

func (r *Removal) waitDetached(ctx context.Context, report provisioner.Report, t Target) error {
	if t.isStopped() {
		return provisioner.Skip("nothing runs there")
	}
	return provisioner.PollUntil(r.clients.Clock, pollInterval, detachLimit, func(ctx context.Context, _ provisioner.Report) error {
		attached, err := r.clients.Cluster.ListAttachments(ctx, t.Name)
		if err == nil && len(attached) > 0 {
			err = fmt.Errorf("%d volumes are attached: %s", len(attached), formatNames(attached))
		}
		return err
	})(ctx, report)
}

// commit is the point from which the removal can only be ended.
func (r *Removal) commit(_ context.Context, report provisioner.Report, t Target) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	spec := t.exchange(r.current)
	err := r.options.Commit(spec, func(facts *state.Facts) {
		facts.NodeIndices, facts.PoolMembers = spec.Indices, spec.Members.Map()
		if removal := facts.FindRemoval(t.Name); removal != nil {
			committed := *removal
			committed.Committed = true
			facts.SetRemoval(committed)
		}
	})
	if err != nil {
		return err
	}
	r.current = spec
	switch {
	case t.Replacement != nil:
		return provisioner.Skip("the answers have " + t.Replacement.Name + " in its place")
	case t.Answer == nil:
		return provisioner.Skip("the answers do not ask for it")
	}
	report.EmitProgress(fmt.Sprintf("%s.count is %d", formatSizing(t.Role), len(spec.Machines(t.Role))))
	return nil
}

// withdraw deletes the records by which load balancers find a router.
func (r *Removal) withdraw(ctx context.Context, report provisioner.Report, t Target) error {
	removal := r.facts.Get().FindRemoval(t.Name)
	if removal == nil || removal.Address == "" || removal.Role != r.spec.RouterRole() {
		return provisioner.Skip("no name leads to it")
	}
	dns := network.NewDNS(r.spec, r.clients.Cloud, nil)
	if err := dns.EnsureZone(ctx, func(provisioner.Event) {}); err != nil {
		return err
	}
	return dns.Withdraw(ctx, report, state.Machine{Name: t.Name, Role: removal.Role}, removal.Address)
}

// stop also waits until the cluster has noticed: a kubelet that lives would register its node again.
func (r *Removal) stop(ctx context.Context, report provisioner.Report, t Target) error {
	if t.Machine == nil {
		return provisioner.Skip("the machine is gone")
	}
	return provisioner.PollUntil(r.clients.Clock, pollInterval, silenceLimit, func(ctx context.Context, report provisioner.Report) error {
		action, err := r.clients.Cloud.StopInstance(ctx, t.Machine.ID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		if action == state.Updated {
			report.EmitObject(state.KindInstance, t.Name, t.Machine.ID, string(action))
		}
		return checkSilent(ctx, r.clients.Cluster, t.Name)
	})(ctx, report)
}

func checkSilent(ctx context.Context, cluster Cluster, name string) error {
	nodes, err := cluster.ListClusterNodes(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(nodes, func(n state.ClusterNode) bool { return n.Name == name && n.Ready }) {
		return errors.New("the cluster has not noticed yet that it is gone")
	}
	return nil
}

func (r *Removal) deleteNode(ctx context.Context, report provisioner.Report, t Target) error {
	action, err := r.clients.Cluster.DeleteNode(ctx, t.Name)
	if err == nil {
		report.EmitObject(KindNode, t.Name, "", string(action))
	}
	return err
}

func (r *Removal) deleteMachine(ctx context.Context, report provisioner.Report, t Target) error {
	if t.Machine != nil {
		action, err := r.clients.Cloud.DeleteInstance(ctx, t.Machine.ID)
		if err != nil {
			return err
		}
		report.EmitObject(state.KindInstance, t.Name, t.Machine.ID, string(action))
	}
	return end(r, t)
}

// end ends the removal of a node, unless the configuration comes after it: then the same command has to find what is left to do.
func end(r *Removal, t Target) error {
	r.mu.Lock()
	r.removed[t.Name] = true
	r.mu.Unlock()
	if (configuration{r}).isLast() {
		return nil
	}
	return r.facts.Update(func(facts *state.Facts) { facts.DropRemoval(t.Name) })
}

// Undo ends the cordons of removals that were begun and are not wanted any more: those of other nodes than the targets, or all. It
// returns the nodes that are in use again.
func Undo(ctx context.Context, facts *state.FactsStore, cluster Cluster, keep []string) ([]string, error) {
	var freed []string
	var faults error
	for _, removal := range facts.Get().Removals {
		if removal.Committed || slices.Contains(keep, removal.Node) {
			continue
		}
		if removal.Cordoned {
			_, err := cluster.SetCordon(ctx, removal.Node, false)
			if err != nil && !fault.Is(err, fault.NotFound) {
				faults = errors.Join(faults, fault.New(fault.KindOf(err), "end the cordon of "+removal.Node, err).
					WithHint("end it by hand: oc adm uncordon %s", removal.Node))
				continue
			}
			freed = append(freed, removal.Node)
		}
		faults = errors.Join(faults, facts.Update(func(f *state.Facts) {
			f.DropRemoval(removal.Node)
			if removal.ReplacedBy != "" { // which is there: the replacement goes on from there
				removal.Cordoned = false
				f.SetRemoval(removal)
			}
		}))
	}
	return freed, faults
}
