package ignition

import (
	"container/heap"
	"encoding/binary"

	"exoshift/internal/fault"
)

// qcow2 reads an image of QEMU's as it passes by. Its tables say where clusters are compressed, and come before them:
// qemu-img writes a table before the first cluster that it has to list, except where that cluster fits into what is left
// behind the compressed clusters of another table. Only compressed clusters need the tables; all else is searched as it
// is. Each compressed cluster is searched by itself: a boot entry is shorter than a block of its file system, and no
// block lies in two clusters.
type qcow2 struct {
	header  qcow2Header
	at      int64   // offset of the next byte in the image
	ahead   regions // what is known to come
	cluster *cluster
	guessed map[int64]bool // where compressed clusters were found that no table had listed
}

func newQcow2(start []byte) (*qcow2, error) {
	header, err := parseQcow2Header(start)
	if err != nil {
		return nil, err
	}
	q := &qcow2{header: header, cluster: newCluster(header.clusterSize()), guessed: map[int64]bool{}}
	return q, q.addRegion(region{at: header.tables, size: header.tablesSize, kind: firstTable})
}

// lookahead is the size of the longest compressed cluster that a table can describe.
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

// complete refuses an image that ended before all that its tables list.
func (q *qcow2) complete() error {
	for _, r := range q.ahead {
		if r.kind != guessedCluster {
			return newInvalidImage("it ends at byte %d, and its tables list byte %d", q.at, r.at)
		}
	}
	return nil
}

// patchNext deals with the next region, or with what comes before it. It returns zero if it has to see more.
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

// readTable reads what there is of a table, and expects its rest.
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

// addEntry notes what an entry of a table describes.
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
	const most = 1 << 19 // bounds the memory; the tables of all disks that Exoscale takes have fewer at once
	switch {
	case r.at < q.at:
		return newInvalidImage("a table comes after what it lists at byte %d", r.at)
	case len(q.ahead)+len(q.guessed) >= most:
		return newInvalidImage("its tables list more than %d parts at once", most)
	}
	heap.Push(&q.ahead, r)
	return nil
}

// patchCluster replaces the platform in a compressed cluster.
func (q *qcow2) patchCluster(r region, packed []byte) (final, replaced int, err error) {
	final, replaced, err = q.cluster.patch(packed)
	switch {
	case err != nil && r.kind == guessedCluster:
		return len(packed), 0, nil // nothing is here
	case err != nil:
		return 0, 0, newInvalidImage("the compressed cluster at byte %d: %w", r.at, err)
	case r.kind == guessedCluster:
		q.guessed[r.at] = true
	}
	q.findCluster(r.at + int64(final))
	return final, replaced, nil
}

// findCluster looks for a cluster of a table that is still to come, which begins where the last compressed cluster ends.
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

// newInvalidImage is why an image is refused.
func newInvalidImage(format string, args ...any) error {
	return fault.Newf(fault.Invalid, patching, "the qcow2 image cannot be patched: "+format, args...).
		WithHint("write it anew: qemu-img convert -O qcow2 IMAGE NEW")
}
