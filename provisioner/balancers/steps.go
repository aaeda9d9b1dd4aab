package balancers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// drainTime is for how long a load balancer still serves those who have resolved a name to its address, or have a request open: the records
// of the API's name live for a minute.
const drainTime = 90 * time.Second

// kindAttachment is the kind of attachments in events.
const kindAttachment = "elastic-ip-attachment"

// Plan returns the steps of the roll, one after the other.
func (r *Roll) Plan() provisioner.Plan {
	var plan provisioner.Plan
	var needs []string
	for _, target := range r.targets {
		for _, step := range r.listSteps(target) {
			step.ID, step.Phase, step.Needs = step.ID+"-"+target.Machine.Name, nodes.Phase, needs
			plan, needs = append(plan, step), []string{step.ID}
		}
	}
	return plan
}

// undoTimeout is for how long what was begun is tried to be undone.
const undoTimeout = time.Minute

// Run carries out the plan as one step of another run. If it fails, the elastic IPs are given back; but if it was stopped because somebody
// else has taken over the cluster, that is theirs to do.
func (r *Roll) Run(ctx context.Context, report provisioner.Report) error {
	for _, step := range r.Plan() {
		report.EmitProgress(step.Title)
		err := step.Do(ctx, report)
		if err == nil || provisioner.IsSkip(err) {
			continue
		}
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
			return err
		}
		undoing, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
		defer cancel()
		_, unfinished := r.Undo(undoing, nil)
		return errors.Join(err, unfinished)
	}
	return nil
}

func (r *Roll) listSteps(t Target) []provisioner.Step {
	name := t.Machine.Name
	unless := func(is func() bool, why string, step func(context.Context, provisioner.Report, Target) error) provisioner.StepFunc {
		return func(ctx context.Context, report provisioner.Report) error {
			if is() {
				return provisioner.Skip(why)
			}
			return step(ctx, report, t)
		}
	}
	isOver := func() bool { return t.isGone() || t.isMade() }
	const gone = "the machine is gone already"
	return []provisioner.Step{
		{ID: "check", Title: "Check that " + strings.Join(t.Peers, " and ") + " serves, from outside and from a node", Usual: time.Minute, Do: unless(isOver, gone, r.check)},
		{ID: "hand-over", Title: "Leave the elastic IPs to " + strings.Join(t.Peers, " and "), Usual: drainTime, Do: unless(isOver, gone, r.handOver)},
		{ID: "delete-machine", Title: "Delete the machine of " + name, Usual: 30 * time.Second, Do: unless(t.isMade, gone, r.deleteMachine)},
		{ID: "add", Title: "Start the machine of " + name + " again", Usual: 3 * time.Minute, Do: func(ctx context.Context, report provisioner.Report) error {
			return r.add(ctx, report, t) // it also ends what an earlier run has begun: records and attachments
		}},
		{ID: "verify", Title: "Check that " + name + " serves, from outside and from a node", Usual: 2 * time.Minute, Do: func(ctx context.Context, report provisioner.Report) error {
			return r.verify(ctx, report, t)
		}},
	}
}

// check requires that no node joins or restarts, and that the others serve without this one.
func (r *Roll) check(ctx context.Context, report provisioner.Report, t Target) error {
	for _, peer := range t.Peers {
		err := r.waitServing(ctx, report, peer, func(ctx context.Context) error {
			live, err := r.listLive(ctx)
			if err != nil {
				return err
			}
			return r.checkCluster(ctx, live)
		})
		if err != nil {
			return r.hint(err, peer, "nothing was changed with "+t.Machine.Name)
		}
	}
	return nil
}

func (r *Roll) hint(err error, name, also string) error {
	var limit *provisioner.LimitError
	if !errors.As(err, &limit) {
		return err
	}
	return fault.New(fault.Timeout, "check "+name, err).WithHint("%s; see what is wrong, and run the same command again", also)
}

// handOver records what it does before it does it, so that it can be undone.
func (r *Roll) handOver(ctx context.Context, report provisioner.Report, t Target) error {
	begun := state.BalancerReplacement{Name: t.Machine.Name, MachineID: t.Live.ID, Address: t.Live.Address, Of: r.names}
	if err := r.facts.Update(func(facts *state.Facts) { facts.SetBalancer(begun) }); err != nil {
		return err
	}
	emitTarget(report, t, provisioner.TargetDraining, strings.Join(t.Peers, ", ")+" serves in its place")
	ips, err := r.findElasticIPs(ctx)
	if err != nil {
		return err
	}
	for _, ip := range ips.list() {
		action, err := r.clients.Cloud.EnsureDetached(ctx, ip.ID, t.Live.ID)
		if err != nil {
			return err
		}
		report.EmitObject(kindAttachment, ip.Name+" on "+t.Machine.Name, "", string(action))
	}
	if err := ips.dns.Withdraw(ctx, report, t.Machine, t.Live.Address); err != nil {
		return err
	}
	if err := r.waitDrained(ctx, report); err != nil {
		return err
	}
	err = provisioner.PollUntil(r.clients.Clock, pollInterval, serveLimit, func(ctx context.Context, _ provisioner.Report) error {
		return r.checkElasticIPs(ctx)
	})(ctx, report)
	return r.hint(err, strings.Join(t.Peers, " and "), t.Machine.Name+" gets the elastic IPs back")
}

