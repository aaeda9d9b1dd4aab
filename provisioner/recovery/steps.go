package recovery

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/nodes/masters"
	"exoshift/state"
	"exoshift/state/controlplane"
	"exoshift/state/recovery"
)

// phaseEtcd is the phase of the steps, by which a failure has its exit code: that of an installation.
const phaseEtcd = "control-plane"

const (
	pollInterval = 10 * time.Second
	// sshLimit is for how long a rule of a security group may take to have its effect.
	sshLimit = 2 * time.Minute
	// stopLimit is for how long a member may take to stop.
	stopLimit = 5 * time.Minute
	// apiLimit is for how long the API may take to answer once etcd has a quorum.
	apiLimit = 15 * time.Minute
	// rejoinLimit is for how long a master with a disk that is whole may take to have a member again.
	rejoinLimit = 30 * time.Minute
	// finishLimit is for how long the control plane may take to have the same revision everywhere.
	finishLimit = time.Hour
)

type stepFunc func(context.Context, provisioner.Report) error

// steps carry out a recovery.
type steps struct{ *Recovery }

func (r steps) list() provisioner.Plan {
	step := func(id, title string, usual time.Duration, do stepFunc) provisioner.Step {
		return provisioner.Step{ID: id, Title: title, Phase: phaseEtcd, Usual: usual, Do: provisioner.StepFunc(do)}
	}
	from, of := r.options.From, r.options.backupName()
	plan := provisioner.Plan{
		step("open-ssh", "Allow SSH from this machine to the masters", 10*time.Second, r.open),
		step("inspect", "Ask the masters how their members of etcd are", 20*time.Second, r.inspectAll),
	}
	if of != "" {
		plan = append(plan, step("copy-backup", "Copy the backup "+of+" to "+from, 2*time.Minute, r.copyBackup))
	}
	for _, name := range r.listOthers() {
		plan = append(plan, step("disable-etcd-"+name, "Stop the member of etcd on "+name, 30*time.Second, r.newDisable(name)))
	}
	if of == "" {
		plan = append(plan, step("restore-quorum", "Make a cluster of the member on "+from+" alone", 2*time.Minute, r.restore))
	} else {
		plan = append(plan, step("restore-backup", "Make a cluster of the backup on "+from+" alone", 3*time.Minute, r.restoreBackup),
			step("delete-copy", "Delete the files of the backup from "+from, 5*time.Second, func(ctx context.Context, _ provisioner.Report) error { return r.deleteCopy(ctx) }))
	}
	plan = append(plan,
		step("wait-api", "Wait until the API answers", 5*time.Minute, r.waitAPI),
		step("close-ssh", "Close SSH of the masters again", 5*time.Second, func(ctx context.Context, report provisioner.Report) error { return r.close(ctx, report) }),
	)
	if of != "" {
		plan = append(plan, step("allow-unsafe", "Allow etcd's operator to add members to the only one", 5*time.Second, r.allowUnsafe))
	}
	for _, name := range r.listOthers() {
		plan = append(plan, step("rejoin-"+name, "Wait until "+name+" has a member again, if its disk is whole", 5*time.Minute, r.newRejoin(name)))
	}
	for _, name := range r.listOthers() {
		plan = append(plan, r.listReplacement(name)...)
	}
	if of != "" {
		plan = append(plan, step("end-unsafe", "End what etcd's operator was allowed", 5*time.Second, r.endUnsafe),
			provisioner.Step{ID: "wait-nodes", Title: "Wait until every machine is a node that is ready", Phase: phaseNodes, Usual: 2 * time.Minute, Do: r.waitNodes})
	}
	plan = append(plan, step("finish", "Wait until etcd has a healthy member on every master", 5*time.Minute, r.finish))
	for i := range plan[1:] {
		plan[i+1].Needs = []string{plan[i].ID}
	}
	return plan
}

