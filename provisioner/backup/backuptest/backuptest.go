// Package backuptest has a bucket with one backup, for tests of what reads backups.
package backuptest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"
	"time"

	"filippo.io/age"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/state"
	"exoshift/state/backup"
)

// Name is that of the backup.
const Name = "20270101T000000Z"

// Bucket has the backup of a cluster, in memory.
type Bucket struct {
	Content  map[string][]byte // by key
	Manifest backup.Manifest
	Identity age.Identity // of the only recipient
}

// NewBucket returns a bucket with a backup of the cluster of this ID, which has this archive of objects.
func NewBucket(cluster, infraID string, archive []byte) (*Bucket, error) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	b := &Bucket{Content: map[string][]byte{}, Identity: identity, Manifest: backup.Manifest{
		Format: backup.Format, Name: Name, Cluster: cluster, InfraID: infraID, Created: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
		Recipients: []string{identity.Recipient().String()}, Verified: backup.Verification{At: time.Date(2027, 1, 1, 0, 1, 0, 0, time.UTC)},
		Objects: backup.Objects{Missing: []string{}},
	}}
	for name, content := range map[string][]byte{backup.PartSnapshot: []byte("etcd"), backup.PartResources: []byte("pods"), backup.PartObjects: archive} {
		var sealed bytes.Buffer
		writer, err := age.Encrypt(&sealed, identity.Recipient())
		if err != nil {
			return nil, err
		}
		if _, err := writer.Write(content); err != nil {
			return nil, err
		}
		if err := writer.Close(); err != nil {
			return nil, err
		}
		part := backup.Part{
			Name: name, Object: "exoshift-backup/" + Name + "/" + name + ".age", Size: int64(len(content)), SHA256: sum(content),
			SealedSize: int64(sealed.Len()), SealedSHA256: sum(sealed.Bytes()),
		}
		b.Content[part.Object] = sealed.Bytes()
		b.Manifest.Parts = append(b.Manifest.Parts, part)
	}
	return b, b.Record()
}

// Record stores the manifest as it is now.
func (b *Bucket) Record() error {
	content, err := json.Marshal(b.Manifest)
	b.Content["exoshift-backup/"+Name+"/manifest.json"] = content
	return err
}

func sum(content []byte) string {
	hash := sha256.Sum256(content)
	return hex.EncodeToString(hash[:])
}

// EnsureBucket does nothing.
func (b *Bucket) EnsureBucket(context.Context, string) (state.Action, error) {
	return state.Found, nil
}

// ListObjects lists the objects.
func (b *Bucket) ListObjects(_ context.Context, _, prefix string) (found []backup.StoredObject, err error) {
	for key, content := range b.Content {
		if strings.HasPrefix(key, prefix) {
			found = append(found, backup.StoredObject{Key: key, Size: int64(len(content))})
		}
	}
	stable.Sort(found, func(a, b backup.StoredObject) int { return strings.Compare(a.Key, b.Key) })
	return found, nil
}

// Upload stores an object.
func (b *Bucket) Upload(_ context.Context, _, key string, content io.Reader, _ func(bytes int)) error {
	read, err := io.ReadAll(content)
	b.Content[key] = read
	return err
}

// EnsureObject stores an object.
func (b *Bucket) EnsureObject(_ context.Context, _, key string, content []byte) (state.Action, error) {
	b.Content[key] = content
	return state.Created, nil
}

// GetObject returns an object.
func (b *Bucket) GetObject(_ context.Context, _, key string, _ int64) ([]byte, error) {
	content, exists := b.Content[key]
	if !exists {
		return nil, fault.Newf(fault.NotFound, "read "+key, "there is none")
	}
	return content, nil
}

// Download writes an object.
func (b *Bucket) Download(ctx context.Context, bucket, key string, to io.Writer) error {
	content, err := b.GetObject(ctx, bucket, key, 0)
	if err == nil {
		_, err = to.Write(content)
	}
	return err
}

// DeleteObject deletes an object.
func (b *Bucket) DeleteObject(_ context.Context, _, key string) (state.Action, error) {
	delete(b.Content, key)
	return state.Deleted, nil
}

// AbortUploads does nothing.
func (b *Bucket) AbortUploads(context.Context, string, string) error { return nil }
