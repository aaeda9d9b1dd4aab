package masterhost

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/etcd"
	"exoshift/internal/simcloud/openshift/hostshell"
)

// changeFiles supports what puts the files of a backup into a folder, compares and deletes them.
func (h Host) changeFiles(words []string, in io.Reader, out, complaints io.Writer) (status uint32, handled bool) {
	disk, line := hostshell.Disk{Machine: h.Machine}, strings.Join(words, " ")
	switch {
	case strings.HasPrefix(line, "rm -rf ") && len(words) == 3:
		disk.Save(words[2], nil)
		return 0, true
	case strings.HasPrefix(line, "install -d -m 700 ") && len(words) == 5:
		if disk.Load(words[4]) == nil {
			disk.Save(words[4], map[string][]byte{})
		}
		return 0, true
	case strings.HasPrefix(line, "dd of=") && strings.HasSuffix(line, " bs=1M conv=fsync status=none"):
		return toStatus(h.writeFile(disk, strings.TrimPrefix(words[1], "of="), in, complaints)), true
	case strings.HasPrefix(line, "sha256sum ") && len(words) == 2:
		content, exists := disk.Load(path.Dir(words[1]))[path.Base(words[1])]
		if !exists {
			_, _ = fmt.Fprintf(complaints, "sha256sum: %s: No such file or directory\n", words[1])
			return exitFailure, true
		}
		_, _ = fmt.Fprintf(out, "%x  %s\n", sha256.Sum256(content), words[1])
		return 0, true
	}
	return 0, false
}

func (h Host) writeFile(disk hostshell.Disk, file string, in io.Reader, complaints io.Writer) bool {
	folder := path.Dir(file)
	files := disk.Load(folder)
	if files == nil {
		_, _ = fmt.Fprintf(complaints, "dd: failed to open '%s': No such file or directory\n", file)
		return false
	}
	content, err := io.ReadAll(in)
	if err != nil {
		_, _ = fmt.Fprintf(complaints, "dd: error reading 'standard input': %v\n", err)
		return false
	}
	files[path.Base(file)] = content
	disk.Save(folder, files)
	return true
}

// restoreSnapshot is cluster-restore.sh: of each kind of file, it takes the last one of the folder. A cluster that another member still runs in
// is split; resources of another backup do not decrypt what the snapshot has, and another release does not run with it.
func (h Host) restoreSnapshot(ctx context.Context, arguments []string, out io.Writer) error {
	if len(arguments) != 1 {
		return errors.New("Path to the directory containing backup files is required: ./cluster-restore.sh <path-to-backup>") //nolint:staticcheck // as the script says it
	}
	files := hostshell.Disk{Machine: h.Machine}.Load(arguments[0])
	database, resources := findLast(files, "snapshot", ".db"), findLast(files, "static_kuberesources", ".tar.gz")
	if database == "" || resources == "" {
		return fmt.Errorf("etcd snapshot %s/snapshot*.db does not exist", arguments[0])
	}
	snapshot, err := hostshell.ReadSnapshot(files[database])
	if err != nil {
		return fmt.Errorf("Backup integrity verification failed. Backup appears corrupted. Aborting! %w", err) //nolint:staticcheck // as the script says it
	}
	matching, err := hostshell.HasKey(files[resources], snapshot.Key)
	if err != nil {
		return fmt.Errorf("tar: %s: %w", resources, err)
	}
	bump := h.raftIndex() / 5 * 6 // 120 %
	others := h.Cluster.Members.HasOthers(h.Node)
	if err := h.disableEtcd(ctx, out); err != nil {
		return err
	}
	if _, broken := h.Cluster.StateRecords.Get(etcd.FormatDiskRecord(h.Machine.ID())); broken {
		return errors.New("mv: cannot move '/var/lib/etcd/member' to '/var/lib/etcd-backup/member': Input/output error")
	}
	if others {
		return h.split(out)
	}
	made, err := h.Cluster.Members.RestoreSnapshot(h.Node, h.Machine.Address().String())
	err = errors.Join(err, h.Machine.WriteFile(etcd.DataFile, []byte(made.ID)), kube.Restore(h.Cluster.Objects, snapshot.Objects, max(bump, 1)),
		h.Cluster.StateRecords.Delete(cluster.EtcdFailure),
		h.Cluster.StateRecords.Put(cluster.EtcdRestored, cluster.StateRecord{What: cluster.EtcdRestored, Since: h.Cluster.Clock.Now()}))
	switch known := h.Cluster.Record(); {
	case snapshot.Domain != known.Domain:
		err = errors.Join(err, h.Cluster.FailEtcd("x509: certificate signed by unknown authority"))
	case snapshot.Version != h.Cluster.TargetVersion():
		err = errors.Join(err, h.Cluster.FailEtcd("the snapshot is of the release "+snapshot.Version))
	case !matching:
		err = errors.Join(err, h.Cluster.FailEtcd("unable to transform key \"/kubernetes.io/secrets\": no matching key was found for the provided AES transformer"))
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(out, "starting restore-etcd static pod")
	return h.Machine.WriteFile(etcd.StoppedManifest, nil)
}

// findLast returns the last of such files by their names; "": there is none.
func findLast(files map[string][]byte, prefix, suffix string) (last string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
			last = name
		}
	}
	return last
}
