package conformance

import (
	"path/filepath"
	"testing"
	"time"
)

func TestProof_LastRunOnly(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), ".conformance"), time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	if _, proven := LoadProof(dir, zoneName, ElasticIPSource); proven {
		t.Error("proven without a run")
	}
	for _, kept := range []bool{true, false} {
		if err := SaveProof(dir, zoneName, now, []Verdict{{ID: ElasticIPSource, OK: kept}, {ID: Swept, OK: true}}); err != nil {
			t.Fatal(err)
		}
		if shown, proven := LoadProof(dir, zoneName, ElasticIPSource); proven != kept || !shown.Equal(now) {
			t.Errorf("%t at %s, want %t", proven, shown, kept)
		}
		if _, proven := LoadProof(dir, "at-vie-1", ElasticIPSource); proven {
			t.Error("proven for another zone")
		}
	}
}
