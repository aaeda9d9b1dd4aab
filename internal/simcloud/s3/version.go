package s3

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// nullVersion is the name of the version that was written while the bucket was unversioned.
const nullVersion = "null"

// buildVersionKey sorts the versions of an object by key.
func buildVersionKey(o object) string { return o.Bucket + "/" + o.Key + "\x00" + o.Version }

// listOlderVersions returns the versions of a key beside its current object, the newest first.
func (s *Storage) listOlderVersions(bucket, key string) []object {
	var list []object
	for _, o := range s.versions.List() {
		if o.Bucket == bucket && o.Key == key {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, compareNewest)
	return list
}

func compareNewest(a, b object) int { return b.Order - a.Order }

// find returns an object, or one version of it; ok is false also for a delete marker.
func (s *Storage) find(bucket, key, version string) (object, bool) {
	current, ok := s.objects.Get(bucket + "/" + key)
	if version == "" || ok && current.Version == version {
		return current, ok
	}
	found, ok := s.versions.Get(buildVersionKey(object{Bucket: bucket, Key: key, Version: version}))
	return found, ok && !found.Marker
}

// replace stores an object, unless its bucket was deleted meanwhile, and returns its version.
func (s *Storage) replace(o object) (version string, err error) {
	o.Modified = time.Now().UTC()
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.buckets.Get(o.Bucket)
	if !ok {
		s.blobs.remove(o.Blob)
		return "", errNoBucket
	}
	s.order++
	o.Order, o.Version = s.order, b.newVersion()
	if err := s.replaceCurrent(b, o); err != nil {
		return "", err
	}
	return b.formatVersion(o.Version), s.objects.Put(o.Bucket+"/"+o.Key, o)
}

func (b bucket) newVersion() string {
	if b.Versioning == "Enabled" {
		return uuid.NewString()
	}
	return nullVersion
}

// formatVersion returns a version as in responses: empty if the bucket was never versioned.
func (b bucket) formatVersion(version string) string {
	if b.Versioning == "" {
		return ""
	}
	return version
}

// replaceCurrent prepares for a new version: the current one is kept if the bucket is versioned, and one of the same name is
// removed.
func (s *Storage) replaceCurrent(b bucket, next object) error {
	current, ok := s.objects.Get(next.Bucket + "/" + next.Key)
	if ok && b.Versioning != "" && current.Version != next.Version {
		if err := s.versions.Put(buildVersionKey(current), current); err != nil {
			return err
		}
	}
	if ok && current.Version == next.Version {
		s.blobs.remove(current.Blob)
	}
	if older, ok := s.versions.Get(buildVersionKey(next)); ok {
		s.blobs.remove(older.Blob)
		return s.versions.Delete(buildVersionKey(next))
	}
	return nil
}

type deleted struct {
	version string // the deleted version, or the new delete marker; "" if the bucket is unversioned
	marker  bool   // it is a delete marker
}

// delete deletes an object, or one version of it; a missing one is ignored. If the bucket is versioned, deleting the object only
// creates a delete marker.
func (s *Storage) delete(name, key, version string) (deleted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, _ := s.buckets.Get(name)
	switch {
	case version != "":
		return s.deleteVersion(name, key, version)
	case b.Versioning != "":
		return s.mark(b, key)
	}
	_, err := s.deleteVersion(name, key, nullVersion)
	return deleted{}, err
}

func (s *Storage) mark(b bucket, key string) (deleted, error) {
	s.order++
	mark := object{Bucket: b.Name, Key: key, Version: b.newVersion(), Order: s.order, Marker: true, Modified: time.Now().UTC()}
	if err := s.replaceCurrent(b, mark); err != nil {
		return deleted{}, err
	}
	if err := s.objects.Delete(b.Name + "/" + key); err != nil {
		return deleted{}, err
	}
	return deleted{mark.Version, true}, s.versions.Put(buildVersionKey(mark), mark)
}

// deleteVersion deletes one version permanently; the previous one becomes the current one.
func (s *Storage) deleteVersion(bucket, key, version string) (deleted, error) {
	name := bucket + "/" + key
	gone, wasCurrent := s.objects.Get(name)
	if wasCurrent = wasCurrent && gone.Version == version; !wasCurrent {
		gone, _ = s.versions.Get(buildVersionKey(object{Bucket: bucket, Key: key, Version: version}))
	}
	if err := s.versions.Delete(buildVersionKey(object{Bucket: bucket, Key: key, Version: version})); err != nil {
		return deleted{}, err
	}
	s.blobs.remove(gone.Blob)
	if wasCurrent {
		if err := s.objects.Delete(name); err != nil {
			return deleted{}, err
		}
	}
	return deleted{version, gone.Marker}, s.setNewestCurrent(bucket, key)
}

// setNewestCurrent makes the newest version the current one, unless it is a delete marker or there is a current one.
func (s *Storage) setNewestCurrent(bucket, key string) error {
	older := s.listOlderVersions(bucket, key)
	if _, ok := s.objects.Get(bucket + "/" + key); ok || len(older) == 0 || older[0].Marker {
		return nil
	}
	if err := s.objects.Put(bucket+"/"+key, older[0]); err != nil {
		return err
	}
	return s.versions.Delete(buildVersionKey(older[0]))
}

func (d deleted) writeHeader(header http.Header) {
	if d.version != "" {
		header.Set("X-Amz-Version-Id", d.version)
	}
	if d.marker {
		header.Set("X-Amz-Delete-Marker", "true")
	}
}

// listAllVersions returns all versions of all keys with a prefix, by key and the newest first.
func (s *Storage) listAllVersions(bucket, prefix string) []object {
	list := slices.Concat(s.objects.List(), s.versions.List())
	list = slices.DeleteFunc(list, func(o object) bool { return o.Bucket != bucket || !strings.HasPrefix(o.Key, prefix) })
	slices.SortFunc(list, func(a, b object) int {
		if a.Key != b.Key {
			return strings.Compare(a.Key, b.Key)
		}
		return compareNewest(a, b)
	})
	return list
}