// inspectAll refuses what the masters say against the recovery. What they said before it holds on: later, it is the recovery itself that they
// show.
func (r steps) inspectAll(ctx context.Context, report provisioner.Report) error {
	if r.change().Restored {
		return provisioner.Skip("the API answers already")
	}
	var hosts []recovery.Host
	err := provisioner.PollUntil(r.clients.Clock, pollInterval, sshLimit, func(ctx context.Context, _ provisioner.Report) (err error) {
		if hosts, err = r.inspect(ctx); err != nil {
			return err
		}
		return r.checkReach(hosts)
	})(ctx, report)
	if ctx.Err() != nil || len(hosts) == 0 {
		return err
	}
	report(DescribeHosts(hosts))
	if found := r.diagnose(hosts); found != nil {
		report(provisioner.Event{Type: provisioner.TypeDiagnosis, Name: found.Rule, State: provisioner.Present, Text: found.Cause, Hint: found.Fix, Evidence: found.Evidence,
			Confidence: found.Confidence, Since: &found.Since, Disposition: string(found.Disposition)})
	}
	if refusal := r.check(hosts); refusal != nil {
		return refusal
	}
	if newer := DescribeNewer(hosts); r.options.Backup != nil && newer != "" && !r.isRestoring() {
		report.EmitProgress(newer)
	}
	if r.isRestoring() {
		return nil
	}
	return r.update(func(c *recovery.Change) {
		r.begin(c)
		c.Dead, c.Gone = nil, nil
		for _, host := range hosts {
			if host.Name != r.options.From && host.IsDead() {
				c.Dead = append(c.Dead, host.Name)
			}
			if host.Machine == "" {
				c.Gone = append(c.Gone, host.Name)
			}
		}
	})
}

// listReplacement returns the steps that replace a master, if it is dead. The machine of one that has none is made only then.
func (r steps) listReplacement(name string) []provisioner.Step {
	list := masters.PlanLost(r.lost, name, func() bool { return slices.Contains(r.change().Dead, name) })
	last := &list[len(list)-1]
	do := last.Do
	last.Do = func(ctx context.Context, report provisioner.Report) error {
		err := do(ctx, report)
		if err == nil || provisioner.IsSkip(err) {
			if failure := r.update(func(c *recovery.Change) { c.Replaced(name) }); failure != nil {
				return failure
			}
		}
		return err
	}
	return list
}

func (r steps) newDisable(name string) stepFunc {
	return func(ctx context.Context, report provisioner.Report) error {
		if r.isRestoring() || r.change().Restored {
			return provisioner.Skip("the member on " + r.options.From + " was made a cluster already")
		}
		host := r.find(name)
		if host.IsOff() {
			return provisioner.Skip(host.Failure)
		}
		if err := r.update(func(c *recovery.Change) { c.AddStopped(name) }); err != nil {
			return err
		}
		if err := r.record("etcd-stop", name, func() (state.Action, error) { return state.Updated, r.clients.Hosts.DisableEtcd(ctx, host) }); err != nil {
			return err
		}
		return provisioner.PollUntil(r.clients.Clock, pollInterval, stopLimit, func(ctx context.Context, _ provisioner.Report) error {
			now := r.ask(ctx, host)
			switch {
			case !now.IsKnown():
				return fault.Newf(fault.Transient, "stop etcd on "+name, "%s", now.Failure)
			case now.Running:
				return fault.Newf(fault.Transient, "stop etcd on "+name, "its container still runs")
			}
			return nil
		})(ctx, report)
	}
}

// record keeps an intent in the journal before something is done, and its result after it.
func (r steps) record(kind, name string, do func() (state.Action, error)) error {
	if err := r.options.Journal.RecordIntent(kind, name); err != nil {
		return err
	}
	action, err := do()
	if err != nil {
		return err
	}
	return r.options.Journal.RecordResult(kind, name, name, action)
}

// restore is the point from which the recovery can only go on.
func (r steps) restore(ctx context.Context, _ provisioner.Report) error {
	return r.restoreWith(ctx, "etcd-quorum", r.clients.Hosts.RestoreQuorum)
}

// restoreWith runs a script that makes a cluster of one master alone. That it has run is seen by a leader: then it is not run again.
func (r steps) restoreWith(ctx context.Context, kind string, run func(context.Context, recovery.Host) error) error {
	if r.change().Restored {
		return provisioner.Skip("the API answers already")
	}
	host := r.ask(ctx, r.find(r.options.From))
	if r.isRestoring() && host.Leader {
		return provisioner.Skip("its member leads already")
	}
	for _, name := range r.listOthers() {
		if other := r.ask(ctx, r.find(name)); !other.IsOff() && (!other.IsKnown() || other.Running) {
			return fault.Newf(fault.Conflict, "make a cluster of the member on "+host.Name, "the member on %s may run: %s", name, DescribeHost(other)).
				WithHint("two clusters would be made of one; run the same command again once it is stopped")
		}
	}
	if err := r.update(func(c *recovery.Change) { c.Restoring = true }); err != nil {
		return err
	}
	return r.record(kind, host.Name, func() (state.Action, error) { return state.Updated, run(ctx, host) })
}

