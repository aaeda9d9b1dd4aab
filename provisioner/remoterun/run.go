package remoterun

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/state"
)

const recordFile = "run.json"

// prefix begins the names of all objects of a run; the run's ID follows.
const prefix = "exoshift-check-"

var namePattern = regexp.MustCompile(`^` + prefix + `([0-9a-f]{16})$`)

// run is one run in the zone, or the deletion of what one left behind.
type run struct {
	id       string
	options  ZoneOptions
	cloud    Cloud
	storage  Storage
	folder   state.Folder
	journal  *state.Journal
	cleanups []func() // releases the folder and closes the clients, last first
	progress func(text string)
}

type runRecord struct {
	Zone string `json:"zone"`
}

func newID() string {
	id := make([]byte, 8)
	_, _ = rand.Read(id)     // never fails
	id[0] = 0xa0 | id[0]&0xf // the ID is a label, which begins with a letter
	return hex.EncodeToString(id)
}

func (e *run) name() string { return prefix + e.id }

func (e *run) newRecordError(err error) error {
	return fault.New(fault.Internal, "record what is created in the zone", err).
		WithHint("check that %s is writable; nothing is created in the zone without a record", e.options.Dir)
}

func (e *run) open() (*state.Journal, error) {
	content, err := json.Marshal(runRecord{e.options.Zone})
	if err == nil {
		err = e.folder.Write(recordFile, content)
	}
	if err != nil {
		return nil, err
	}
	return e.folder.OpenJournal(e.options.Clock.Now)
}

func (e *run) release() {
	for len(e.cleanups) > 0 {
		last := len(e.cleanups) - 1
		e.cleanups[last]()
		e.cleanups = e.cleanups[:last]
	}
}

func isHeld(err error) bool {
	var holder *state.LockedError
	return errors.As(err, &holder)
}

func (e *run) execute(ctx context.Context, packed payload, input []byte) ([]byte, error) {
	e.progress(fmt.Sprintf("uploading the program, %s", formatMegabytes(int64(len(packed.content)))))
	links, err := e.upload(ctx, packed, input)
	if err != nil {
		return nil, err
	}
	if err := e.startMachine(ctx, links); err != nil {
		return nil, err
	}
	return (&poller{run: e}).await(ctx)
}

func (e *run) storageHost() string { return state.ObjectStorageHost(e.options.Zone) }

// upload creates the bucket before anything else of a run, and it is deleted last, so it marks the run as active for other
// processes.
func (e *run) upload(ctx context.Context, packed payload, input []byte) (assets.RemoteRun, error) {
	if _, err := e.storage.EnsureBucket(ctx, e.name()); err != nil {
		return assets.RemoteRun{}, err
	}
	if _, err := e.storage.EnsureObject(ctx, e.name(), programKey, packed.content); err != nil {
		return assets.RemoteRun{}, err
	}
	if err := e.storage.CheckPrivate(ctx, e.name(), programKey); err != nil {
		return assets.RemoteRun{}, err
	}
	if _, err := e.storage.EnsureObject(ctx, e.name(), taskKey, input); err != nil {
		return assets.RemoteRun{}, err
	}
	return e.signLinks(ctx, packed)
}

func (e *run) signLinks(ctx context.Context, packed payload) (links assets.RemoteRun, err error) {
	links = assets.RemoteRun{SHA256: packed.sum, Args: packed.args, SSHKey: e.options.SSHKey, Seconds: int(e.options.Job.Limit.Seconds())}
	for _, link := range []struct {
		into *string
		key  string
		sign func(ctx context.Context, bucket, key string, valid time.Duration) (string, error)
	}{
		{&links.Program, programKey, e.storage.SignGetURL},
		{&links.Task, taskKey, e.storage.SignGetURL},
		{&links.Status, statusKey, e.storage.SignPutURL},
		{&links.Report, reportKey, e.storage.SignPutURL},
	} {
		if *link.into, err = link.sign(ctx, e.name(), link.key, linkReserve+e.options.Job.Limit); err != nil {
			return links, err
		}
	}
	return links, nil
}

// Objects in the bucket of a run.
const (
	programKey = "program.gz"
	taskKey    = "task"   // the input: it may hold a secret
	statusKey  = "status" // the progress of the machine
	reportKey  = "report" // the output
)

// linkReserve is how much longer the machine's signed URLs are valid than its program may take: it has to boot, and downloads the
// program.
const linkReserve = 25 * time.Minute
