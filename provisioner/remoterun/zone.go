package remoterun

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"exoshift/internal/network"
	"exoshift/state"
)

// ZoneOptions are the dependencies of a Zone.
type ZoneOptions struct {
	Zone  string        // e.g. "ch-gva-2"
	Dir   string        // folder of the runs' records: state.ChecksPath, or another one for a simulated zone
	Clock network.Clock // measures waits
	// Connect returns clients whose changes a journal records; end closes them.
	Connect func(journal state.Recorder) (cloud Cloud, storage Storage, end func(), err error)
	// Groups are the security groups of a node. If the zone has all of them, the machine is in them; if not, it is in its own
	// group with all their rules.
	Groups []state.SecurityGroup
	// SSHKey is the operator's, one line of authorized_keys, which opens the machine; "": none.
	SSHKey string
	// Job is what machines are started for; its zero value is the job of connectivity checks.
	Job Job
}

// Job is what a machine is started for.
type Job struct {
	Does    string        // for messages: what the machine does, e.g. "checks the network"
	Instead string        // for hints: what does without a machine, e.g. "check from another host"
	Limit   time.Duration // of the program, by the machine's clock; at most 30 minutes, as runs are over after an hour
}

func newCheckJob() Job {
	return Job{Does: "checks the network", Instead: "check from another host: --vantage ssh:HOST", Limit: 5 * time.Minute}
}

// Zone is a Runner in a zone. Each run creates a machine, and whatever it needs, and deletes all of it.
type Zone struct{ options ZoneOptions }

// NewZone returns a Runner in a zone. It sends no requests.
func NewZone(options ZoneOptions) *Zone {
	if options.Job == (Job{}) {
		options.Job = newCheckJob()
	}
	return &Zone{options}
}

// Run runs a program on a temporary machine. First it removes what killed runs left behind. It returns when nothing is left in
// the zone, also if ctx has ended; if that fails, the error contains the reason and the next run tries again.
//
// The error wraps ErrNoContact if the machine was running, but did not reach the object storage.
func (z *Zone) Run(ctx context.Context, program Program, input []byte, seen func(text string)) (output []byte, err error) {
	packed, err := packProgram(program)
	if err != nil {
		return nil, err
	}
	if err := z.CleanUpLeftovers(ctx, seen); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		seen("leftovers of earlier runs could not be removed: " + err.Error())
	}
	e, err := z.begin(ctx, newID(), seen)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.cleanUp(ctx)) }() // also after a panic
	return e.execute(ctx, packed, input)
}

// begin creates the folder of a run if it does not exist, and locks it. It fails with a *state.HeldError if the run is active.
func (z *Zone) begin(ctx context.Context, id string, seen func(text string)) (_ *run, err error) {
	e := &run{id: id, options: z.options, progress: seen}
	defer func() {
		if err != nil {
			e.release()
		}
	}()
	if e.folder, err = state.Create(filepath.Join(z.options.Dir, id)); err != nil {
		return nil, e.newRecordError(err)
	}
	unlock, err := e.folder.Lock(ctx)
	if err != nil {
		return nil, e.newRecordError(err)
	}
	e.cleanups = append(e.cleanups, unlock)
	if e.journal, err = e.open(); err != nil {
		return nil, e.newRecordError(err)
	}
	e.cleanups = append(e.cleanups, func() { _ = e.journal.Close() })
	cloud, storage, end, err := z.options.Connect(e.journal)
	if err != nil {
		return nil, err
	}
	e.cloud, e.storage, e.cleanups = cloud, storage, append(e.cleanups, end)
	return e, nil
}
