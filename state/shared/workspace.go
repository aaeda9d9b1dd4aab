package shared

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/store"
)

// uploadEach is how often what a run has written is stored, besides before each change of the cloud.
const uploadEach = 2 * time.Second

// Workspace is the private copy of a cluster's folder that one run works on, as the holder of the cluster's lease.
type Workspace struct {
	place    *Place
	id       string
	lease    *lease.Lease
	author   author
	before   *Summary // of the head that was opened; nil: it had none
	dir      privateDir
	requests chan chan error
	stop     func()
	stopped  chan struct{}
	uploads  sync.WaitGroup

	summaries struct {
		mu        sync.Mutex
		summarize func() Summary // nil: none is kept
		current   *Summary
	}

	// Only one goroutine at a time uses what follows: Open, then upload, then Close.
	copy    *working
	version store.Version // of the head
}

func (w *Workspace) prepare(ctx context.Context, id, dir string) (err error) {
	if w.dir, err = createPrivateDir(dir, id); err != nil {
		return err
	}
	if w.copy, err = w.place.fetch(ctx, id, w.dir.path); err != nil {
		return err
	}
	// What was written by who held the lease before, and arrives later, is refused, or is in parts that are read no more.
	w.version, w.copy.head.Epoch, w.before = w.copy.version, w.lease.Epoch(), w.copy.head.Summary
	if err := w.replaceHead(ctx, w.copy.head); err != nil {
		return err
	}
	return w.compact(ctx, 0)
}

// Folder is the private copy. Its journal's entries are stored before they are acted upon.
func (w *Workspace) Folder() (state.Folder, error) {
	folder, err := state.Create(w.dir.path)
	return folder.WithSyncer(w), err
}

// Holder is the run that works on it, and since when.
func (w *Workspace) Holder() lease.Holder { return w.lease.Holder() }

// Lost is closed when the lease is lost: the run has to end.
func (w *Workspace) Lost() <-chan struct{} { return w.lease.Lost() }

// Check fails with a *lease.LostError if the lease was lost.
func (w *Workspace) Check() error { return w.lease.Check() }

// Sync stores everything that was written so far. It fails if the lease was lost: then nothing may be changed any more.
func (w *Workspace) Sync() error {
	done := make(chan error, 1)
	select {
	case w.requests <- done:
		return <-done
	case <-w.lease.Lost():
		return w.lease.Check()
	case <-w.stopped:
		return fault.Newf(fault.Internal, "store the state of cluster "+w.copy.head.Cluster, "the run has ended")
	}
}

func (w *Workspace) upload(ctx context.Context) {
	ticker := time.NewTicker(uploadEach)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case done := <-w.requests:
			waiting := w.collectRequests(done)
			err := w.storePatiently(ctx, state.JournalFile)
			for _, done := range waiting {
				done <- err
			}
		case <-ticker.C:
			w.updateSummary()
			_ = w.store(ctx, streams...) // the next one tries again, and a change of the cloud waits for success
		}
	}
}

// collectRequests adds those that wait already: what they have written is stored by the same requests.
func (w *Workspace) collectRequests(first chan error) []chan error {
	waiting := []chan error{first}
	for {
		select {
		case next := <-w.requests:
			waiting = append(waiting, next)
		default:
			return waiting
		}
	}
}

// storePatiently tries again as long as the lease is held.
func (w *Workspace) storePatiently(ctx context.Context, names ...string) error {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := w.store(ctx, names...)
		if err == nil || !fault.Is(err, fault.Transient) && !fault.Is(err, fault.Timeout) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-w.lease.Lost():
			return w.lease.Check()
		case <-time.After(wait): //nolint:forbidigo // leases are of the wall clock
		}
	}
}

// store stores changed files, and what is new in these streams. The streams are read first: an entry of the journal is about files that
// were written before it, and is not stored unless they are.
func (w *Workspace) store(ctx context.Context, names ...string) error {
	if err := w.lease.Check(); err != nil {
		return err
	}
	added := make([]newLines, len(names))
	for n, stream := range names {
		var err error
		if added[n], err = w.copy.readNewLines(stream); err != nil {
			return err
		}
	}
	head, infos, changed, err := w.place.storeFiles(ctx, w.copy)
	if err != nil {
		return err
	}
	if summary, isNew := w.findNewSummary(head); isNew {
		head.Summary, changed = summary, true
	}
	if changed {
		if err := w.replaceHead(ctx, head); err != nil {
			return err
		}
	}
	w.copy.files = infos
	for n, stream := range names {
		if err := w.storeStream(ctx, stream, added[n]); err != nil {
			return err
		}
	}
	return w.lease.Check()
}

// replaceHead deletes what only the head before needed.
func (w *Workspace) replaceHead(ctx context.Context, head Head) error {
	before := w.copy.head
	written, version, err := w.place.writeHead(ctx, head, w.author, w.version)
	if errors.Is(err, store.ErrConflict) {
		if before, version, err = w.readOwnHead(ctx, err); err == nil {
			head.Counter = before.Counter
			written, version, err = w.place.writeHead(ctx, head, w.author, version)
		}
	}
	if err != nil {
		return w.explain(err)
	}
	w.copy.head, w.version = written, version
	w.place.deleteUnneeded(ctx, before, written)
	return nil
}

