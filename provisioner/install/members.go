package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const voting = "voter"

// The minimum of healthy members besides a recreated master: with fewer, its new member could cost etcd the majority.
const minHealthyMembers = 2

// checkMembers refuses to recreate masters while etcd needs them. Before the bootstrap is over all masters are new.
func (i *Installation) checkMembers(ctx context.Context, report provisioner.Report, missing []state.Machine) error {
	var lost []string
	for _, machine := range missing {
		if machine.Role == state.RoleMaster {
			lost = append(lost, machine.Name)
		}
	}
	if len(lost) == 0 || !i.Facts().IsBootstrapped() {
		return nil
	}
	op := "make " + strings.Join(lost, ", ") + " again"
	const hint = "Bring etcd back first: oc get etcd cluster -o yaml shows its members, and `/usr/local/bin/quorum-restore.sh` on a master " +
		"that has its data makes it whole by itself. Then run the same command again."
	seen, err := i.pollUntilAnswer(ctx, report)
	if err != nil {
		return fault.Newf(fault.Conflict, op, "etcd's members cannot be asked for: %w", err).WithHint(hint)
	}
	healthy := 0
	for _, member := range seen.Etcd.Members {
		if member.State == voting && !slices.Contains(lost, member.Name) {
			healthy++
		}
	}
	if healthy >= minHealthyMembers {
		return nil
	}
	return fault.Newf(fault.Conflict, op, "%d other members of etcd are healthy, and %d have to be: %s", healthy, minHealthyMembers, seen.Etcd.Message).WithHint(hint)
}

// The time that the API may not answer: the load balancers take a while to detect that a master is gone.
const limitAnswer = 2 * time.Minute

func (i *Installation) pollUntilAnswer(ctx context.Context, report provisioner.Report) (seen state.Snapshot, err error) {
	var final error
	err = provisioner.PollUntil(i.clients.Clock, pollInterval, limitAnswer, func(ctx context.Context, _ provisioner.Report) error {
		seen, final = i.clients.Cluster.Poll(ctx, netip.Addr{}, nil)
		if fault.Is(final, fault.Transient) {
			return final
		}
		return nil
	})(ctx, report)
	return seen, cmp.Or(err, final)
}

// A master needs its etcd member once the bootstrap machine's member is removed.
func (i *Installation) waitMasters() provisioner.StepFunc {
	machines := i.spec.Machines(state.RoleMaster)
	return i.waitWithActions(limitMaster, "wait for the masters to join", func(seen state.Snapshot) error {
		if err := i.checkReadyNodes(seen.Nodes, machines); err != nil || !i.Facts().IsBootstrapped() {
			return err
		}
		return i.checkMemberMachines(seen.Etcd)
	})
}

// waitEtcd waits until all members are on the masters: 1, 2, 3, 4, 3. The condition that the bootstrap machine's member
// is removed stays true for ever, so it proves nothing about a recreated master.
func (i *Installation) waitEtcd() provisioner.StepFunc {
	return i.waitWithActions(limitMaster, "wait until etcd has a member on every master", func(seen state.Snapshot) error {
		if !seen.Etcd.BootstrapRemoved {
			return i.checkEtcd(seen.Etcd)
		}
		return i.checkMemberMachines(seen.Etcd)
	})
}

func (i *Installation) checkMemberMachines(status state.EtcdStatus) error {
	whole, _ := i.groupMasters(status)
	var lacking []string
	for _, machine := range i.spec.Machines(state.RoleMaster) {
		if !slices.Contains(whole, machine.Name) {
			lacking = append(lacking, machine.Name)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return fmt.Errorf("etcd has no healthy member on %s: %s", strings.Join(lacking, ", "), status.Message)
}

// The etcd operator removes no members of recreated masters by itself here, and adds none while one is not healthy.
func (i *Installation) describeStaleMembers(status state.EtcdStatus) string {
	whole, lost := i.groupMasters(status)
	stale := i.listStaleMembers(status)
	if !status.BootstrapRemoved || len(whole) == 0 || len(stale) == 0 || len(lost) == 0 {
		return ""
	}
	etcdctl := "oc -n openshift-etcd rsh -c etcdctl etcd-" + whole[0] + " etcdctl member "
	lines := []string{etcdctl + "list -w table"}
	for _, id := range stale {
		lines = append(lines, etcdctl+"remove "+id)
	}
	for _, name := range lost {
		lines = append(lines, fmt.Sprintf("oc -n openshift-etcd delete secret etcd-peer-%[1]s etcd-serving-%[1]s etcd-serving-metrics-%[1]s", name))
	}
	return "etcd still has the member of the machine that was " + strings.Join(lost, ", ") + " before. If that machine is gone:\n" + strings.Join(lines, "\n")
}

// lost are the masters whose member is that of an earlier machine.
func (i *Installation) groupMasters(status state.EtcdStatus) (whole, lost []string) {
	addresses := slices.Collect(maps.Values(status.Voters))
	for _, member := range status.Members {
		instance, known := i.findInstance(member.Name)
		votes := slices.Contains(addresses, instance.Address)
		switch {
		case known && votes && member.State == voting:
			whole = append(whole, member.Name)
		case known && !votes:
			lost = append(lost, member.Name)
		}
	}
	return whole, lost
}

func (i *Installation) listStaleMembers(status state.EtcdStatus) []string {
	var ours []string
	for _, machine := range i.spec.Machines(state.RoleMaster) {
		instance, _ := i.findInstance(machine.Name)
		ours = append(ours, instance.Address)
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(status.Voters)), func(id string) bool { return slices.Contains(ours, status.Voters[id]) })
}

// The action needed is due to recreated machines.
func (i *Installation) waitWithActions(limit time.Duration, op string, lacks func(state.Snapshot) error) provisioner.StepFunc {
	var errand string
	wait := i.pollUntil(limit, func(report provisioner.Report, seen state.Snapshot) error {
		lacking := lacks(seen)
		errand = ""
		if lacking != nil {
			parts := []string{describeReplaced(seen), i.describeStaleMembers(seen.Etcd), i.describeDecision()}
			errand = strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n")
		}
		if i.states.Update("errand/"+op, errand) {
			report.EmitActionNeeded(errand)
		}
		return lacking
	})
	return func(ctx context.Context, report provisioner.Report) error {
		err := wait(ctx, report)
		var limit *provisioner.LimitError
		if errand == "" || !errors.As(err, &limit) {
			return err
		}
		return fault.New(fault.Timeout, op, err).WithHint("%s\nThen run the same command again.", errand)
	}
}
