package run

import (
	"context"

	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/state/upgrade"
)

// PreviewUpgrades returns how the configuration of the tenant would change.
func PreviewUpgrades(ctx context.Context, r Run, wanted upgrade.Configuration) (state.Difference, error) {
	world, disconnect, err := r.OpenClients(state.NoJournal{}, func(string) {})
	if err != nil {
		return state.Difference{}, err
	}
	defer disconnect()
	installation, err := install.New(r.Spec, r.NewRecipe(), r.Folder, world.ReadOnly())
	if err != nil {
		return state.Difference{}, err
	}
	return install.PreviewUpgrades(ctx, installation, wanted)
}

// CommitUpgrades changes that configuration, as one step of another run, which has locked the folder. message is that of the commit.
func CommitUpgrades(ctx context.Context, r Run, journal state.Recorder, report provisioner.Report, wanted upgrade.Configuration, message string) error {
	world, disconnect, err := r.OpenClients(journal, func(string) {})
	if err != nil {
		return err
	}
	defer disconnect()
	if r.Alter != nil {
		r.Alter(&world.Clients)
	}
	installation, err := install.New(r.Spec, r.NewRecipe(), r.Folder, world.Clients)
	if err != nil {
		return err
	}
	return install.CommitUpgrades(ctx, installation, report, wanted, message)
}