// readOwnHead returns the head that an earlier attempt has written, whose answer was lost, or the conflict if another run has written it.
func (w *Workspace) readOwnHead(ctx context.Context, conflict error) (Head, store.Version, error) {
	found, version, err := w.place.readHead(ctx, w.copy.head.Cluster)
	if err == nil && found.Nonce != w.author.nonce {
		err = conflict
	}
	return found, version, err
}

// explain is for conflicts: another run has taken over.
func (w *Workspace) explain(err error) error {
	if errors.Is(err, store.ErrConflict) {
		return &lease.LostError{Cluster: w.copy.head.Cluster, Err: err}
	}
	return err
}

func (w *Workspace) storeStream(ctx context.Context, stream string, found newLines) (err error) {
	if len(found.lines) == 0 && !found.replaced {
		return nil
	}
	kept := w.copy.head.Streams[stream]
	if found.replaced || kept.Generation == 0 {
		err = w.replaceStream(ctx, stream, Stream{Generation: kept.Generation + 1, Segments: 1}, found.lines)
	} else {
		err = w.extendStream(ctx, stream, kept, found.lines)
	}
	if err == nil {
		w.copy.streams[stream] = found.file
	}
	return err
}

func (w *Workspace) extendStream(ctx context.Context, stream string, kept Stream, lines []byte) error {
	for id := w.copy.head.Cluster; len(lines) > 0; {
		stored := lines
		err := w.place.putSegment(ctx, id, stream, kept.Generation, kept.Segments+1, w.author, lines)
		if errors.Is(err, store.ErrConflict) {
			head, found, unread := w.place.getSegment(ctx, id, stream, kept.Generation, kept.Segments+1)
			switch {
			case unread != nil:
				err = unread
			case head.Nonce == w.author.nonce && bytes.HasPrefix(lines, found):
				stored, err = found, nil // by an earlier attempt, whose answer was lost, when there was less to store
			}
		}
		if err != nil {
			return w.explain(fmt.Errorf("store %s: %w", stream, err))
		}
		kept.Segments++
		w.copy.head.Streams[stream] = kept
		w.copy.offsets[stream] += int64(len(stored))
		lines = lines[len(stored):]
	}
	return nil
}

// replaceStream stores a stream anew, as one part, and then deletes what was stored of it. A run that was killed before its part was
// in the head has left it: then the next generation is free. Whether another run has taken over is what the head shows.
func (w *Workspace) replaceStream(ctx context.Context, stream string, next Stream, lines []byte) error {
	id, before := w.copy.head.Cluster, w.copy.head.Streams[stream]
	leftOver := []string{}
	for {
		err := w.place.putSegment(ctx, id, stream, next.Generation, 1, w.author, lines)
		if err == nil {
			break
		}
		if !errors.Is(err, store.ErrConflict) {
			return fmt.Errorf("store %s: %w", stream, err)
		}
		leftOver = append(leftOver, segmentKey(id, stream, next.Generation, 1))
		next.Generation++
	}
	head := w.copy.head
	if head.Streams = maps.Clone(head.Streams); head.Streams == nil {
		head.Streams = map[string]Stream{}
	}
	head.Streams[stream] = next
	if err := w.replaceHead(ctx, head); err != nil {
		return err
	}
	w.copy.offsets[stream] = int64(len(lines))
	for n := range before.Segments {
		leftOver = append(leftOver, segmentKey(id, stream, before.Generation, n+1))
	}
	for _, key := range leftOver {
		_ = w.place.store.Delete(ctx, key) // if it stays, it does no harm
	}
	return nil
}

// Close stores what is left, frees the lease and removes the private copy. The copy stays if it could not be stored; the error
// names it.
func (w *Workspace) Close(ctx context.Context) error {
	w.stop()
	w.uploads.Wait()
	close(w.stopped)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease.Stop)
	defer cancel()
	w.updateSummary()
	if err := w.storePatiently(ctx, streams...); err != nil {
		hinted := fault.New(fault.KindOf(err), "store the state of cluster "+w.copy.head.Cluster, err).
			WithHint("the data of this run is kept in %s", w.dir.path)
		return errors.Join(hinted, w.dir.keep(), w.lease.Release(ctx))
	}
	return errors.Join(w.compact(ctx, maxSegments), w.lease.Release(ctx), w.dir.removeUnsavedKeys(w.id), w.dir.remove())
}

// maxSegments is how many parts of a stream are left as they are: whoever opens the cluster has to read each of them.
const maxSegments = 20

// compact joins the parts of streams that have more than so many.
func (w *Workspace) compact(ctx context.Context, most int) error {
	for stream, kept := range w.copy.head.Streams {
		if kept.Segments <= most {
			continue
		}
		lines, _, err := w.place.readStream(ctx, w.copy.head.Cluster, stream, kept)
		if err == nil {
			err = w.replaceStream(ctx, stream, Stream{Generation: kept.Generation + 1, Segments: 1}, lines)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadOnly is a private copy of a cluster's folder that is only read.
type ReadOnly struct {
	dir     privateDir
	id      string
	counter int
}

// Counter is that of the head that was copied.
func (r *ReadOnly) Counter() int { return r.counter }

// Folder is the private copy.
func (r *ReadOnly) Folder() (state.Folder, error) { return state.OpenReadOnly(r.dir.path) }

// Close removes the private copy.
func (r *ReadOnly) Close() error { return errors.Join(r.dir.removeUnsavedKeys(r.id), r.dir.remove()) }
