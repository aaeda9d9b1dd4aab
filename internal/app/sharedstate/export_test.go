package sharedstate

import (
	"context"

	"filippo.io/age"
)

// ReadIdentities returns the identities that the variables name.
func ReadIdentities(lookup Lookup) ([]age.Identity, error) {
	return identities{Access{Lookup: lookup}}.read(context.Background())
}
