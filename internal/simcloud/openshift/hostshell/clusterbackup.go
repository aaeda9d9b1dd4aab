package hostshell

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strings"

	"go.etcd.io/bbolt"

	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/internal/simcloud/openshift/cluster"
)

// backUp is cluster-backup.sh of the cluster-etcd-operator, 4.18 to 4.21: the snapshot of etcd, and the resources of the static pods.
func (s shell) backUp(arguments []string) apiserver.ExecResult {
	force := len(arguments) > 0 && arguments[0] == "--force"
	if force {
		arguments = arguments[1:]
	}
	if len(arguments) != 1 {
		return apiserver.ExecResult{Out: "Path to backup dir required: ./cluster-backup.sh [--force] <path-to-backup-dir>\n", Code: 1}
	}
	suffix := s.cluster.Clock.Now().UTC().Format("2006-01-02_150405")
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd"} {
		operator, _ := s.cluster.Objects.Get(cluster.OperatorResource, "", name)
		switch status := operator.Condition("Progressing").GetString("status"); {
		case status == "False":
		case force:
			suffix += "__POSSIBLY_DIRTY__"
			force = false
		case status == "":
			return apiserver.ExecResult{Out: "Could not find the status of the " + name + ". Check if the API server is running. Pass the --force flag to skip checks.\n", Code: 1}
		default:
			return apiserver.ExecResult{Out: "Currently the " + name + " operator is progressing. A reliable backup requires that a rollout is not in progress.  Aborting!\n", Code: 1}
		}
	}
	if err := s.cluster.Members.CheckQuorum(); err != nil {
		return apiserver.ExecResult{Err: "Error: " + err.Error() + "\n", Code: 1}
	}
	snapshot, status, err := s.makeSnapshot()
	var resources []byte
	if err == nil {
		resources, err = s.packResources()
	}
	if err != nil {
		return apiserver.ExecResult{Err: "Error: " + err.Error() + "\n", Code: 1}
	}
	folder, database := arguments[0], "snapshot_"+suffix+".db"
	disk := disk{s.host}
	files := disk.load(folder)
	if files == nil {
		files = map[string][]byte{}
	}
	files[database], files["static_kuberesources_"+suffix+".tar.gz"] = snapshot, resources
	disk.save(folder, files)
	return apiserver.ExecResult{Out: strings.Join([]string{
		"Certificate /etc/kubernetes/static-pod-certs/configmaps/etcd-all-bundles/server-ca-bundle.crt is missing. Checking in different directory",
		"found latest kube-apiserver: /etc/kubernetes/static-pod-resources/kube-apiserver-pod-6",
		"found latest etcd: /etc/kubernetes/static-pod-resources/etcd-pod-3",
		"Snapshot saved at " + folder + "/" + database, status,
		"snapshot db and kube resources are successfully saved to " + folder, "",
	}, "\n")}
}

// makeSnapshot returns a database as etcd's: a few of the cluster's objects under their revisions, with the SHA-256 of it appended, and what
// `etcdctl snapshot status -w json` prints of it.
func (s shell) makeSnapshot() (content []byte, status string, err error) {
	file, err := os.CreateTemp("", "simulated-etcd-*.db")
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = os.Remove(file.Name()) }() // a leftover is of no use to anybody
	if err := file.Close(); err != nil {
		return nil, "", err
	}
	db, err := bbolt.Open(file.Name(), 0o600, &bbolt.Options{NoSync: true, NoGrowSync: true})
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Update(s.fill); err != nil {
		return nil, "", err
	}
	var written bytes.Buffer
	err = db.View(func(tx *bbolt.Tx) (err error) {
		status, err = formatStatus(tx)
		if err == nil {
			_, err = tx.WriteTo(&written)
		}
		return err
	})
	sum := sha256.Sum256(written.Bytes())
	return append(written.Bytes(), sum[:]...), status, err
}

func (s shell) fill(tx *bbolt.Tx) error {
	for _, name := range []string{"alarm", "auth", "authRoles", "authUsers", "cluster", "key", "lease", "members", "members_removed", "meta"} {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	keys := tx.Bucket([]byte("key"))
	for _, resource := range []string{"namespaces", "nodes", cluster.SecretResource} {
		for _, object := range s.cluster.Objects.List(resource, "") {
			value, err := json.Marshal(object)
			if err != nil {
				return err
			}
			key := append(binary.BigEndian.AppendUint64(nil, object.ResourceVersion()), '_')
			if err := keys.Put(binary.BigEndian.AppendUint64(key, 0), value); err != nil {
				return err
			}
		}
	}
	return tx.Bucket([]byte("meta")).Put([]byte("storageVersion"), []byte("3.5.0"))
}

// formatStatus reads a database as etcd's snapshot.Status does.
func formatStatus(tx *bbolt.Tx) (string, error) {
	sum, keys, revision := crc32.New(crc32.MakeTable(crc32.Castagnoli)), 0, uint64(0)
	err := tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
		_, _ = sum.Write(name) // never fails
		return bucket.ForEach(func(key, value []byte) error {
			_, _ = sum.Write(key)
			_, _ = sum.Write(value)
			keys++
			if string(name) == "key" {
				revision = binary.BigEndian.Uint64(key)
			}
			return nil
		})
	})
	return fmt.Sprintf(`{"hash":%d,"revision":%d,"totalKey":%d,"totalSize":%d}`, sum.Sum32(), revision, keys, tx.Size()), err
}

// packResources returns the archive of what the static pods need, which has the key that etcd's content is encrypted with.
func (s shell) packResources() ([]byte, error) {
	var content bytes.Buffer
	packed := gzip.NewWriter(&content)
	archive := tar.NewWriter(packed)
	config := []byte(`{"kind":"EncryptionConfiguration","resources":[{"resources":["secrets"],"providers":[{"aescbc":{"keys":[{"name":"1","secret":"c2ltdWxhdGVkIGtleQ=="}]}}]}]}`)
	name := "static-pod-resources/kube-apiserver-pod-6/secrets/encryption-config/encryption-config"
	err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(config)), ModTime: s.cluster.Clock.Now()})
	if err == nil {
		_, err = archive.Write(config)
	}
	err = errors.Join(err, archive.Close(), packed.Close())
	return content.Bytes(), err
}
