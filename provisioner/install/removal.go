package install

import (
	"context"
	"errors"
	"fmt"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// removeBootstrap first notes that the cluster stands on its own, so that no later run starts a second bootstrap. Then
// the machine goes: out of the load balancers first, and once they have forgotten it, it itself. Its document, which
// holds the cluster's keys, goes with it.
func (i *Installation) removeBootstrap(ctx context.Context, report provisioner.Report) error {
	if !i.isBootstrapped() {
		now := i.clients.Clock.Now().UTC().Truncate(time.Second)
		if err := i.updateFacts(func(facts *state.Facts) { facts.BootstrapRemoved = now }); err != nil {
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
	if err := i.dropBucket(ctx, report, "bootstrap"); err != nil || i.preview {
		return err
	}
	return i.removeSecrets()
}

// removeSecrets removes from the folder what only the bootstrap needed, once it is over.
func (i *Installation) removeSecrets() error {
	if !i.isBootstrapped() {
		return nil
	}
	return RemoveBootstrapSecrets(i.spec, i.folder, i.clients.Installer.Strip)
}

// RemoveBootstrapSecrets removes from the folder what holds the cluster's keys and what only the bootstrap needed:
// bootstrap.ign and openshift-install's state, which strip removes, the keys of the bootstrap machine, its signed link, what
// nodes were sent to it with, and generations that were put aside.
func RemoveBootstrapSecrets(spec state.Spec, folder state.Folder, strip func(dir string) error) error {
	errs := []error{strip(folder.Path(state.InstallDir)), folder.RemoveOldGenerations()}
	for _, name := range ListBootstrapSecrets(spec) {
		errs = append(errs, folder.Remove(name))
	}
	return errors.Join(errs...)
}

// ListBootstrapSecrets are the files of a folder that only the bootstrap needs.
func ListBootstrapSecrets(spec state.Spec) []string {
	dir := state.InstallDir + "/"
	names := []string{dir + "bootstrap.ign", dir + ".openshift_install_state.json", dir + state.IdentityFile}
	for _, machine := range append(spec.Machines(state.RoleBootstrap), spec.Nodes()...) {
		names = append(names, state.FormatUserDataFile(machine.Name))
	}
	return names
}

// removeBootstrapRecords takes the bootstrap machine's names away. They go before the machine, whose address tells which
// records are its own.
func (i *Installation) removeBootstrapRecords(ctx context.Context, report provisioner.Report) error {
	machines, err := i.listBootstrapMachines(ctx)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		for _, name := range i.listMachineNames(i.spec.Machines(state.RoleBootstrap)[0]) {
			action, err := i.clients.Cloud.DeleteRecords(ctx, i.zone.ID, name, "A", func(address string) bool { return address == machine.Address })
			if err != nil {
				return err
			}
			report.EmitObject(kindRecord, name+" A "+machine.Address, "", string(action))
		}
	}
	return nil
}

// drainTime is how long a name that is gone may still lead to its address: resolvers keep the record, and the load
// balancers what they resolved (hold nx and obsolete in haproxy.cfg), which they ask for every two seconds.
const drainTime = (shortTTL + 30 + 2) * time.Second

// waitBootstrapDrained waits until nobody is led to the bootstrap machine any more: its address may be somebody else's soon
// after it is deleted. It waits anew if a run was stopped in between, because nobody knows since when the names are gone.
func (i *Installation) waitBootstrapDrained(ctx context.Context, report provisioner.Report) error {
	machines, err := i.listBootstrapMachines(ctx)
	if err != nil || len(machines) == 0 || i.preview {
		return err
	}
	report.EmitProgress(fmt.Sprintf("waiting %s until every load balancer and resolver has forgotten it", drainTime))
	return i.clients.Clock.Sleep(ctx, drainTime)
}

func (i *Installation) listBootstrapMachines(ctx context.Context) ([]state.Instance, error) {
	labels := i.buildLabels()
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
