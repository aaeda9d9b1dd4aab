package s3

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"exoshift/internal/simcloud/store"
	"exoshift/internal/stable"
)

type bucket struct {
	Name       string
	Created    time.Time
	Public     bool              // public listing
	Versioning string            // "", "Enabled" or "Suspended"
	Documents  map[string]string // settings that are stored unchanged
}

type object struct {
	Bucket, Key string
	Blob        string
	Size        int64
	ETag        string // without quotes
	Modified    time.Time
	Public      bool              // public read
	Header      map[string]string // Content-Type and others that are returned unchanged
	Version     string
	Order       int  // the latest version has the highest
	Marker      bool // delete marker without an object
}

// index is the buckets and the versions of all objects.
type index struct {
	blobs    blobs
	foreign  []string   // buckets of other organizations
	mu       sync.Mutex // guards the tables' consistency and the counter
	buckets  *store.Table[bucket]
	objects  *store.Table[object] // current versions, by "bucket/key"
	versions *store.Table[object] // other versions and delete markers, by buildVersionKey
	order    int                  // of the last version
}

func openIndex(db *store.DB, blobs blobs, foreign []string) (*index, error) {
	x := &index{blobs: blobs, foreign: foreign}
	var err error
	if x.buckets, err = store.Load[bucket](db, "s3/bucket"); err != nil {
		return nil, err
	}
	if x.objects, err = store.Load[object](db, "s3/object"); err != nil {
		return nil, err
	}
	if x.versions, err = store.Load[object](db, "s3/version"); err != nil {
		return nil, err
	}
	return x, x.loadVersionCounter()
}

// nullVersion is the name of the version that was written while the bucket was unversioned.
const nullVersion = "null"

// buildVersionKey sorts the versions of an object by key.
func buildVersionKey(o object) string { return o.Bucket + "/" + o.Key + "\x00" + o.Version }

// listOlderVersions returns the versions of a key beside its current object, the newest first.
func (x *index) listOlderVersions(bucket, key string) []object {
	var list []object
	for _, o := range x.versions.List() {
		if o.Bucket == bucket && o.Key == key {
			list = append(list, o)
		}
	}
	stable.Sort(list, compareNewest)
	return list
}

func compareNewest(a, b object) int { return b.Order - a.Order }

// find returns an object, or one version of it; ok is false also for a delete marker.
func (x *index) find(bucket, key, version string) (object, bool) {
	current, ok := x.objects.Get(bucket + "/" + key)
	if version == "" || ok && current.Version == version {
		return current, ok
	}
	found, ok := x.versions.Get(buildVersionKey(object{Bucket: bucket, Key: key, Version: version}))
	return found, ok && !found.Marker
}

// replace stores an object, unless its bucket was deleted meanwhile, and returns its version.
func (x *index) replace(o object) (version string, err error) { return x.replaceIf(o, conditions{}) }

// replaceIf is replace if the conditions hold for the current object.
func (x *index) replaceIf(o object, conditions conditions) (version string, err error) {
	o.Modified = time.Now().UTC()
	x.mu.Lock()
	defer x.mu.Unlock()
	b, ok := x.buckets.Get(o.Bucket)
	err = errNoBucket
	if ok {
		err = conditions.check(x.objects.Get(o.Bucket + "/" + o.Key))
	}
	if err != nil {
		x.blobs.remove(o.Blob)
		return "", err
	}
	x.order++
	o.Order, o.Version = x.order, b.newVersion()
	if err := x.replaceCurrent(b, o); err != nil {
		return "", err
	}
	return b.formatVersion(o.Version), x.objects.Put(o.Bucket+"/"+o.Key, o)
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
func (x *index) replaceCurrent(b bucket, next object) error {
	current, ok := x.objects.Get(next.Bucket + "/" + next.Key)
	if ok && b.Versioning != "" && current.Version != next.Version {
		if err := x.versions.Put(buildVersionKey(current), current); err != nil {
			return err
		}
	}
	if ok && current.Version == next.Version {
		x.blobs.remove(current.Blob)
	}
	if older, ok := x.versions.Get(buildVersionKey(next)); ok {
		x.blobs.remove(older.Blob)
		return x.versions.Delete(buildVersionKey(next))
	}
	return nil
}

type deleted struct {
	version string // the deleted version, or the new delete marker; "" if the bucket is unversioned
	marker  bool   // it is a delete marker
}

// delete deletes an object, or one version of it; a missing one is ignored. If the bucket is versioned, deleting the object only
// creates a delete marker.
func (x *index) delete(name, key, version string) (deleted, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	b, _ := x.buckets.Get(name)
	switch {
	case version != "":
		return x.deleteVersion(name, key, version)
	case b.Versioning != "":
		return x.mark(b, key)
	}
	_, err := x.deleteVersion(name, key, nullVersion)
	return deleted{}, err
}

func (x *index) mark(b bucket, key string) (deleted, error) {
	x.order++
	mark := object{Bucket: b.Name, Key: key, Version: b.newVersion(), Order: x.order, Marker: true, Modified: time.Now().UTC()}
	if err := x.replaceCurrent(b, mark); err != nil {
		return deleted{}, err
	}
	if err := x.objects.Delete(b.Name + "/" + key); err != nil {
		return deleted{}, err
	}
	return deleted{mark.Version, true}, x.versions.Put(buildVersionKey(mark), mark)
}

// deleteVersion deletes one version permanently; the previous one becomes the current one.
func (x *index) deleteVersion(bucket, key, version string) (deleted, error) {
	name := bucket + "/" + key
	gone, wasCurrent := x.objects.Get(name)
	if wasCurrent = wasCurrent && gone.Version == version; !wasCurrent {
		gone, _ = x.versions.Get(buildVersionKey(object{Bucket: bucket, Key: key, Version: version}))
	}
	if err := x.versions.Delete(buildVersionKey(object{Bucket: bucket, Key: key, Version: version})); err != nil {
		return deleted{}, err
	}
	x.blobs.remove(gone.Blob)
	if wasCurrent {
		if err := x.objects.Delete(name); err != nil {
			return deleted{}, err
		}
	}
	return deleted{version, gone.Marker}, x.setNewestCurrent(bucket, key)
}

// setNewestCurrent makes the newest version the current one, unless it is a delete marker or there is a current one.
func (x *index) setNewestCurrent(bucket, key string) error {
	older := x.listOlderVersions(bucket, key)
	if _, ok := x.objects.Get(bucket + "/" + key); ok || len(older) == 0 || older[0].Marker {
		return nil
	}
	if err := x.objects.Put(bucket+"/"+key, older[0]); err != nil {
		return err
	}
	return x.versions.Delete(buildVersionKey(older[0]))
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
func (x *index) listAllVersions(bucket, prefix string) []object {
	list := slices.Concat(x.objects.List(), x.versions.List())
	list = slices.DeleteFunc(list, func(o object) bool { return o.Bucket != bucket || !strings.HasPrefix(o.Key, prefix) })
	stable.Sort(list, func(a, b object) int {
		if a.Key != b.Key {
			return strings.Compare(a.Key, b.Key)
		}
		return compareNewest(a, b)
	})
	return list
}

// loadVersionCounter sets the last version's number, and names the versions that were stored by releases without version names.
func (x *index) loadVersionCounter() error {
	for _, o := range slices.Concat(x.objects.List(), x.versions.List()) {
		x.order = max(x.order, o.Order)
		if o.Version == "" {
			o.Version = nullVersion
			if err := x.objects.Put(o.Bucket+"/"+o.Key, o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *index) isForeign(bucket string) bool { return slices.Contains(x.foreign, bucket) }
