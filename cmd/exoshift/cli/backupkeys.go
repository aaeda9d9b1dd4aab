package cli

import (
	"context"

	"filippo.io/age"

	"exoshift/internal/app/sharedstate"
	"exoshift/provisioner/backup"
)

// ReadBackupKeys returns whom the backups of the cluster are encrypted to, beside those that are named, and the identities at hand.
func ReadBackupKeys(ctx context.Context, o Options, std Streams, named []string) (backup.Keys, error) {
	access, err := openBackupAccess(ctx, o, std)
	if err != nil {
		return backup.Keys{}, err
	}
	return sharedstate.ReadBackupKeys(ctx, access, named)
}

// ReadIdentities returns the identities at hand.
func ReadIdentities(ctx context.Context, o Options, std Streams) ([]age.Identity, error) {
	access, err := openBackupAccess(ctx, o, std)
	if err != nil {
		return nil, err
	}
	return sharedstate.ReadAgeIdentities(ctx, access)
}

func openBackupAccess(ctx context.Context, o Options, std Streams) (sharedstate.Access, error) {
	net, err := o.OpenNetwork(ctx)
	var at sharedstate.Address
	if o.State != nil {
		at = *o.State
	}
	return NewAccess(at, net, std), err
}
