package openshift

import (
	"maps"
	"sync"
)

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

// CountRequests returns the number of requests to the API so far, by verb and kind: "list v1/nodes". Each page of a long list
// counts as one.
func (c *Cluster) CountRequests() map[string]int {
	c.counter.mu.Lock()
	defer c.counter.mu.Unlock()
	return maps.Clone(c.counter.counts)
}
