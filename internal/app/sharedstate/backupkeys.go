package sharedstate

import (
	"context"
	"errors"
	"slices"
	"strings"

	"filippo.io/age"

	"exoshift/internal/app/exit"
	"exoshift/provisioner/backup"
	"exoshift/state/shared"
)

// ReadBackupKeys returns whom backups are encrypted to: the recipients of shared state and those that are named; without any, the age identity
// of whoever makes the backup. The identities are those at hand.
func ReadBackupKeys(ctx context.Context, a Access, named []string) (keys backup.Keys, err error) {
	if keys.Identities, err = (identities{a}).read(ctx); err != nil {
		return keys, err
	}
	if a.Address.Text != "" && a.Address.IsShared() {
		place, end, err := a.Open(ctx)
		if err != nil {
			return keys, err
		}
		keys.Recipients = slices.Clone(place.Recipients())
		end()
	}
	for _, recipient := range named {
		if recipient = strings.TrimSpace(recipient); !slices.Contains(keys.Recipients, recipient) {
			keys.Recipients = append(keys.Recipients, recipient)
		}
	}
	if len(keys.Recipients) == 0 {
		keys.Recipients = listOwnRecipients(keys.Identities)
	}
	for _, text := range keys.Recipients {
		recipient, err := shared.ParseRecipient(text)
		if err != nil {
			return keys, exit.WithCode(exit.Usage, err)
		}
		keys.Parsed = append(keys.Parsed, recipient)
	}
	switch _, named := a.Lookup(IdentityVariable); {
	case len(keys.Recipients) == 0 && named: // there are identities, or else they could not be read
		return keys, exit.WithCode(exit.Answers, errors.New("a backup is encrypted, and the public key of the SSH key of "+IdentityVariable+" is not known: give it to exoshift backup create with --recipient"))
	case len(keys.Recipients) == 0:
		return keys, exit.WithCode(exit.Answers, errors.New("a backup is encrypted, and there is nobody to encrypt it to: name age public keys with --recipient, set "+IdentityVariable+" to the file of an age identity, or use shared state, whose recipients can read it"))
	}
	return keys, nil
}

// ReadAgeIdentities returns the identities of whoever runs this program.
func ReadAgeIdentities(ctx context.Context, a Access) ([]age.Identity, error) {
	return (identities{a}).read(ctx)
}

// listOwnRecipients returns the public keys of age identities. Those of SSH keys are not known to age.
func listOwnRecipients(all []age.Identity) (own []string) {
	for _, identity := range all {
		if known, ok := identity.(*age.X25519Identity); ok {
			own = append(own, known.Recipient().String())
		}
	}
	return own
}
