package hostshell

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"exoshift/internal/simcloud/kube"
)

// Snapshot is what a snapshot of etcd has: the objects of the cluster under their revisions.
type Snapshot struct {
	Objects []kube.StoredObject `json:"-"`
	Domain  string              // of the cluster
	Version string              // of OpenShift
	// Key is what secrets are encrypted with: the resources of the static pods of the same backup have it, and no others.
	Key string
}

func (s shell) newSnapshot() Snapshot {
	known := s.cluster.Record()
	key := sha256.Sum256([]byte(known.Domain + s.cluster.Clock.Now().UTC().Format(time.RFC3339)))
	return Snapshot{Objects: kube.ListStored(s.cluster.Objects), Domain: known.Domain, Version: s.cluster.TargetVersion(), Key: hex.EncodeToString(key[:])}
}

// Buckets of etcd's database, and where the simulated one keeps what it is of.
const (
	keyBucket  = "key"
	metaBucket = "meta"
	metaKey    = "simulated"
)

// encode returns a database as etcd's with the SHA-256 of it appended, and what `etcdctl snapshot status -w json` prints of it.
func (s Snapshot) encode() (content []byte, status string, err error) {
	err = withDatabase(nil, func(db *bbolt.DB) error {
		if err := db.Update(s.fill); err != nil {
			return err
		}
		var written bytes.Buffer
		if err := db.View(func(tx *bbolt.Tx) (err error) {
			status, err = formatStatus(tx)
			if err == nil {
				_, err = tx.WriteTo(&written)
			}
			return err
		}); err != nil {
			return err
		}
		sum := sha256.Sum256(written.Bytes())
		content = append(written.Bytes(), sum[:]...)
		return nil
	})
	return content, status, err
}

// withDatabase opens a database of that content, which needs a file; nil: an empty one.
func withDatabase(content []byte, do func(*bbolt.DB) error) (err error) {
	file, err := os.CreateTemp("", "simulated-etcd-*.db")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // a leftover is of no use to anybody
	_, err = file.Write(content)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	db, err := bbolt.Open(file.Name(), 0o600, &bbolt.Options{NoSync: true, NoGrowSync: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return do(db)
}

func (s Snapshot) fill(tx *bbolt.Tx) error {
	for _, name := range []string{"alarm", "auth", "authRoles", "authUsers", "cluster", keyBucket, "lease", "members", "members_removed", metaBucket} {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	keys := tx.Bucket([]byte(keyBucket))
	for _, object := range s.Objects {
		value, err := json.Marshal(object)
		if err != nil {
			return err
		}
		key := append(binary.BigEndian.AppendUint64(nil, object.Object.ResourceVersion()), '_')
		if err := keys.Put(binary.BigEndian.AppendUint64(key, 0), value); err != nil {
			return err
		}
	}
	of, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return errors.Join(tx.Bucket([]byte(metaBucket)).Put([]byte("storageVersion"), []byte("3.5.0")), tx.Bucket([]byte(metaBucket)).Put([]byte(metaKey), of))
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
			if string(name) == keyBucket {
				revision = binary.BigEndian.Uint64(key)
			}
			return nil
		})
	})
	return fmt.Sprintf(`{"hash":%d,"revision":%d,"totalKey":%d,"totalSize":%d}`, sum.Sum32(), revision, keys, tx.Size()), err
}

// ReadSnapshot reads a snapshot, which has to be whole: `etcdutl snapshot restore` compares it with the checksum at its end.
func ReadSnapshot(content []byte) (read Snapshot, err error) {
	end := len(content) - sha256.Size
	if end <= 0 {
		return read, errors.New("snapshot file is empty")
	}
	if sum := sha256.Sum256(content[:end]); !bytes.Equal(sum[:], content[end:]) {
		return read, fmt.Errorf("expected sha256 %x, got %x", content[end:], sum)
	}
	err = withDatabase(content[:end], func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) error {
			meta, keys := tx.Bucket([]byte(metaBucket)), tx.Bucket([]byte(keyBucket))
			if meta == nil || keys == nil {
				return errors.New("snapshot is missing hash but --skip-hash-check=false")
			}
			if err := json.Unmarshal(meta.Get([]byte(metaKey)), &read); err != nil {
				return err
			}
			return keys.ForEach(func(_, value []byte) error {
				var one kube.StoredObject
				err := json.Unmarshal(value, &one)
				read.Objects = append(read.Objects, one)
				return err
			})
		})
	})
	return read, err
}

const encryptionConfig = "static-pod-resources/kube-apiserver-pod-6/secrets/encryption-config/encryption-config"

// packResources returns the archive of what the static pods need, which has the key that secrets are encrypted with.
func packResources(key string, now time.Time) ([]byte, error) {
	var content bytes.Buffer
	packed := gzip.NewWriter(&content)
	archive := tar.NewWriter(packed)
	config := []byte(`{"kind":"EncryptionConfiguration","resources":[{"resources":["secrets"],"providers":[{"aescbc":{"keys":[{"name":"1","secret":"` + key + `"}]}}]}]}`)
	err := archive.WriteHeader(&tar.Header{Name: encryptionConfig, Mode: 0o600, Size: int64(len(config)), ModTime: now})
	if err == nil {
		_, err = archive.Write(config)
	}
	err = errors.Join(err, archive.Close(), packed.Close())
	return content.Bytes(), err
}

// HasKey reports whether the resources of static pods have a key. They are an error if they cannot be unpacked.
func HasKey(resources []byte, key string) (bool, error) {
	packed, err := gzip.NewReader(bytes.NewReader(resources))
	if err != nil {
		return false, err
	}
	for archive := tar.NewReader(packed); ; {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		case header.Name != encryptionConfig:
			continue
		}
		config, err := io.ReadAll(archive)
		return strings.Contains(string(config), `"`+key+`"`), err
	}
}
