package masters

import (
	"context"
	"fmt"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// Phases of the steps, by which a failure has its exit code: those of an installation.
const (
	phaseEtcd      = "control-plane"
	phaseNodes     = nodes.Phase
	phaseOperators = "operators"
)

const (
	pollInterval = 5 * time.Second
	// healthLimit is for how long a master waits until the cluster has got over the one before.
	healthLimit = 10 * time.Minute
	// machineLimit is for how long a machine may take to stop or to start, and the cluster to notice.
	machineLimit = 15 * time.Minute
	// etcdLimit is for how long a new member may take to vote: a roll-out of etcd takes 15 to 30 minutes.
	etcdLimit = 45 * time.Minute
	// rolloutLimit is for how long the API servers may take to have the members' addresses, one after the other.
	rolloutLimit = time.Hour
	// steadyTime is for how long the other masters have to be well before one is stopped: a member may be failing right now.
	steadyTime = 30 * time.Second
	// settleTime is for how long everything has to be well: a roll-out begins a while after its cause.
	settleTime = time.Minute
)

// steps carry out a change.
type steps struct{ *Change }

type stepFunc func(context.Context, provisioner.Report, string) error

// Plan returns the steps, one master after the other, and each step after the one before it.
func (c *Change) Plan() provisioner.Plan {
	plan := c.planBackup()
	for _, target := range c.targets {
		for _, step := range (steps{c}).list(target.Name) {
			step.ID += "-" + target.Name
			if len(plan) > 0 {
				step.Needs = []string{plan[len(plan)-1].ID}
			}
			plan = append(plan, step)
		}
	}
	return plan
}

// planBackup has a backup made, unless a master was begun to be changed: the cluster is not well meanwhile.
func (c *Change) planBackup() provisioner.Plan {
	if len(c.targets) == 0 || c.record(c.targets[0].Name).Committed {
		return nil
	}
	return c.options.Backup.Plan(c.targets[0].Name)
}

func (c steps) list(name string) []provisioner.Step {
	step := func(id, title, phase string, usual time.Duration, do stepFunc) provisioner.Step {
		return provisioner.Step{ID: id, Title: title, Phase: phase, Usual: usual,
			Do: func(ctx context.Context, report provisioner.Report) error { return do(ctx, report, name) }}
	}
	// The load balancers notice after a while that an API server is gone, and until then calls fail now and then.
	patient := func(do stepFunc) stepFunc {
		return func(ctx context.Context, report provisioner.Report, name string) error {
			return c.repeat(ctx, report, healthLimit, func(ctx context.Context, report provisioner.Report) error { return do(ctx, report, name) })
		}
	}
	begin := []provisioner.Step{
		step("check", "Check that etcd and the API can do without "+name, phaseEtcd, 10*time.Second, c.check),
		step("cordon", "Cordon "+name, phaseNodes, 5*time.Second, patient(c.cordon)),
		step("drain", "Evict the pods of "+name, phaseNodes, 2*time.Minute, c.drain),
		step("stop", "Stop the machine of "+name, phaseNodes, 3*time.Minute, c.stop),
	}
	end := []provisioner.Step{
		step("wait-etcd", "Wait until etcd has a healthy member on every master", phaseEtcd, 5*time.Minute, c.waitEtcd),
		step("wait-rollout", "Wait until every master has the latest revision of the control plane", phaseOperators, 15*time.Minute, c.waitRollout),
	}
	middle := []provisioner.Step{
		step("scale", "Give the machine of "+name+" the type "+c.spec.Group(state.RoleMaster).Type, phaseNodes, 20*time.Second, patient(c.scale)),
		step("start", "Start the machine of "+name, phaseNodes, 3*time.Minute, c.start),
	}
	if c.isReplacement() {
		middle = []provisioner.Step{
			step("delete-node", "Delete the node "+name, phaseNodes, 5*time.Second, patient(c.deleteNode)),
			step("remove-member", "Remove the member of "+name+" from etcd", phaseEtcd, 10*time.Second, c.removeMember),
			step("delete-secrets", "Delete the certificates of the former member", phaseEtcd, 5*time.Second, patient(c.deleteSecrets)),
			step("delete-machine", "Delete the former machine of "+name, phaseNodes, 30*time.Second, c.deleteMachine),
			step("add", "Make the new machine of "+name, phaseNodes, 10*time.Minute, c.add),
		}
	}
	return append(append(begin, middle...), end...)
}

// check also records which machine and which member there are, before anything is changed.
func (c steps) check(ctx context.Context, report provisioner.Report, name string) error {
	if c.record(name).Committed {
		return provisioner.Skip("its machine was being stopped already")
	}
	var seen view
	err := c.repeat(ctx, report, healthLimit, func(ctx context.Context, report provisioner.Report) (err error) {
		if seen, err = c.inspectAll(ctx, name, name); err != nil {
			return err
		}
		c.diagnose(report, seen)
		return pending("check the control plane", seen.listReasons())
	})
	if err != nil {
		return fault.New(fault.Conflict, "check the control plane", err).WithHint("nothing was changed with %s; run the same command again once that is over", name)
	}
	node, err := c.find(ctx, name)
	if err != nil {
		return err
	}
	record := c.record(name)
	if node.Machine != nil {
		record.MachineID, record.Address = node.Machine.ID, node.Machine.Address
	}
	if peer := seen.plane.FindPeer(name); peer != nil {
		record.MemberID, record.Address = peer.ID, peer.Address
	}
	return c.save(record)
}

// cordon records what it does before it does it, so that it can be undone.
func (c steps) cordon(ctx context.Context, report provisioner.Report, name string) error {
	record := c.record(name)
	node, err := c.find(ctx, name)
	switch {
	case err != nil:
		return err
	case record.Committed:
		return provisioner.Skip("its machine was being stopped already")
	case node.Node == nil:
		return provisioner.Skip("there is no such node in the cluster")
	}
	record.Cordoned = record.Cordoned || !node.Node.Cordoned
	if err := c.save(record); err != nil {
		return err
	}
	c.emitTarget(report, name, provisioner.TargetCordoned, "cordoned")
	return c.setCordon(ctx, report, name, true)
}

func (c steps) setCordon(ctx context.Context, report provisioner.Report, name string, cordoned bool) error {
	const kind = "cordon" // in the journal, which is stored before the node is changed, and the facts with it
	if err := c.options.Journal.RecordIntent(kind, name); err != nil {
		return err
	}
	action, err := c.clients.Cluster.SetCordon(ctx, name, cordoned)
	if err != nil {
		return err
	}
	report.EmitObject(nodes.KindNode, name, "", string(action))
	return c.options.Journal.RecordResult(kind, name, name, action)
}

func (c steps) drain(ctx context.Context, report provisioner.Report, name string) error {
	if c.record(name).Committed {
		return provisioner.Skip("its machine was being stopped already")
	}
	node, err := c.find(ctx, name)
	if err != nil {
		return err
	}
	return c.drainer.Drain(ctx, report, node)
}

// stop is the point from which the change can only be ended. It also waits until the cluster has noticed: a kubelet that lives would register
// its node again.
func (c steps) stop(ctx context.Context, report provisioner.Report, name string) error {
	if err := c.commit(ctx, report, name); err != nil {
		return err
	}
	record := c.record(name)
	return c.repeat(ctx, report, machineLimit, func(ctx context.Context, report provisioner.Report) error {
		node, err := c.find(ctx, name)
		switch {
		case err != nil:
			return err
		case node.Machine == nil, isNew(node.Machine, record):
			return provisioner.Skip("its former machine is gone")
		case !c.isReplacement() && node.Machine.Type == c.spec.Group(state.RoleMaster).Type:
			return provisioner.Skip("its machine has the type already")
		}
		action, err := c.clients.Cloud.StopInstance(ctx, node.Machine.ID)
		if err != nil {
			return err
		}
		if action == state.Updated {
			report.EmitObject(state.KindInstance, name, node.Machine.ID, string(action))
		}
		if node.Node != nil && node.Node.Ready {
			return fault.Newf(fault.Transient, "stop "+name, "the cluster has not noticed yet that it is gone")
		}
		c.emitTarget(report, name, provisioner.TargetStopped, "its machine is stopped")
		return nil
	})
}

// commit asks once more, as the eviction may have taken long, whether the others can keep the quorum, and go on to.
func (c steps) commit(ctx context.Context, report provisioner.Report, name string) error {
	record := c.record(name)
	if record.Committed {
		return nil
	}
	var well time.Time // since when the others are; zero: they are not
	err := c.repeat(ctx, report, healthLimit, func(ctx context.Context, report provisioner.Report) error {
		seen, err := c.inspect(ctx, name)
		if err != nil {
			return err
		}
		c.diagnose(report, seen)
		if reasons := append(seen.checkOthers(), seen.checkRollouts(true)...); len(reasons) > 0 {
			well = time.Time{}
			return pending("check the control plane", reasons)
		}
		if well.IsZero() {
			well = c.clients.Clock.Now()
		}
		if c.clients.Clock.Now().Sub(well) < steadyTime {
			return pending("check the control plane", []string{"the others are well, and have to stay so for " + steadyTime.String()})
		}
		return nil
	})
	if err != nil {
		return &provisioner.PhaseError{Phase: phaseEtcd, Err: err}
	}
	record.Committed = true
	if c.isReplacement() {
		record.ReplacedBy = name
		return c.save(record)
	}
	record.Type = c.spec.Group(state.RoleMaster).Type
	return c.options.Commit(c.spec, func(facts *state.Facts) { facts.SetRemoval(record) })
}

// waitEtcd waits until every master has a healthy member that votes: that of this master is at the address of its machine.
func (c steps) waitEtcd(ctx context.Context, report provisioner.Report, name string) error {
	err := c.repeat(ctx, report, etcdLimit, func(ctx context.Context, _ provisioner.Report) error {
		node, err := c.find(ctx, name)
		if err != nil {
			return err
		}
		seen, err := c.inspectWith(ctx, "", name) // no master may be missing
		if err != nil {
			return err
		}
		reasons := seen.checkOthers()
		if peer := seen.plane.FindPeer(name); peer != nil && node.Machine != nil && peer.Address != node.Machine.Address {
			reasons = append(reasons, fmt.Sprintf("the member of etcd on %s is at %s, and its machine at %s", name, peer.Address, node.Machine.Address))
		}
		return pending("wait for etcd", reasons)
	})
	if err != nil {
		return fault.New(fault.KindOf(err), "wait for the member of etcd on "+name, err).
			WithHint("see what its operator says: oc get etcd cluster -o yaml; oc -n openshift-etcd get pods -o wide. Then run the same command again.")
	}
	record := c.record(name)
	if !record.Cordoned || c.isReplacement() {
		return nil
	}
	if err := c.setCordon(ctx, report, name, false); err != nil {
		return err
	}
	record.Cordoned = false
	return c.save(record)
}

// waitRollout also requires that the cluster is well for a while: only then may another master go. The change ends with it.
func (c steps) waitRollout(ctx context.Context, report provisioner.Report, name string) error {
	var since time.Time // when everything was well first
	err := c.repeat(ctx, report, rolloutLimit, func(ctx context.Context, _ provisioner.Report) error {
		seen, err := c.inspectAll(ctx, "", name)
		if err != nil {
			since = time.Time{}
			return err
		}
		reasons := append(seen.checkOthers(), seen.checkRollouts(false)...)
		if len(seen.lost) == 0 {
			reasons = append(reasons, nodes.ListUnwell(seen.cluster, len(seen.masters), 0)...)
		}
		now := c.clients.Clock.Now()
		switch {
		case len(reasons) > 0:
			since = time.Time{}
			return pending("wait for the control plane", reasons)
		case since.IsZero():
			since = now
		}
		if now.Sub(since) < settleTime {
			return pending("wait for the control plane", []string{"all is well; whether it stays so is watched for " + settleTime.String()})
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.done[name] = true
	done := "resized"
	if c.isReplacement() {
		done = "replaced"
	}
	c.emitTarget(report, name, provisioner.TargetRemoved, done)
	return c.facts.Update(func(facts *state.Facts) { facts.DropRemoval(name) })
}
