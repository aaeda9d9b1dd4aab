package ignition

type regionKind uint8

const (
	firstTable  regionKind = iota // L1 in QEMU's terms
	secondTable                   // L2
	compressedCluster
	guessedCluster // there may be a compressed cluster whose table was not read yet
)

type region struct {
	at, size int64
	kind     regionKind
}

// A heap by offset, for container/heap.
type regions []region

func (r regions) Len() int { return len(r) }

func (r regions) Less(i, j int) bool { return r[i].at < r[j].at }

func (r regions) Swap(i, j int) { r[i], r[j] = r[j], r[i] }

// Push implements heap.Interface.
func (r *regions) Push(next any) { *r = append(*r, next.(region)) } // nothing else is in it

// Pop implements heap.Interface.
func (r *regions) Pop() any {
	last := len(*r) - 1
	next := (*r)[last]
	*r = (*r)[:last]
	return next
}
