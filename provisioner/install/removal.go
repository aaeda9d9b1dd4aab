package install

import (
	"context"
	"fmt"
	"time"

	"exoshift/provisioner"
	"exoshift/provisioner/install/generation"
	"exoshift/provisioner/install/network"
	"exoshift/state"
)

// removeBootstrap first records that the bootstrap is over, so that no later run starts a second one. Then the machine is
// removed: first from DNS and the load balancers, and once their caches have expired, the machine itself. Its document,
// which holds the cluster's keys, is deleted with it.
func (i *Installation) removeBootstrap(ctx context.Context, report provisioner.Report) error {
	if !i.Facts().IsBootstrapped() {
		now := i.clients.Clock.Now().UTC().Truncate(time.Second)
		if err := i.facts.Update(func(facts *state.Facts) { facts.BootstrapRemoved = now }); err != nil {
			return err
		}
	}
	i.closeAccess(ctx, report)
	if err := i.removeBootstrapRecords(ctx, report); err != nil {
		return err
	}
	if err := i.waitBootstrapDrained(ctx, report); err != nil {
		return err
	}
	if err := i.deleteBootstrapMachine(ctx, report); err != nil {
		return err
	}
	i.emitBootstrap(report, state.PhaseMemberRemoved, "the bootstrap machine is gone")
	if err := i.buckets.Delete(ctx, report, "bootstrap", bootstrapKey); err != nil || i.preview {
		return err
	}
	return i.removeSecrets()
}

func (i *Installation) removeSecrets() error {
	if !i.Facts().IsBootstrapped() {
		return nil
	}
	return generation.RemoveBootstrapSecrets(i.spec, i.folder, i.clients.Installer.Strip)
}

// The records are removed before the machine, whose address identifies them.
func (i *Installation) removeBootstrapRecords(ctx context.Context, report provisioner.Report) error {
	machines, err := i.listBootstrapMachines(ctx)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		if err := i.dns.Withdraw(ctx, report, i.spec.Machines(state.RoleBootstrap)[0], machine.Address); err != nil {
			return err
		}
	}
	return nil
}

// The time for which a deleted name may still resolve to its address: the TTL of resolvers, and the cache of the load
// balancers (hold nx and obsolete in haproxy.cfg), which resolve every two seconds.
const drainTime = (network.ShortTTL + 30 + 2) * time.Second

// waitBootstrapDrained waits until no cache resolves to the bootstrap machine: its address may be reassigned soon after
// it is deleted. After an interrupted run it waits the full time again, because the time of the names' deletion is not
// known.
func (i *Installation) waitBootstrapDrained(ctx context.Context, report provisioner.Report) error {
	machines, err := i.listBootstrapMachines(ctx)
	if err != nil || len(machines) == 0 || i.preview {
		return err
	}
	report.EmitProgress(fmt.Sprintf("waiting %s until every load balancer and resolver has forgotten it", drainTime))
	return i.clients.Clock.Sleep(ctx, drainTime)
}

func (i *Installation) listBootstrapMachines(ctx context.Context) ([]state.Instance, error) {
	labels := i.spec.Labels()
	labels[state.LabelRole] = string(state.RoleBootstrap)
	return i.clients.Cloud.ListInstances(ctx, labels)
}

func (i *Installation) deleteBootstrapMachine(ctx context.Context, report provisioner.Report) error {
	machines, err := i.listBootstrapMachines(ctx)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		action, err := i.clients.Cloud.DeleteInstance(ctx, machine.ID)
		if err != nil {
			return err
		}
		report.EmitObject(state.KindInstance, machine.Name, machine.ID, string(action))
	}
	return nil
}
