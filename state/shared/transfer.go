package shared

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/state/lease"
)

// Open acquires the lease of a cluster and copies its folder into a private directory below dir. waiting is called before the lease
// of a run that does not renew it is waited for.
func (p *Place) Open(ctx context.Context, id, dir string, holder lease.Holder, waiting func(lease.Holder)) (*Workspace, error) {
	held, err := lease.Acquire(ctx, p.leases, id, holder, waiting)
	if err != nil {
		return nil, err
	}
	w := &Workspace{place: p, id: id, lease: held, author: newAuthor(held.Epoch()), requests: make(chan chan error), stopped: make(chan struct{})}
	if err := w.prepare(ctx, id, dir); err != nil {
		return nil, errors.Join(err, w.dir.remove(), held.Release(context.WithoutCancel(ctx)))
	}
	uploading, stop := context.WithCancel(context.WithoutCancel(ctx))
	w.stop = stop
	w.uploads.Go(func() { w.upload(uploading) })
	return w, nil
}

// OpenReadOnly copies a cluster's folder without its lease. It fails with fs.ErrNotExist if there is none.
func (p *Place) OpenReadOnly(ctx context.Context, id, dir string) (*ReadOnly, error) {
	private, err := createPrivateDir(dir, id)
	if err != nil {
		return nil, err
	}
	w, err := p.fetch(ctx, id, private.path)
	if err == nil && w.head.Counter == 0 {
		err = fault.New(fault.NotFound, "open the shared state of cluster "+id, os.ErrNotExist).WithHint("list the clusters: exoshift state list")
	}
	if err != nil {
		return nil, errors.Join(err, private.remove())
	}
	return &ReadOnly{private, id, w.head.Counter}, nil
}

// Follow returns a follower of a stream of a cluster, e.g. of state.EventsFile, from its first line.
func (p *Place) Follow(id, stream string) *Follower {
	return &Follower{repository: &p.repository, id: id, stream: stream}
}

// Import copies a folder of this machine, which its caller has locked, to shared state as a new cluster. The folder stays.
func (p *Place) Import(ctx context.Context, id string, folder state.Folder, by lease.Holder) (err error) {
	op := "import " + folder.Path()
	held, err := lease.Acquire(ctx, p.leases, id, by, func(lease.Holder) {})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release(context.WithoutCancel(ctx))) }()
	head, version, err := p.readHead(ctx, id)
	if err != nil {
		return err
	}
	if len(head.Files) > 0 {
		return fault.Newf(fault.Conflict, op, "cluster %s is already in shared state", id).
			WithHint("use it there: exoshift status --state URL %s", id)
	}
	head.Epoch = held.Epoch()
	w := &Workspace{place: p, lease: held, author: newAuthor(held.Epoch()), version: version, copy: newWorking(folder.Path(), head)}
	if err := w.store(ctx, streams...); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return p.Record(ctx, id, Entry{Verb: by.Verb, State: "finished", Holder: by, Text: "imported"})
}

// Export copies a cluster's folder to a directory of this machine that does not exist yet.
func (p *Place) Export(ctx context.Context, id, path string) error {
	op := "export cluster " + id
	path, err := filepath.Abs(path)
	if err == nil {
		err = os.Mkdir(path, 0o700)
	}
	if err != nil {
		return fault.New(fault.Invalid, op, err).WithHint("use a new folder in an existing one")
	}
	w, err := p.fetch(ctx, id, path)
	if err == nil && w.head.Counter == 0 {
		err = fault.New(fault.NotFound, op, fs.ErrNotExist).WithHint("list the clusters: exoshift state list")
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(path))
	}
	return nil
}

func fileMode(file File) fs.FileMode { return fs.FileMode(file.Mode) }
