package backup

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/state"
	"exoshift/state/backup"
)

const (
	prefix       = "exoshift-backup/" // of all keys: the bucket is that of the cluster's other backups, too
	manifestName = "manifest.json"
	sealedSuffix = ".age"
	// nameFormat is that of names, which are sorted by time.
	nameFormat = "20060102T150405Z"
	// maxManifest is in bytes.
	maxManifest = 1 << 20
)

// Store is where the backups of a cluster are.
type Store struct {
	objects Objects
	bucket  string
	cluster string
}

// NewStore returns the backups of the cluster of these answers.
func NewStore(spec state.Spec, objects Objects) *Store {
	return &Store{objects: objects, bucket: spec.Bucket(state.BucketBackups), cluster: spec.Cluster.ID}
}

// Bucket is the name of the bucket.
func (s *Store) Bucket() string { return s.bucket }

// Backup is a backup that has its manifest.
type Backup struct {
	backup.Manifest
	// Problem is why it cannot be used; "": nothing is known to be wrong.
	Problem string `json:"-"`
}

// Sealed is the size of what is stored, in bytes.
func (b Backup) Sealed() (size int64) {
	for _, part := range b.Parts {
		size += part.SealedSize
	}
	return size
}

// IsVerified reports whether it was read back, and whether all of it is still there.
func (b Backup) IsVerified() bool { return b.Problem == "" && !b.Verified.At.IsZero() && !b.Dirty }

// List returns the backups, the newest first, and the keys of objects that belong to none: what was interrupted has left them.
func (s *Store) List(ctx context.Context) (found []Backup, leftovers []string, err error) {
	objects, err := s.objects.ListObjects(ctx, s.bucket, prefix)
	if fault.Is(err, fault.NotFound) { // there is no bucket
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	sizes, folders := map[string]int64{}, map[string][]string{} // by key; keys by the name of the backup
	for _, object := range objects {
		sizes[object.Key] = object.Size
		name := path.Dir(strings.TrimPrefix(object.Key, prefix))
		folders[name] = append(folders[name], object.Key)
	}
	for name, keys := range folders {
		if _, complete := sizes[formatKey(name, manifestName)]; !complete {
			leftovers = append(leftovers, keys...)
			continue
		}
		one, err := s.read(ctx, name, sizes)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, one)
	}
	stable.Sort(found, func(a, b Backup) int { return cmp.Compare(b.Name, a.Name) })
	slices.Sort(leftovers)
	return found, leftovers, nil
}

func formatKey(name, part string) string { return prefix + name + "/" + part }

// read returns a backup whose manifest cannot be used with the reason.
func (s *Store) read(ctx context.Context, name string, sizes map[string]int64) (found Backup, err error) {
	content, err := s.objects.GetObject(ctx, s.bucket, formatKey(name, manifestName), maxManifest)
	if err != nil && !fault.Is(err, fault.Invalid) {
		return found, err
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	if failure := errors.Join(err, decoder.Decode(&found.Manifest)); failure != nil {
		return Backup{Manifest: backup.Manifest{Name: name}, Problem: "its manifest is damaged"}, nil
	}
	found.Problem = s.check(name, found.Manifest, sizes)
	found.Name = name
	return found, nil
}

// check returns what is wrong with a manifest.
func (s *Store) check(name string, manifest backup.Manifest, sizes map[string]int64) string {
	switch {
	case manifest.Format != backup.Format:
		return "its manifest has another format than this version of exoshift reads"
	case manifest.Name != name:
		return "its manifest is that of another backup"
	case manifest.Cluster != s.cluster:
		return "it is a backup of another cluster: " + manifest.Cluster
	}
	for _, wanted := range []string{backup.PartSnapshot, backup.PartResources, backup.PartObjects} {
		part := manifest.FindPart(wanted)
		if part == nil || part.Object != formatKey(name, wanted+sealedSuffix) {
			return "its manifest has no " + wanted
		}
		size, exists := sizes[part.Object]
		switch {
		case !exists:
			return wanted + " is gone"
		case size != part.SealedSize:
			return wanted + " has another size than when it was stored"
		}
	}
	return ""
}

// Find returns the backup of that name, or the newest one for "latest".
func (s *Store) Find(ctx context.Context, name string) (Backup, error) {
	all, _, err := s.List(ctx)
	if err != nil {
		return Backup{}, err
	}
	for _, one := range all {
		if one.Name == name || name == "latest" {
			return one, nil
		}
	}
	return Backup{}, fault.Newf(fault.NotFound, "find the backup "+name, "there is none of that name in the bucket %s", s.bucket).WithHint("list them: exoshift backup list")
}

// FindRecent returns the newest backup that was verified, and is of this installation of the cluster; nil: none is so young.
func (s *Store) FindRecent(ctx context.Context, infraID string, since time.Time) (*Backup, error) {
	all, _, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if one.IsVerified() && one.InfraID == infraID && one.Created.After(since) {
			return &one, nil
		}
	}
	return nil, nil
}

// Delete deletes a backup: from the first call on it is no backup any more.
func (s *Store) Delete(ctx context.Context, name string) error {
	if _, err := s.objects.DeleteObject(ctx, s.bucket, formatKey(name, manifestName)); err != nil {
		return err
	}
	rest, err := s.objects.ListObjects(ctx, s.bucket, prefix+name+"/")
	for _, object := range rest {
		if err == nil {
			_, err = s.objects.DeleteObject(ctx, s.bucket, object.Key)
		}
	}
	return err
}

// Clean deletes what belongs to no backup, and returns the keys.
func (s *Store) Clean(ctx context.Context) ([]string, error) {
	_, leftovers, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.objects.AbortUploads(ctx, s.bucket, prefix); err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	for _, key := range leftovers {
		if _, err := s.objects.DeleteObject(ctx, s.bucket, key); err != nil {
			return nil, err
		}
	}
	return leftovers, nil
}
