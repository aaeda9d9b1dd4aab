package deflate

// For lengths up to length, beyond that of the previous match in a list, distance is the cheapest.
type match struct{ length, distance uint16 }

type matches struct {
	all    []match
	starts []int32 // matches of position i are all[starts[i]:starts[i+1]]
}

func (m *matches) at(i int) []match { return m.all[m.starts[i]:m.starts[i+1]] }

// findMatches is exhaustive, and slow.
func findMatches(data []byte, from, to int) matches {
	begin := max(0, from-Window)
	c := chains{data: data[:to], begin: begin, last: map[[shortest]byte]int32{}, before: make([]int32, to-begin)}
	for i := begin; i < from; i++ {
		c.add(i)
	}
	found := matches{starts: make([]int32, 1, to-from+1)}
	for i := from; i < to; i++ {
		found.all = c.find(found.all, i)
		found.starts = append(found.starts, int32(len(found.all)))
		c.add(i)
	}
	return found
}

type chains struct {
	data   []byte
	begin  int                      // the first position
	last   map[[shortest]byte]int32 // the latest position, counted from 1 at begin
	before []int32                  // the position before, counted likewise; 0 for none
}

func (c *chains) add(i int) {
	if i+shortest > len(c.data) {
		return
	}
	key := [shortest]byte(c.data[i:])
	c.before[i-c.begin] = c.last[key]
	c.last[key] = int32(i - c.begin + 1)
}

// find appends the matches of position i, each longer than the previous one, with the shortest distance.
func (c *chains) find(found []match, i int) []match {
	limit := min(longest, len(c.data)-i)
	if limit < shortest {
		return found
	}
	best := shortest - 1
	for at := c.last[[shortest]byte(c.data[i:])]; at > 0 && best < limit; at = c.before[at-1] {
		candidate := c.begin + int(at) - 1
		if i-candidate > Window {
			break
		}
		if c.data[candidate+best] != c.data[i+best] {
			continue
		}
		if n := matchLength(c.data[candidate:], c.data[i:i+limit]); n > best {
			best = n
			found = append(found, match{length: uint16(n), distance: uint16(i - candidate)})
		}
	}
	return found
}

func matchLength(a, b []byte) int {
	for i := range b {
		if a[i] != b[i] {
			return i
		}
	}
	return len(b)
}
