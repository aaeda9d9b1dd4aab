package diagnosis

import (
	"testing"
	"time"

	"exoshift/state"
)

// A machine that has joined may have left another request behind: that is not one of certificates that have ended.
func TestExpiredWhileOff_NotForARequestOfBeforeTheNode(t *testing.T) {
	joined := time.Date(2027, 3, 9, 22, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		requested time.Time
		want      int
	}{{joined.Add(-time.Minute), 0}, {joined.Add(time.Hour), 1}} {
		m := &inputIndex{
			Input: Input{Facts: state.Facts{Installed: joined.Add(-time.Hour)}, Snapshot: state.Snapshot{Requests: []state.NodeRequest{
				{Name: "csr-1", Node: "master-1", State: state.RequestPending, BlockedReason: state.SkippedRegistered, Created: c.requested},
			}}},
			nodes:    map[string]state.NodeStatus{"master-1": {Name: "master-1", Created: joined}},
			machines: map[string]state.Instance{"master-1": {Name: "master-1", State: "running", Created: joined.Add(-10 * time.Minute)}},
		}
		if found := detectExpiredCertificates(m); len(found.subject) != c.want {
			t.Errorf("requested at %s: %v", c.requested, found.evidence)
		}
	}
}
