package remoterun

import (
	"context"
	"time"

	"exoshift/assets"
)

// What is in the bucket of a run.
const (
	programKey = "program.gz"
	taskKey    = "task"   // the input: it may hold a secret
	statusKey  = "status" // how far the machine has come
	reportKey  = "report" // the output
)

// linkLifetime is how long the links are good that the machine is given.
const linkLifetime = 30 * time.Minute

// upload puts everything into the bucket that the machine needs. The bucket is the first thing of a run that comes into
// being and the last one that goes, so it tells others that the run goes on.
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
