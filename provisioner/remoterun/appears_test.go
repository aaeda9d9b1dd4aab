package remoterun_test

import (
	"os"
	"testing"
	"time"
)

func appears(t *testing.T, path string) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatal("it never came")
		case <-ticker.C:
		}
	}
}
