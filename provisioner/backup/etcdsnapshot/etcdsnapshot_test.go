package etcdsnapshot_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"exoshift/provisioner/backup/etcdsnapshot"
	"exoshift/state/backup"
)

// makeSnapshot returns a snapshot as etcd makes it, and what bbolt itself reads of it, as etcdutl does.
func makeSnapshot(t *testing.T, keys int) ([]byte, backup.Status) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it was read before
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range []string{"alarm", "key", "lease", "meta"} {
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		for i := range keys {
			key := binary.BigEndian.AppendUint64(nil, uint64(i+2))
			key = append(append(key, '_'), make([]byte, 8)...)
			if err := tx.Bucket([]byte("key")).Put(key, bytes.Repeat([]byte{byte(i)}, 10+i*i%20000)); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte("meta")).Put([]byte("consistent_index"), []byte("12345678"))
	})
	if err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	var want backup.Status
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	err = db.View(func(tx *bbolt.Tx) error {
		want.TotalSize = tx.Size()
		if _, err := tx.WriteTo(&content); err != nil {
			return err
		}
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			sum.Write(name)
			return b.ForEach(func(k, v []byte) error {
				sum.Write(k)
				sum.Write(v)
				want.TotalKeys++
				if string(name) == "key" {
					want.Revision = int64(binary.BigEndian.Uint64(k))
				}
				return nil
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	want.Hash = sum.Sum32()
	end := sha256.Sum256(content.Bytes())
	content.Write(end[:])
	return content.Bytes(), want
}

func TestReadStatus_LikeBbolt(t *testing.T) {
	t.Parallel()
	for _, keys := range []int{0, 1, 50, 3000} {
		t.Run(fmt.Sprint(keys), func(t *testing.T) {
			t.Parallel()
			content, want := makeSnapshot(t, keys)
			from, size := bytes.NewReader(content), int64(len(content))
			if err := etcdsnapshot.CheckSum(from, size); err != nil {
				t.Error(err)
			}
			if got, err := etcdsnapshot.ReadStatus(from, size); err != nil || got != want {
				t.Errorf("%+v, %v; want %+v", got, err, want)
			}
			content[len(content)/2] ^= 1
			if etcdsnapshot.CheckSum(from, size) == nil {
				t.Error("a changed byte was not noticed")
			}
		})
	}
}

func FuzzReadStatus(f *testing.F) {
	f.Add([]byte(nil))
	content, err := os.ReadFile("testdata/small.db")
	if err == nil {
		f.Add(content)
	}
	f.Fuzz(func(_ *testing.T, content []byte) {
		_, _ = etcdsnapshot.ReadStatus(bytes.NewReader(content), int64(len(content)))
		_ = etcdsnapshot.CheckSum(bytes.NewReader(content), int64(len(content)))
	})
}
