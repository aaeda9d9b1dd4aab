package openshift

import (
	"maps"
	"sync"
)

// tally counts requests to the API by verb and kind. The zero tally is ready for use.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (t *tally) count(verb string, where place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[verb+" "+string(where)]++
}

// Requests returns how many requests were made of the API so far, by verb and kind: "list v1/nodes". Each page of a long
// list is one.
func (c *Cluster) Requests() map[string]int {
	c.tally.mu.Lock()
	defer c.tally.mu.Unlock()
	return maps.Clone(c.tally.counts)
}
