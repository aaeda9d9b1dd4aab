package recovery

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/network"
	"exoshift/state"
)

const (
	// temporary is the suffix of the description of the rule that is deleted again, and of no other.
	temporary = "while etcd is recovered only"
	// kindRule is part of a security group.
	kindRule = "security-group-rule"
	// closeTimeout is how long the rule is tried to be deleted at the end of a run, by the wall clock: whoever stopped it waits.
	closeTimeout = time.Minute
	sshPort      = 22
)

func isTemporary(rule state.Rule) bool { return strings.HasSuffix(rule.Description, temporary) }

// groupName returns the name of the masters' own security group.
func (r *Recovery) groupName() string {
	names := network.ListGroupNames(r.spec, state.RoleMaster)
	return names[len(names)-1]
}

// open opens SSH of the masters for this machine, which the facts hold before.
func (r *Recovery) open(ctx context.Context, report provisioner.Report) error {
	if r.spec.IsRoundRobin() {
		return provisioner.Skip("there is no load balancer to detect this machine's address: allow port 22 of the masters for it in " + r.groupName())
	}
	if r.change().Restored {
		return provisioner.Skip("the API answers already")
	}
	own, err := r.discoverAddress(ctx)
	if err != nil {
		return err
	}
	if err := r.update(r.begin); err != nil {
		return err
	}
	r.opened = true // a partial change has to be undone, too
	rule := state.Rule{Protocol: "tcp", From: sshPort, To: sshPort, CIDR: netip.PrefixFrom(own, own.BitLen()).String(), Description: "SSH " + temporary}
	if err := r.deleteRules(ctx, report, func(known state.Rule) bool { return isTemporary(known) && known.CIDR != rule.CIDR }); err != nil {
		return err
	}
	group, err := r.buildGroup()
	if err != nil {
		return err
	}
	group.Rules = []state.Rule{rule}
	_, action, err := r.clients.Cloud.EnsureSecurityGroup(ctx, group)
	if err != nil {
		return err
	}
	report.EmitProgress("open to " + own.String())
	report.EmitObject(kindRule, group.Name+": temporary access", "", string(action))
	return nil
}

func (r *Recovery) buildGroup() (state.SecurityGroup, error) {
	groups := network.BuildSecurityGroups(r.spec)
	at := slices.IndexFunc(groups, func(g state.SecurityGroup) bool { return g.Name == r.groupName() })
	if at < 0 {
		return state.SecurityGroup{}, fault.Newf(fault.Internal, "open SSH", "there is no security group %s", r.groupName())
	}
	return groups[at], nil
}

func (r *Recovery) discoverAddress(ctx context.Context) (own netip.Addr, err error) {
	machines, err := r.clients.Cloud.ListInstances(ctx, r.spec.Labels())
	if err != nil {
		return own, err
	}
	err = fault.Newf(fault.NotFound, "detect this machine's address", "the cluster has no load balancer")
	for _, machine := range machines {
		if machine.Labels[state.LabelRole] != string(state.RoleLoadBalancer) || machine.Address == "" {
			continue
		}
		if own, err = r.clients.Balancers.DiscoverAddress(ctx, machine.Address); err == nil {
			return own, nil
		}
	}
	return own, err
}

func (r *Recovery) deleteRules(ctx context.Context, report provisioner.Report, useless func(state.Rule) bool) error {
	action, err := r.clients.Cloud.DeleteRules(ctx, r.groupName(), useless)
	if action == state.Deleted {
		report.EmitObject(kindRule, r.groupName()+": temporary access", "", string(action))
	}
	return err
}

// close deletes the rule, also that of an earlier run.
func (r *Recovery) close(ctx context.Context, report provisioner.Report) error {
	if err := r.deleteRules(ctx, report, isTemporary); err != nil {
		return fault.New(fault.KindOf(err), "close SSH of the masters", err).
			WithHint("delete the rule of the security group %s whose description ends with %q, or run the same command again", r.groupName(), temporary)
	}
	r.opened = false
	return nil
}

// Close deletes the rule, and the files of a backup on a master, after a run that did not come to it, also after one that was stopped. What was begun and has changed nothing is
// forgotten.
func (r *Recovery) Close(ctx context.Context, report provisioner.Report) error {
	if !r.opened && !r.IsBegun() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	var failure error
	if r.change().Copied {
		failure = steps{r}.deleteCopy(ctx)
	}
	if err := errors.Join(failure, r.close(ctx, report)); err != nil {
		return err
	}
	if known := r.change(); known.Restoring || len(known.Stopped) > 0 {
		return nil
	}
	return r.facts.Update(func(facts *state.Facts) { facts.Recovery = nil })
}
