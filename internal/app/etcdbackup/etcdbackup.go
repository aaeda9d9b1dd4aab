// Package etcdbackup decides which backup of etcd there is to come back to, before a verb does what may need it: one in the bucket of backups, one that
// is made first, or the files of the cluster's own cluster-backup.sh.
package etcdbackup

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fileread"
)

// MaximumAge is how old a backup may be.
const MaximumAge = 24 * time.Hour

// Names of the files that the cluster's own cluster-backup.sh writes, a pair for each backup.
const (
	snapshotPrefix  = "snapshot_"
	snapshotSuffix  = ".db"
	resourcesFormat = "static_kuberesources_%s.tar.gz"
	backupTime      = "2006-01-02_150405"
	dirtyMark       = "__POSSIBLY_DIRTY__"
)

// Choice is which backup there is to come back to, as a person says.
type Choice struct {
	Folder  string // with the files of the backup
	Without bool   // nobody wants one
}

// Check returns why there is no backup to come back to; "": there is, or nobody wants one.
func (c Choice) Check(now time.Time) string {
	switch {
	case c.Without:
		return ""
	case c.Folder == "":
		return "no backup of etcd was named: make one with exoshift backup create, give the folder of another one with --etcd-backup, or do without by --without-backup"
	}
	snapshots, err := filepath.Glob(filepath.Join(c.Folder, snapshotPrefix+"*"+snapshotSuffix))
	if err != nil || len(snapshots) == 0 {
		return fmt.Sprintf("--etcd-backup %s: it has no file %s*%s", c.Folder, snapshotPrefix, snapshotSuffix)
	}
	slices.Sort(snapshots)
	newest := snapshots[len(snapshots)-1] // their names have the times
	if err := checkSnapshot(newest, now); err != nil {
		return fmt.Sprintf("--etcd-backup: %s: %v", newest, err)
	}
	return ""
}

func checkSnapshot(path string, now time.Time) error {
	made := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), snapshotPrefix), snapshotSuffix)
	if strings.Contains(made, dirtyMark) {
		return fmt.Errorf("it was made while the control plane changed (%s)", dirtyMark)
	}
	at, err := time.Parse(backupTime, made)
	switch {
	case err != nil:
		return fmt.Errorf("its name has no time such as %s", backupTime)
	case now.Sub(at) > MaximumAge:
		return fmt.Errorf("it is %s old, more than %s", now.Sub(at).Round(time.Hour), MaximumAge)
	}
	resources := filepath.Join(filepath.Dir(path), fmt.Sprintf(resourcesFormat, made))
	if info, err := os.Stat(resources); err != nil || info.Size() == 0 {
		return fmt.Errorf("its other half is missing: %s", filepath.Base(resources))
	}
	return checkSum(path)
}

// checkSum compares a snapshot of etcd with the SHA-256 at its end, which etcd appends to its pages.
func checkSum(path string) error {
	const page, largest = 512, 16 << 30 // bytes; etcd's own limit is 8 GiB
	file, err := fileread.Open(path, largest)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := info.Size() - sha256.Size
	if size <= 0 || size%page != 0 {
		return fmt.Errorf("it is no whole snapshot of etcd: its %d bytes do not end with a checksum", info.Size())
	}
	sum := sha256.New()
	if _, err := io.CopyN(sum, file, size); err != nil {
		return err
	}
	kept := make([]byte, sha256.Size)
	if _, err := io.ReadFull(file, kept); err != nil {
		return err
	}
	if !bytes.Equal(kept, sum.Sum(nil)) {
		return errors.New("it is damaged: its content does not match its checksum")
	}
	return nil
}
