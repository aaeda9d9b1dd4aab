package cluster

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/provisioner/backup/etcdsnapshot"
	"exoshift/state/backup"
)

// What a snapshot of a real etcd says of itself is read as etcd's own program reads it.
func TestSnapshot_OfRealEtcd(t *testing.T) {
	t.Parallel()
	program := etcdctl(t)
	r := newRing(t)
	client := r.client(t, r.members[0].clients)
	for i := range 600 {
		_, err := client.Put(t.Context(), fmt.Sprintf("/kubernetes.io/secrets/n%d/s%d", i%7, i%250), strings.Repeat("x", i*i%9000))
		must(t, err)
	}
	_, err := client.Delete(t.Context(), "/kubernetes.io/secrets/n1/s1")
	must(t, err)
	stream, err := client.Snapshot(t.Context())
	must(t, err)
	path := filepath.Join(t.TempDir(), "snapshot.db")
	file, err := os.Create(path)
	must(t, err)
	size, err := io.Copy(file, stream)
	must(t, err)
	must(t, stream.Close())
	t.Cleanup(func() { _ = file.Close() })

	printed, err := exec.CommandContext(t.Context(), program, "snapshot", "status", path, "-w", "json").Output()
	must(t, err)
	var want struct {
		Hash      uint32 `json:"hash"`
		Revision  int64  `json:"revision"`
		TotalKey  int64  `json:"totalKey"`
		TotalSize int64  `json:"totalSize"`
	}
	must(t, json.Unmarshal(printed, &want))
	must(t, etcdsnapshot.CheckSum(file, size))
	got, err := etcdsnapshot.ReadStatus(file, size)
	must(t, err)
	if got != (backup.Status{Hash: want.Hash, Revision: want.Revision, TotalKeys: want.TotalKey, TotalSize: want.TotalSize}) || got.Revision < 600 {
		t.Errorf("%+v, and etcdctl prints %s", got, printed)
	}
}
