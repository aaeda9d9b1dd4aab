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
	if !i.bootstrapped() {
		now := i.world.Clock.Now().UTC().Truncate(time.Second)
		if err := i.remember(func(facts *state.Facts) { facts.BootstrapRemoved = now }); err != nil {
			return err
		}
	}
	i.closeAccess(ctx, report)
	if err := i.withdrawBootstrap(ctx, report); err != nil {
		return err
	}
	if err := i.drainBootstrap(ctx, report); err != nil {
		return err
	}
	if err := i.deleteBootstrapMachine(ctx, report); err != nil {
		return err
	}
	i.tellBootstrap(report, state.PhaseMemberRemoved, "the bootstrap machine is gone")
	if err := i.dropBucket(ctx, report, "bootstrap"); err != nil || i.preview {
		return err
	}
	return i.removeSecrets()
}

// removeSecrets removes from the folder what only the bootstrap needed, once it is over.
func (i *Installation) removeSecrets() error {
	if !i.bootstrapped() {
		return nil
	}
	return RemoveBootstrapSecrets(i.spec, i.folder, i.world.Installer.Strip)
}

// RemoveBootstrapSecrets removes from the folder what holds the cluster's keys and what only the bootstrap needed:
// bootstrap.ign and openshift-install's state, which strip removes, the keys of the bootstrap machine, its signed link, what
// nodes were sent to it with, and generations that were put aside.
func RemoveBootstrapSecrets(spec state.Spec, folder state.Folder, strip func(dir string) error) error {
	errs := []error{strip(folder.Path(state.InstallDir)), folder.RemoveOldGenerations()}
	for _, name := range BootstrapSecrets(spec) {
		errs = append(errs, folder.Remove(name))
	}
	return errors.Join(errs...)
}

// BootstrapSecrets are the files of a folder that only the bootstrap needs.
func BootstrapSecrets(spec state.Spec) []string {
	dir := state.InstallDir + "/"
	names := []string{dir + "bootstrap.ign", dir + ".openshift_install_state.json", dir + state.IdentityFile}
	for _, machine := range append(spec.Machines(state.RoleBootstrap), spec.Nodes()...) {
		names = append(names, state.UserDataFile(machine.Name))
	}
	return names
}

// withdrawBootstrap takes the bootstrap machine's names away. They go before the machine, whose address tells which
// records are its own.
func (i *Installation) withdrawBootstrap(ctx context.Context, report provisioner.Report) error {
	machines, err := i.bootstrapMachines(ctx)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		for _, name := range i.namesOf(i.spec.Machines(state.RoleBootstrap)[0]) {
			action, err := i.world.Cloud.DeleteRecords(ctx, i.zone.ID, name, "A", func(address string) bool { return address == machine.Address })
			if err != nil {
				return err
			}
			report.Object(kindRecord, name+" A "+machine.Address, "", string(action))
		}
	}
	return nil
}

// forgetting is how long a name that is gone may still lead to its address: resolvers keep the record, and the load
// balancers what they resolved (hold nx and obsolete in haproxy.cfg), which they ask for every two seconds.
const forgetting = (shortTTL + 30 + 2) * time.Second

// drainBootstrap waits until nobody is led to the bootstrap machine any more: its address may be somebody else's soon
// after it is deleted. It waits anew if a run was stopped in between, because nobody knows since when the names are gone.
func (i *Installation) drainBootstrap(ctx context.Context, report provisioner.Report) error {
	machines, err := i.bootstrapMachines(ctx)
	if err != nil || len(machines) == 0 || i.preview {
		return err
	}
	report.Progress(fmt.Sprintf("waiting %s until every load balancer and resolver has forgotten it", forgetting))
	return i.world.Clock.Sleep(ctx, forgetting)
}

func (i *Installation) bootstrapMachines(ctx context.Context) ([]state.Instance, error) {
	labels := i.labels()
	labels[state.LabelRole] = string(state.RoleBootstrap)
	return i.world.Cloud.Instances(ctx, labels)
}

func (i *Installation) deleteBootstrapMachine(ctx context.Context, report provisioner.Report) error {
	machines, err := i.bootstrapMachines(ctx)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		action, err := i.world.Cloud.DeleteInstance(ctx, machine.ID)
		if err != nil {
			return err
		}
		report.Object(state.KindInstance, machine.Name, machine.ID, string(action))
	}
	return nil
}
