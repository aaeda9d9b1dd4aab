package install

import (
	"sync"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// stallTimeout is for how long nothing may come closer to the end before a wait beyond its limit gives up: masters are
// silent for up to ten minutes while they write their disks and start anew, on slow disks for longer.
const stallTimeout = 20 * time.Minute

// progressTracker knows how far the cluster has ever come, and when it last came further. What goes back and forth is none.
type progressTracker struct {
	mu           sync.Mutex
	most         map[string]int
	progressedAt time.Time
}

// track takes in what was seen.
func (h *progressTracker) track(seen state.Snapshot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.most == nil {
		h.most = map[string]int{}
	}
	for what, count := range countProgress(seen) {
		if count > h.most[what] {
			h.most[what], h.progressedAt = count, seen.At
		}
	}
}

// maxRevisions is how many revisions of etcd count: a few are rolled out while a cluster comes alive. An operator that
// changes its mind for ever makes a new one each time, and comes no closer to anything.
const maxRevisions = 20

// countProgress counts what grows while a cluster comes alive.
func countProgress(seen state.Snapshot) map[string]int {
	count := map[string]int{
		"phases": len(seen.Bootstrap.Reached), "members": len(seen.Etcd.Members), "nodes": len(seen.Nodes),
		"percent": seen.Version.Percent, "revision": min(seen.Etcd.Revision, maxRevisions),
	}
	for _, member := range seen.Etcd.Members {
		count["revisions"] += min(member.Revision, maxRevisions)
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

func (h *progressTracker) lastProgress() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.progressedAt
}

// extendDeadline marks what is lacking as on its way if the cluster came closer to its end not long ago. Slow disks and
// networks make installations exceed every limit, and complete all the same.
func (i *Installation) extendDeadline(lacking error) error {
	if lacking == nil || i.clients.Clock.Now().Sub(i.progress.lastProgress()) >= stallTimeout {
		return lacking
	}
	return provisioner.Progressing(lacking)
}
