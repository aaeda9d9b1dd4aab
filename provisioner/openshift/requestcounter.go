package openshift

import (
	"maps"
	"sync"
)

// requestCounter counts requests to the API by verb and kind. The zero tally is ready for use.
type requestCounter struct {
	mu     sync.Mutex
	counts map[string]int
}

func (t *requestCounter) count(verb string, where resourcePath) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[verb+" "+string(where)]++
}

// CountRequests returns how many requests were made of the API so far, by verb and kind: "list v1/nodes". Each page of a long
// list is one.
func (c *Cluster) CountRequests() map[string]int {
	c.counter.mu.Lock()
	defer c.counter.mu.Unlock()
	return maps.Clone(c.counter.counts)
}
