// Package s3 is the object storage of a simulated zone: an http.Handler for the part of S3 that installers and their
// tools use, with path-style addresses, that verifies every signature (version 4) as strictly as S3 does.
//
// Signatures, presigned links and modification times use the wall clock. Access control lists support "private" and
// "public-read". Policies and CORS rules of buckets are stored without effect; tags, lifecycles, websites and object
// locks are not supported.
package s3

import (
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/simcloud/store"
)

// Config configures a simulated object storage.
type Config struct {
	DB   *store.DB
	Dir  string // directory of the objects' bytes; "" keeps them in memory
	Zone string // also the region of signatures
	// Key and Secret are the valid credentials, unless Credentials is set.
	Key, Secret string
	Credentials Credentials
	// Now is the clock against which a client's signatures are verified; nil is the wall clock.
	Now func(asker netip.Addr) time.Time
	// Limit returns the maximal number of buckets, at each creation; negative is no limit, nil the default.
	Limit func() int
	// Foreign are the buckets of other organizations: names are global.
	Foreign []string
}

// Storage is the object storage of one zone. It is safe for concurrent use.
type Storage struct {
	config Config
	blobs  blobs

	mu        sync.Mutex // guards the tables' consistency and the counter
	buckets   *store.Table[bucket]
	objects   *store.Table[object] // current versions, by "bucket/key"
	versions  *store.Table[object] // other versions and delete markers, by buildVersionKey
	order     int                  // of the last version
	uploads   *store.Table[upload] // by upload ID
	mutations int
}

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

// New returns a storage over the state in config.DB and config.Dir.
func New(config Config) (*Storage, error) {
	if config.Credentials == nil {
		config.Credentials = newOwnerCredentials(config.Key, config.Secret)
	}
	if config.Limit == nil {
		config.Limit = func() int { return maxBuckets }
	}
	s := &Storage{config: config}
	var err error
	if s.buckets, err = store.Load[bucket](config.DB, "s3/bucket"); err != nil {
		return nil, err
	}
	if s.objects, err = store.Load[object](config.DB, "s3/object"); err != nil {
		return nil, err
	}
	if s.versions, err = store.Load[object](config.DB, "s3/version"); err != nil {
		return nil, err
	}
	if err = s.loadVersionCounter(); err != nil {
		return nil, err
	}
	if s.uploads, err = store.Load[upload](config.DB, "s3/upload"); err != nil {
		return nil, err
	}
	if s.blobs, err = openBlobs(config.Dir); err != nil {
		return nil, err
	}
	return s, s.blobs.removeUnused(s.listUsedBlobs())
}

// count sets the last version's number, and names the versions that were stored by releases without version names.
func (s *Storage) loadVersionCounter() error {
	for _, o := range slices.Concat(s.objects.List(), s.versions.List()) {
		s.order = max(s.order, o.Order)
		if o.Version == "" {
			o.Version = nullVersion
			if err := s.objects.Put(o.Bucket+"/"+o.Key, o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Storage) listUsedBlobs() map[string]bool {
	used := map[string]bool{}
	for _, o := range slices.Concat(s.objects.List(), s.versions.List()) {
		used[o.Blob] = true
	}
	for _, u := range s.uploads.List() {
		for _, p := range u.Parts {
			used[p.Blob] = true
		}
	}
	return used
}

// Mutations returns the number of mutating requests since New, without refused ones.
func (s *Storage) Mutations() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mutations
}

// Usage is the content of a bucket.
type Usage struct {
	Name    string
	Created time.Time
	Size    int64 // bytes, of all versions
}

// Usage returns the content of each bucket, by name.
func (s *Storage) Usage() []Usage {
	sizes := map[string]int64{}
	for _, o := range slices.Concat(s.objects.List(), s.versions.List()) {
		sizes[o.Bucket] += o.Size
	}
	var list []Usage
	for _, b := range s.buckets.List() {
		list = append(list, Usage{Name: b.Name, Created: b.Created, Size: sizes[b.Name]})
	}
	return list
}

func (s *Storage) isForeign(bucket string) bool { return slices.Contains(s.config.Foreign, bucket) }

type request struct {
	*http.Request
	bucket, key string
	signed      *signature // nil: anonymous
}

func (r request) has(parameter string) bool { return r.URL.Query().Has(parameter) }

func (r request) query(parameter string) string { return r.URL.Query().Get(parameter) }

// ServeHTTP serves requests to sos-<zone>.exo.io.
func (s *Storage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req := request{Request: r}
	path := strings.TrimPrefix(r.URL.Path, "/")
	if bucket, ok := strings.CutSuffix(r.Host, ".sos-"+s.config.Zone+".exo.io"); ok {
		path = bucket + "/" + path // virtual-hosted style
	}
	req.bucket, req.key, _ = strings.Cut(path, "/")
	err := s.serve(w, &req)
	if err != nil {
		writeError(w, r, err)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.mu.Lock()
		s.mutations++
		s.mu.Unlock()
	}
}

func (s *Storage) serve(w http.ResponseWriter, r *request) error {
	signed, err := s.authenticate(r.Request)
	if err != nil {
		return err
	}
	r.signed = signed
	if signed == nil {
		return s.serveAnonymous(w, r)
	}
	switch {
	case s.isForeign(r.bucket):
		return r.newBucketTaken()
	case !signed.allows(r.getOperation(), r.bucket, r.key):
		return errAccessDenied
	case r.hasOther():
		return errNotImplemented
	case r.bucket == "":
		return s.listBuckets(w, r)
	case r.key == "":
		return s.serveBucket(w, r)
	}
	return s.serveObject(w, r)
}

// newBucketTaken is for requests to a bucket of another organization.
func (r *request) newBucketTaken() error {
	if r.Method == http.MethodPut && r.key == "" && r.URL.RawQuery == "" {
		return errTaken
	}
	return errAccessDenied
}

// hasOther reports whether a request uses a part of S3 that is not supported.
func (r request) hasOther() bool {
	others := []string{"lifecycle", "tagging", "website", "notification", "replication", "retention", "legal-hold"}
	return slices.ContainsFunc(others, r.has)
}

// serveAnonymous allows listing public buckets and reading public objects; everything else, existing or not, is denied alike.
func (s *Storage) serveAnonymous(w http.ResponseWriter, r *request) error {
	if b, _ := s.buckets.Get(r.bucket); b.Public && r.key == "" && r.getOperation() == "list-objects" {
		return s.listObjects(w, r)
	}
	o, ok := s.objects.Get(r.bucket + "/" + r.key)
	if !ok || !o.Public || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return errAccessDenied
	}
	return s.getObject(w, r)
}

func validBucket(name string) bool {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,62}[a-z0-9]$`).MatchString(name)
}
