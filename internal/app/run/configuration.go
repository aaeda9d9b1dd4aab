package run

import (
	"context"

	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
)

// Configuration is the configuration of a run's cluster in the repository of its tenant, with edits of it.
type Configuration struct {
	Run
	Edits []state.YAMLEdit
}

// Preview returns how the configuration would change. Without a login, it fails with fault.Waiting.
func (c Configuration) Preview(ctx context.Context) (state.Difference, error) {
	world, disconnect, err := c.OpenClients(state.NoJournal{}, func(string) {})
	if err != nil {
		return state.Difference{}, err
	}
	defer disconnect()
	opened, err := install.OpenConfiguration(c.Spec, c.NewRecipe(), c.Folder, world.ReadOnly())
	if err != nil {
		return state.Difference{}, err
	}
	return opened.PreviewConfiguration(ctx, func(provisioner.Event) {}, c.Edits)
}

// Update changes the configuration alone, as one step of another run, which has locked the folder, and waits until the catalog is compiled
// of it. message is that of the commit.
func (c Configuration) Update(ctx context.Context, journal state.Recorder, report provisioner.Report, message string) error {
	world, disconnect, err := c.OpenClients(journal, func(string) {})
	if err != nil {
		return err
	}
	defer disconnect()
	if c.Alter != nil {
		c.Alter(&world.Clients)
	}
	opened, err := install.OpenConfiguration(c.Spec, c.NewRecipe(), c.Folder, world.Clients)
	if err != nil {
		return err
	}
	return opened.UpdateConfiguration(ctx, report, c.Edits, message)
}
