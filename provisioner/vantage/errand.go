package vantage

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"exoshift/internal/fault"
	"exoshift/state"
)

// noteFile says in the folder of a run which zone it is in.
const noteFile = "run.json"

// prefix begins the names of all that a run makes; the rest is the run's ID.
const prefix = "exoshift-check-"

var named = regexp.MustCompile(`^` + prefix + `([0-9a-f]{16})$`)

// errand is one run in the zone, or the removal of what one left behind.
type errand struct {
	id      string
	options ZoneOptions
	cloud   Cloud
	storage Storage
	folder  state.Folder
	journal *state.Journal
	leave   []func() // lets go of the folder and of the clients, the last first
	seen    func(text string)
}

// note is what a run's folder says beside its journal.
type note struct {
	Zone string `json:"zone"`
}

func newID() string {
	id := make([]byte, 8)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// name is what everything of a run is called.
func (e *errand) name() string { return prefix + e.id }

// begin takes the folder of a run, which is made if it does not exist. It fails with a *state.HeldError if the run goes on.
func (z *Zone) begin(ctx context.Context, id string, seen func(text string)) (_ *errand, err error) {
	e := &errand{id: id, options: z.options, seen: seen}
	defer func() {
		if err != nil {
			e.letGo()
		}
	}()
	if e.folder, err = state.Create(filepath.Join(z.options.Dir, id)); err != nil {
		return nil, e.unnoted(err)
	}
	unlock, err := e.folder.Lock(ctx)
	if err != nil {
		return nil, e.unnoted(err)
	}
	e.leave = append(e.leave, unlock)
	if e.journal, err = e.open(); err != nil {
		return nil, e.unnoted(err)
	}
	e.leave = append(e.leave, func() { _ = e.journal.Close() })
	cloud, storage, end, err := z.options.Connect(e.journal)
	if err != nil {
		return nil, err
	}
	e.cloud, e.storage, e.leave = cloud, storage, append(e.leave, end)
	return e, nil
}

func (e *errand) unnoted(err error) error {
	return fault.New(fault.Internal, "note what is made in the zone", err).
		WithHint("make sure that %s can be written: without notes nothing is made in the zone", e.options.Dir)
}

func (e *errand) open() (*state.Journal, error) {
	content, err := json.Marshal(note{e.options.Zone})
	if err == nil {
		err = e.folder.Write(noteFile, content)
	}
	if err != nil {
		return nil, err
	}
	return e.folder.OpenJournal(e.options.Clock.Now)
}

func (e *errand) letGo() {
	for len(e.leave) > 0 {
		last := len(e.leave) - 1
		e.leave[last]()
		e.leave = e.leave[:last]
	}
}

// end deletes all that the run made. When nothing else is left it forgets the run, whose folder is nobody's from then on.
func (e *errand) end(ctx context.Context) error {
	defer e.letGo()
	if err := e.clear(ctx); err != nil {
		return fault.New(fault.KindOf(err), "delete "+e.name()+" in zone "+e.options.Zone, err).
			WithHint("the next run from the zone removes it; or delete the machine, the security group and the bucket of that name in the Exoscale portal")
	}
	if err := os.Remove(e.folder.Path(noteFile)); err != nil {
		return fault.New(fault.Internal, "forget a run that left nothing behind", err).WithHint("delete %s", e.folder.Path())
	}
	e.letGo()
	_ = os.RemoveAll(e.folder.Path()) // a later run tries again
	return nil
}

// held tells whether the run of a folder goes on.
func held(err error) bool {
	var holder *state.HeldError
	return errors.As(err, &holder)
}

// carryOut has the machine do its work.
func (e *errand) carryOut(ctx context.Context, packed parcel, input []byte) ([]byte, error) {
	e.seen(fmt.Sprintf("uploads the program, %s", megabytes(int64(len(packed.content)))))
	links, err := e.deliver(ctx, packed, input)
	if err != nil {
		return nil, err
	}
	if err := e.start(ctx, links); err != nil {
		return nil, err
	}
	return e.await(ctx)
}