func (r steps) waitAPI(ctx context.Context, report provisioner.Report) error {
	err := provisioner.PollUntil(r.clients.Clock, pollInterval, apiLimit, func(ctx context.Context, report provisioner.Report) error {
		if _, err := r.clients.Cluster.ListClusterNodes(ctx); err != nil {
			return err
		}
		plane, err := r.clients.Cluster.InspectControlPlane(ctx)
		if err == nil {
			report(masters.NewEtcdEvent(plane))
		}
		return err
	})(ctx, report)
	if err != nil {
		return fault.New(fault.KindOf(err), "wait for the API", err).
			WithHint("see what runs on %s: ssh core@%s sudo crictl ps -a; then run the same command again%s", r.options.From, r.find(r.options.From).Address, r.adviseKubeconfig())
	}
	report(provisioner.Event{Type: provisioner.TypeDiagnosis, Name: diagnosis.QuorumLost, State: provisioner.Gone, Text: "the API answers"})
	return r.update(func(c *recovery.Change) { c.Restored = true })
}

// adviseKubeconfig is about an administrator of later than the backup.
func (r steps) adviseKubeconfig() string {
	if r.options.Backup == nil {
		return ""
	}
	return "; a kubeconfig of later than the backup is refused: " +
		"/etc/kubernetes/static-pod-resources/kube-apiserver-certs/secrets/node-kubeconfigs/localhost-recovery.kubeconfig on that master is not"
}

func (r steps) newRejoin(name string) stepFunc {
	return func(ctx context.Context, report provisioner.Report) error {
		dead, limit := slices.Contains(r.change().Dead, name), rejoinLimit
		if dead {
			runs, err := r.isRunning(ctx, name)
			if err != nil {
				return err
			}
			if !runs || r.options.Backup == nil {
				return provisioner.Skip("it has no disk with data of etcd any more, and is replaced")
			}
			limit = emptyLimit
		}
		err := provisioner.PollUntil(r.clients.Clock, pollInterval, limit, func(ctx context.Context, _ provisioner.Report) error {
			plane, err := r.clients.Cluster.InspectControlPlane(ctx)
			if err != nil {
				return err
			}
			return checkVotes(plane, name)
		})(ctx, report)
		if err != nil && dead && ctx.Err() == nil {
			return provisioner.Skip("it has no member after " + limit.String() + ", and is replaced")
		}
		if err != nil {
			return fault.New(fault.KindOf(err), "wait for the member of etcd on "+name, err).
				WithHint("see what its operator says: oc get etcd cluster -o yaml; to replace it: exoshift nodes replace %s", name)
		}
		return nil
	}
}

// isRunning reports whether a master has a machine that runs.
func (r steps) isRunning(ctx context.Context, name string) (bool, error) {
	machines, err := r.clients.Cloud.ListInstances(ctx, r.spec.Labels())
	at := slices.IndexFunc(machines, func(m state.Instance) bool { return m.Name == name })
	return at >= 0 && machines[at].State == "running", err
}

func checkVotes(plane controlplane.State, names ...string) error {
	var missing []string
	for _, name := range names {
		switch peer := plane.FindPeer(name); {
		case peer == nil:
			missing = append(missing, "etcd has no member on "+name)
		case peer.Learner:
			missing = append(missing, "the member of etcd on "+name+" has no vote yet")
		case !peer.Healthy:
			missing = append(missing, "the member of etcd on "+name+" does not answer")
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.Newf(fault.Transient, "wait for etcd", "%s", strings.Join(missing, "; "))
}

// finish forgets the recovery once nothing is left of it.
func (r steps) finish(ctx context.Context, report provisioner.Report) error {
	names := append([]string{r.options.From}, r.listOthers()...)
	err := provisioner.PollUntil(r.clients.Clock, pollInterval, finishLimit, func(ctx context.Context, report provisioner.Report) error {
		plane, err := r.clients.Cluster.InspectControlPlane(ctx)
		if err != nil {
			return err
		}
		if err := checkVotes(plane, names...); err != nil {
			return err
		}
		for _, rollout := range plane.Rollouts {
			for _, name := range names {
				if rollout.Nodes[name] != rollout.Latest {
					return fmt.Errorf("%s on %s is at revision %d of %d", rollout.Component, name, rollout.Nodes[name], rollout.Latest)
				}
			}
		}
		report(masters.NewEtcdEvent(plane))
		return nil
	})(ctx, report)
	if err != nil {
		return err
	}
	return r.facts.Update(func(facts *state.Facts) { facts.Recovery = nil })
}
