package ignition

import (
	"container/heap"
	"encoding/binary"

	"exoshift/internal/fault"
)

// qcow2 patches a QEMU image as a stream. Its tables list the compressed clusters, and come before them: qemu-img writes
// a table before the first cluster that it lists, except where that cluster fits into the rest of a cluster with
// compressed ones of another table. Only compressed clusters need the tables; everything else is searched as it is. Each
// compressed cluster is searched by itself: a boot entry is shorter than a block of its file system, and no block spans
// two clusters.
type qcow2 struct {
	header  qcow2Header
	at      int64   // offset of the next byte in the image
	ahead   regions // known regions that follow
	cluster *cluster
	guessed map[int64]bool // offsets of compressed clusters that were found before their table
}

func newQcow2(start []byte) (*qcow2, error) {
	header, err := parseQcow2Header(start)
	if err != nil {
		return nil, err
	}
	q := &qcow2{header: header, cluster: newCluster(header.clusterSize()), guessed: map[int64]bool{}}
	return q, q.addRegion(region{at: header.tables, size: header.tablesSize, kind: firstTable})
}

// The size of the longest compressed cluster that a table can describe.
func (q *qcow2) lookahead() int { return 2*q.header.clusterSize() + len(openStack) }

func (q *qcow2) patch(next []byte, ended bool) (final, replaced int, err error) {
	for final < len(next) {
		n, found, err := q.patchNext(next[final:], ended)
		final, replaced, q.at = final+n, replaced+found, q.at+int64(n)
		if err != nil || n == 0 {
			return final, replaced, err
		}
	}
	if ended {
		err = q.complete()
	}
	return final, replaced, err
}

func (q *qcow2) complete() error {
	for _, r := range q.ahead {
		if r.kind != guessedCluster {
			return newInvalidImage("it ends at byte %d, but its tables refer to byte %d", q.at, r.at)
		}
	}
	return nil
}

func (q *qcow2) patchNext(next []byte, ended bool) (final, replaced int, err error) {
	if len(q.ahead) == 0 {
		return raw{}.patch(next, ended)
	}
	r := q.ahead[0]
	switch before := r.at - q.at; {
	case before < 0:
		return 0, 0, newInvalidImage("the parts at bytes %d and before byte %d overlap", r.at, q.at)
	case before >= int64(len(next)):
		return raw{}.patch(next, ended)
	case before > 0:
		return raw{}.patch(next[:before], true)
	}
	heap.Pop(&q.ahead)
	if r.kind == firstTable || r.kind == secondTable {
		return q.readTable(r, next, ended)
	}
	if int64(len(next)) < r.size && !ended {
		heap.Push(&q.ahead, r)
		return 0, 0, nil
	}
	return q.patchCluster(r, next[:min(int64(len(next)), r.size)])
}

func (q *qcow2) readTable(r region, next []byte, ended bool) (final, replaced int, err error) {
	const entry = 8
	n := min(int64(len(next)), r.size) / entry * entry
	if n == 0 && ended {
		return 0, 0, newInvalidImage("it ends within a table")
	}
	rest := region{at: r.at + n, size: r.size - n, kind: r.kind}
	if rest.size > 0 {
		heap.Push(&q.ahead, rest)
	}
	for i := int64(0); i < n; i += entry {
		if err := q.addEntry(r, binary.BigEndian.Uint64(next[i:])); err != nil {
			return int(n), 0, err
		}
	}
	return int(n), 0, nil
}

func (q *qcow2) addEntry(table region, entry uint64) error {
	if table.kind == firstTable {
		if at := parseOffset(entry); at != 0 {
			return q.addRegion(region{at: at, size: int64(q.header.clusterSize()), kind: secondTable})
		}
		return nil
	}
	at, size, compressed := q.header.parseCompressed(entry)
	if !compressed {
		return nil
	}
	if q.guessed[at] {
		delete(q.guessed, at)
		return nil
	}
	return q.addRegion(region{at: at, size: size, kind: compressedCluster})
}

func (q *qcow2) addRegion(r region) error {
	const most = 1 << 19 // bounds the memory; the tables of all disks that Exoscale accepts list fewer at once
	switch {
	case r.at < q.at:
		return newInvalidImage("a table comes after what it lists at byte %d", r.at)
	case len(q.ahead)+len(q.guessed) >= most:
		return newInvalidImage("its tables list more than %d parts at once", most)
	}
	heap.Push(&q.ahead, r)
	return nil
}

func (q *qcow2) patchCluster(r region, packed []byte) (final, replaced int, err error) {
	final, replaced, err = q.cluster.patch(packed)
	switch {
	case err != nil && r.kind == guessedCluster:
		return len(packed), 0, nil // no compressed cluster
	case err != nil:
		return 0, 0, newInvalidImage("the compressed cluster at byte %d: %w", r.at, err)
	case r.kind == guessedCluster:
		q.guessed[r.at] = true
	}
	q.findCluster(r.at + int64(final))
	return final, replaced, nil
}

// findCluster searches for a cluster whose table comes later; it begins where the previous compressed cluster ends.
func (q *qcow2) findCluster(at int64) {
	size := int64(q.header.clusterSize())
	until := (at + size - 1) / size * size
	if len(q.ahead) > 0 {
		until = min(until, q.ahead[0].at)
	}
	if at < until {
		heap.Push(&q.ahead, region{at: at, size: until - at, kind: guessedCluster})
	}
}

func newInvalidImage(format string, args ...any) error {
	return fault.Newf(fault.Invalid, patching, "the qcow2 image cannot be patched: "+format, args...).
		WithHint("convert it: qemu-img convert -O qcow2 IMAGE NEW")
}
