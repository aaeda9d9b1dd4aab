package stateverbs

import (
	"context"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/sharedstate"
	"exoshift/state/shared"
)

// Watch shows the dashboard of a cluster's run, or of its last one, until it is left.
func Watch(ctx context.Context, place *shared.Place, access sharedstate.Access, id string, o cli.Options, std cli.Streams) error {
	return attachment{place: place, access: access, id: id, std: std}.watch(ctx, o)
}
