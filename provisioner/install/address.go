package install

import (
	"context"
	"slices"

	"exoshift/provisioner"
	"exoshift/state"
)

// A machine that was deleted and recreated has another address, so records with the old one are removed.
func (i *Installation) removeAddresses(ctx context.Context, report provisioner.Report, machines []state.Machine) error {
	live, err := i.clients.Cloud.ListInstances(ctx, i.spec.Labels())
	if err != nil {
		return err
	}
	useless := func(address string) bool {
		return !slices.ContainsFunc(live, func(machine state.Instance) bool { return machine.Address == address })
	}
	var names []string
	for _, machine := range machines {
		names = append(names, i.listMachineNames(machine)...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		action, err := i.clients.Cloud.DeleteRecords(ctx, i.zone.ID, name, "A", useless)
		if err != nil {
			return err
		}
		if action == state.Deleted {
			report.EmitObject(state.KindRecord, name+" A of a machine that is gone", "", string(action))
		}
	}
	return nil
}
