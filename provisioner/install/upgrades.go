package install

import (
	"context"
	"errors"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/upgrade"
)

var errUnconnected = errors.New("the cluster is not connected to Project Syn")

// PreviewUpgrades returns how the configuration of the tenant would change, which tells the cluster's own controller when to update it, and to
// what.
func PreviewUpgrades(ctx context.Context, i *Installation, wanted upgrade.Configuration) (state.Difference, error) {
	if !i.syn.IsConnected() {
		return state.Difference{}, errUnconnected
	}
	return i.syn.PreviewUpgrades(ctx, func(provisioner.Event) {}, wanted)
}

// CommitUpgrades changes that, and waits until the catalog is compiled of it. message is that of the commit.
func CommitUpgrades(ctx context.Context, i *Installation, report provisioner.Report, wanted upgrade.Configuration, message string) error {
	if !i.syn.IsConnected() {
		return errUnconnected
	}
	return i.syn.CommitUpgrades(ctx, report, wanted, message)
}