func (r *Roll) waitDrained(ctx context.Context, report provisioner.Report) error {
	began := r.clients.Clock.Now()
	return provisioner.PollUntil(r.clients.Clock, pollInterval, 2*drainTime, func(context.Context, provisioner.Report) error {
		if r.clients.Clock.Now().Sub(began) < drainTime {
			return fmt.Errorf("clients may know its address for %s", drainTime)
		}
		return nil
	})(ctx, report)
}

// elasticIPs are the addresses of the cluster, and the names that lead to load balancers.
type elasticIPs struct {
	api, ingress state.ElasticIP
	dns          *network.DNS
}

func (e elasticIPs) list() []state.ElasticIP { return []state.ElasticIP{e.api, e.ingress} }

// findElasticIPs finds what the installation has made.
func (r *Roll) findElasticIPs(ctx context.Context) (elasticIPs, error) {
	silent := func(provisioner.Event) {}
	ips := network.NewElasticIPs(r.spec, r.clients.Cloud, r.facts)
	if err := ips.Ensure(ctx, silent); err != nil {
		return elasticIPs{}, err
	}
	found := elasticIPs{api: ips.API(), ingress: ips.Ingress(), dns: network.NewDNS(r.spec, r.clients.Cloud, ips)}
	return found, found.dns.EnsureZone(ctx, silent)
}

func (r *Roll) deleteMachine(ctx context.Context, report provisioner.Report, t Target) error {
	id := ""
	if begun := r.facts.Get().FindBalancer(t.Machine.Name); begun != nil {
		id = begun.MachineID
	}
	if id == "" {
		return fault.Newf(fault.Internal, "delete the machine of "+t.Machine.Name, "its replacement was not recorded")
	}
	action, err := r.clients.Cloud.DeleteInstance(ctx, id)
	if err == nil {
		report.EmitObject(state.KindInstance, t.Machine.Name, id, string(action))
	}
	return err
}

func (r *Roll) add(ctx context.Context, report provisioner.Report, _ Target) error {
	return r.create(ctx, report)
}

// verify ends the roll with its last target.
func (r *Roll) verify(ctx context.Context, report provisioner.Report, t Target) error {
	name := t.Machine.Name
	ips, err := r.findElasticIPs(ctx)
	if err != nil {
		return err
	}
	err = r.waitServing(ctx, report, name, func(ctx context.Context) error {
		instance, err := r.find(ctx, name)
		if err != nil {
			return err
		}
		attached, err := r.clients.Cloud.ListAttached(ctx, instance.ID)
		if err == nil && (!slices.Contains(attached, ips.api.ID) || !slices.Contains(attached, ips.ingress.ID)) {
			err = fmt.Errorf("the elastic IPs are not attached to %s", name)
		}
		return err
	})
	if err != nil {
		return r.hint(err, name, strings.Join(t.Peers, " and ")+" serves")
	}
	emitTarget(report, t, provisioner.TargetRemoved, "replaced")
	r.ended[name] = true
	if len(r.ended) < len(r.targets) {
		return nil
	}
	return r.facts.Update(func(facts *state.Facts) { facts.Balancers = nil }) // Prepare has refused to leave another one unfinished
}

// Undo gives the elastic IPs and the names back to load balancers whose replacement was begun, and whose machines are still there: all but
// those to keep. It returns their names.
func (r *Roll) Undo(ctx context.Context, keep []string) (restored []string, err error) {
	if _, err = r.clients.Cluster.EndNodeChecks(ctx); fault.Is(err, fault.Transient) {
		err = nil // the pod ends by itself
	}
	begun := slices.DeleteFunc(slices.Clone(r.facts.Get().Balancers), func(b state.BalancerReplacement) bool { return slices.Contains(keep, b.Name) })
	if len(begun) == 0 {
		return nil, err
	}
	live, unlisted := r.listLive(ctx)
	ips, unfound := r.findElasticIPs(ctx)
	if failure := errors.Join(err, unlisted, unfound); failure != nil {
		return nil, failure
	}
	for _, one := range begun {
		instance := live[one.Name]
		if instance.ID != one.MachineID || instance.State != "running" {
			continue
		}
		if failure := r.restore(ctx, instance, ips); failure != nil {
			err = errors.Join(err, fault.New(fault.KindOf(failure), "give the elastic IPs back to "+one.Name, failure).WithHint("have it done by exoshift install"))
			continue
		}
		restored = append(restored, one.Name)
		err = errors.Join(err, r.facts.Update(func(facts *state.Facts) { facts.DropBalancer(one.Name) }))
	}
	return restored, err
}

func (r *Roll) restore(ctx context.Context, instance state.Instance, ips elasticIPs) error {
	for _, ip := range ips.list() {
		if _, err := r.clients.Cloud.EnsureAttached(ctx, ip.ID, instance.ID); err != nil {
			return err
		}
	}
	machines := slices.DeleteFunc(r.spec.Machines(state.RoleLoadBalancer), func(m state.Machine) bool { return m.Name != instance.Name })
	return ips.dns.Publish(ctx, func(provisioner.Event) {}, machines, func(state.Machine) (string, error) { return instance.Address, nil })
}
