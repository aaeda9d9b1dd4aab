package remoterun

import (
	"context"
	"errors"
	"time"

	"exoshift/internal/network"
	"exoshift/state"
)

// cleanUpLimit bounds, by the zone's clock, how long everything is deleted again, whatever became of the run.
const cleanUpLimit = 15 * time.Minute

// ZoneOptions are what a vantage in a zone needs of the world.
type ZoneOptions struct {
	Zone  string        // e.g. "ch-gva-2"
	Dir   string        // where runs are noted: state.ChecksPath, or another folder for a simulated zone
	Clock network.Clock // that waits are measured by
	// Connect returns clients whose changes a journal notes; end closes them.
	Connect func(journal Journal) (cloud Cloud, storage Storage, end func(), err error)
	// Groups are the security groups of a node. If the zone has all of them, the machine is in them; if not, it is in a
	// group of its own with all their rules.
	Groups []state.SecurityGroup
}

// Zone is a vantage in a zone; it is a Runner. Each run makes a machine, and whatever it needs, and deletes all of it.
type Zone struct{ options ZoneOptions }

// NewZone returns a vantage in a zone. It contacts nobody.
func NewZone(options ZoneOptions) *Zone { return &Zone{options} }

// Run runs a program on a machine of its own. Before, it removes what runs left behind that were killed. It returns when
// nothing is left in the zone, also if ctx has ended; if that fails, the error says so and the next run tries again.
//
// The error wraps ErrNoContact if the machine ran and could not tell us anything.
func (z *Zone) Run(ctx context.Context, program Program, input []byte, seen func(text string)) (output []byte, err error) {
	packed, err := packProgram(program)
	if err != nil {
		return nil, err
	}
	if err := z.CleanUpLeftovers(ctx, seen); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		seen("what earlier runs left behind could not be removed: " + err.Error())
	}
	e, err := z.begin(ctx, newID(), seen)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.cleanUp(ctx)) }() // also when it panics
	return e.execute(ctx, packed, input)
}

// cleanUp ends an errand although its own time is over.
func (e *run) cleanUp(ctx context.Context) error {
	limit := max(e.options.Clock.ToWall(cleanUpLimit), time.Minute)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	return e.finish(ctx)
}
