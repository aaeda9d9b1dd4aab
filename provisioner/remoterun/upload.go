package remoterun

import (
	"context"
	"time"

	"exoshift/assets"
)

// Objects in the bucket of a run.
const (
	programKey = "program.gz"
	taskKey    = "task"   // the input: it may hold a secret
	statusKey  = "status" // the progress of the machine
	reportKey  = "report" // the output
)

// linkLifetime is the validity of the machine's signed URLs.
const linkLifetime = 30 * time.Minute

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
	links = assets.RemoteRun{SHA256: packed.sum, Args: packed.args}
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
		if *link.into, err = link.sign(ctx, e.name(), link.key, linkLifetime); err != nil {
			return links, err
		}
	}
	return links, nil
}
