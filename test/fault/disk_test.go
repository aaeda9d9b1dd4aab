//go:build linux

package fault_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"

	"exoshift/internal/simcloud"
)

// smallDisk names the mount point to the process that lives on a small disk.
const smallDisk = "EXOSHIFT_TEST_SMALL_DISK"

// The disk under the folder gets full in the middle of an installation. The test runs once more in a process with a file
// system of its own, which needs no privileges where user namespaces are allowed.
func TestInstall_FullDisk(t *testing.T) {
	if dir := os.Getenv(smallDisk); dir != "" {
		onSmallDisk(t, dir)
		return
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v") //nolint:gosec // itself
	child.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := child.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &failed):
		t.Skipf("this machine gives no file system to a process of its own: %v", err)
	case bytes.Contains(out, []byte("--- SKIP")):
		t.Skip("this machine lets no process mount a small file system")
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	}
}

func onSmallDisk(t *testing.T, dir string) {
	if err := syscall.Mount("small", dir, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("mount a small disk: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		l := openLab(t, filepath.Join(dir, "cluster"), simcloud.Options{}, newStriker("", ""))
		defer l.close()
		l.inside = withoutCluster
		before := l.picture()
		ballast := fill(t, filepath.Join(dir, "ballast"), 12<<10)
		if err := l.install(); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%v, want a full disk", err)
		}
		entries, err := l.folder.ListEntries()
		l.must(err)
		if calls := len(l.strike.told()); calls == 0 || calls > len(entries) {
			t.Errorf("%d calls and %d entries in the journal", calls, len(entries))
		}
		l.must(os.Remove(ballast))
		l.recovers()
		l.must(l.destroy())
		l.same("after destroy", before, l.picture())
	})
}

// fill leaves some bytes of the disk free.
func fill(t *testing.T, path string, free int64) string {
	t.Helper()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(path), &disk); err != nil {
		t.Fatal(err)
	}
	room := int64(disk.Bavail)*disk.Bsize - free //nolint:gosec // a small disk
	if err := os.WriteFile(path, make([]byte, room), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
