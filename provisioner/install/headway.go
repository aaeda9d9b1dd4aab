package install

import (
	"sync"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// standstill is for how long nothing may come closer to the end before a wait beyond its limit gives up: masters are
// silent for up to ten minutes while they write their disks and start anew, on slow disks for longer.
const standstill = 20 * time.Minute

// headway knows how far the cluster has ever come, and when it last came further. What goes back and forth is none.
type headway struct {
	mu   sync.Mutex
	most map[string]int
	at   time.Time
}

// note takes in what was seen.
func (h *headway) note(seen state.Observation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.most == nil {
		h.most = map[string]int{}
	}
	for what, count := range marksOf(seen) {
		if count > h.most[what] {
			h.most[what], h.at = count, seen.At
		}
	}
}

// enoughRevisions is how many revisions of etcd count: a few are rolled out while a cluster comes alive. An operator that
// changes its mind for ever makes a new one each time, and comes no closer to anything.
const enoughRevisions = 20

// marksOf counts what grows while a cluster comes alive.
func marksOf(seen state.Observation) map[string]int {
	count := map[string]int{
		"phases": len(seen.Bootstrap.Reached), "members": len(seen.Etcd.Members), "nodes": len(seen.Nodes),
		"percent": seen.Version.Percent, "revision": min(seen.Etcd.Revision, enoughRevisions),
	}
	for _, member := range seen.Etcd.Members {
		count["revisions"] += min(member.Revision, enoughRevisions)
		if member.State == "voter" {
			count["voters"]++
		}
	}
	for _, node := range seen.Nodes {
		if node.Ready {
			count["ready"]++
		}
	}
	for _, operator := range seen.Operators {
		if operator.Stable {
			count["stable"]++
		}
	}
	return count
}

func (h *headway) last() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

// patiently marks what is lacking as on its way if the cluster came closer to its end not long ago. Slow disks and
// networks make installations exceed every limit, and complete all the same.
func (i *Installation) patiently(lacking error) error {
	if lacking == nil || i.world.Clock.Now().Sub(i.headway.last()) >= standstill {
		return lacking
	}
	return provisioner.Moving(lacking)
}
