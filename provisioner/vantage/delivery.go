package vantage

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

// linkLife is how long the links are good that the machine is given.
const linkLife = 30 * time.Minute

// deliver puts everything into the bucket that the machine needs. The bucket is the first thing of a run that comes into
// being and the last one that goes, so it tells others that the run goes on.
func (e *errand) deliver(ctx context.Context, packed parcel, input []byte) (assets.Errand, error) {
	if _, err := e.storage.EnsureBucket(ctx, e.name()); err != nil {
		return assets.Errand{}, err
	}
	if _, err := e.storage.EnsureObject(ctx, e.name(), programKey, packed.content); err != nil {
		return assets.Errand{}, err
	}
	if err := e.storage.CheckPrivate(ctx, e.name(), programKey); err != nil {
		return assets.Errand{}, err
	}
	if _, err := e.storage.EnsureObject(ctx, e.name(), taskKey, input); err != nil {
		return assets.Errand{}, err
	}
	return e.links(ctx, packed)
}

func (e *errand) links(ctx context.Context, packed parcel) (links assets.Errand, err error) {
	links = assets.Errand{SHA256: packed.sum, Args: packed.args}
	for _, link := range []struct {
		into *string
		key  string
		sign func(ctx context.Context, bucket, key string, valid time.Duration) (string, error)
	}{
		{&links.Program, programKey, e.storage.SignedURL},
		{&links.Task, taskKey, e.storage.SignedURL},
		{&links.Status, statusKey, e.storage.SignedPut},
		{&links.Report, reportKey, e.storage.SignedPut},
	} {
		if *link.into, err = link.sign(ctx, e.name(), link.key, linkLife); err != nil {
			return links, err
		}
	}
	return links, nil
}
