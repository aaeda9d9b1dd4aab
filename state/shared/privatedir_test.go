package shared

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sync/errgroup"
)

// TestCreatePrivateDir_SideBySide: who starts removes what killed processes have left, and nothing of those that start meanwhile.
func TestCreatePrivateDir_SideBySide(t *testing.T) {
	parent := t.TempDir()
	var group errgroup.Group
	for range 16 {
		group.Go(func() error {
			for range 40 {
				dir, err := createPrivateDir(parent, "c-demo-1")
				if err != nil {
					return err
				}
				if err := os.Mkdir(filepath.Join(dir.path, "secrets"), 0o700); err != nil {
					return err
				}
				if err := dir.remove(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(parent, "*")); len(left) > 0 {
		t.Errorf("it leaves %q", left)
	}
}
