package watch

import (
	"sync"
	"time"

	"exoshift/state"
)

// A wait beyond its limit ends after this long without progress: masters are silent for up to ten minutes while they
// write their disks and reboot, on slow disks for longer.
const stallTimeout = 20 * time.Minute

// progressTracker keeps the maximum of each counter, and the time of the last increase. Values that go back and forth are
// no progress.
type progressTracker struct {
	mu           sync.Mutex
	most         map[string]int
	progressedAt time.Time
}

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

// The maximum number of etcd revisions that count as progress: a few are rolled out during an installation. An operator
// that changes its mind for ever creates a new one each time, without progress.
const maxRevisions = 20

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
