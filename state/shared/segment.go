package shared

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"exoshift/internal/fault"
)

// segment is the first line of a stored part of a stream; its lines follow.
type segment struct {
	Format  int    `json:"v"`
	Cluster string `json:"cluster"`
	Stream  string `json:"stream"`
	N       int    `json:"n"`
	Epoch   int    `json:"epoch"`
	Nonce   string `json:"nonce"`
	MAC     string `json:"mac"`
}

// author is a run that writes. Its nonce tells what it has stored itself, with an answer that was lost, from what others have.
type author struct {
	epoch int // of the lease that it holds
	nonce string
}

func newAuthor(epoch int) author { return author{epoch, rand.Text()} }

// putSegment stores lines as the part n of a stream. It fails with store.ErrConflict if that part exists.
func (r *repository) putSegment(ctx context.Context, id, stream string, generation, n int, by author, lines []byte) error {
	head := segment{Format: format, Cluster: id, Stream: stream, N: n, Epoch: by.epoch, Nonce: by.nonce}
	head.MAC = r.sealer.authenticate(joinSegment(head, lines))
	_, err := r.store.Put(ctx, segmentKey(id, stream, generation, n), joinSegment(head, lines), "")
	return err
}

// getSegment fails with fs.ErrNotExist if the part does not exist yet.
func (r *repository) getSegment(ctx context.Context, id, stream string, generation, n int) (head segment, lines []byte, err error) {
	key := segmentKey(id, stream, generation, n)
	op := "read " + stream + " of shared state"
	object, err := r.store.Get(ctx, key)
	if err != nil {
		return segment{}, nil, err
	}
	first, lines, whole := bytes.Cut(object.Content, []byte("\n"))
	if !whole {
		return segment{}, nil, fault.Newf(fault.Invalid, op, "%s was cut", key).WithHint("restore an earlier version of the object in the bucket")
	}
	if err := decode(first, &head); err != nil {
		return segment{}, nil, fmt.Errorf("%s: %w", op, err)
	}
	mac := head.MAC
	head.MAC = ""
	if !r.sealer.isAuthentic(joinSegment(head, lines), mac) || head.Cluster != id || head.Stream != stream || head.N != n {
		return segment{}, nil, newTampered(op, key)
	}
	return head, lines, nil
}

func joinSegment(head segment, lines []byte) []byte {
	return append(append(encode(head), '\n'), lines...)
}

// listSegments returns how many parts a stream has; a gap is an error.
func (r *repository) listSegments(ctx context.Context, id, stream string, kept Stream) (int, error) {
	prefix := streamPrefix(id, stream, kept.Generation)
	keys, err := r.store.List(ctx, prefix)
	if err != nil {
		return 0, err
	}
	for n, key := range keys {
		if number, err := strconv.Atoi(strings.TrimPrefix(key, prefix)); err != nil || number != n+1 {
			return 0, fault.Newf(fault.Invalid, "read "+stream+" of shared state", "part %d is missing", n+1).
				WithHint("restore the deleted objects below %s in the bucket", prefix)
		}
	}
	if len(keys) < kept.Segments {
		return 0, fault.Newf(fault.Invalid, "read "+stream+" of shared state", "%d of %d parts are left", len(keys), kept.Segments).
			WithHint("restore the deleted objects below %s in the bucket", prefix)
	}
	return len(keys), nil
}

// readStream returns the lines of all parts.
func (r *repository) readStream(ctx context.Context, id, stream string, kept Stream) (lines []byte, parts int, err error) {
	parts, err = r.listSegments(ctx, id, stream, kept)
	if err != nil {
		return nil, 0, err
	}
	all := make([][]byte, parts)
	err = forEach(ctx, parts, func(ctx context.Context, n int) error {
		var err error
		_, all[n], err = r.getSegment(ctx, id, stream, kept.Generation, n+1)
		return err
	})
	return bytes.Join(all, nil), parts, err
}

// isNextMissing is for who follows a stream: its next part does not exist yet.
func isNextMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func segmentKey(id, stream string, generation, n int) string {
	return fmt.Sprintf("%s%08d", streamPrefix(id, stream, generation), n)
}

func streamPrefix(id, stream string, generation int) string {
	return fmt.Sprintf("%s%s/streams/%s/%d/", clustersPrefix, id, stream, generation)
}
