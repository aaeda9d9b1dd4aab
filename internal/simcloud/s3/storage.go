// Package s3 is the object storage of a simulated zone: an http.Handler that speaks the part of S3 which installers
// and their tools use, addressed by path, and that verifies every signature (version 4) as strictly as S3 does.
//
// Signatures, signed links and modification times live by the wall clock. Access control lists know "private" and
// "public-read" and are those of objects; a bucket's own list, policies, versions, copies and tags are not there.
package s3

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/simcloud/store"
)

// Config says what a simulated object storage serves.
type Config struct {
	DB   *store.DB
	Dir  string // the folder that holds the objects' bytes; "" keeps them in memory
	Zone string // also the region of signatures
	// Key and Secret are the credentials that are accepted.
	Key, Secret string
}

// Storage is the object storage of one zone. It is safe for concurrent use.
type Storage struct {
	config Config
	blobs  blobs

	mu        sync.Mutex // guards the tables' consistency and the counter
	buckets   *store.Table[bucket]
	objects   *store.Table[object] // by "bucket/key"
	uploads   *store.Table[upload] // by upload ID
	mutations int
}

type bucket struct {
	Name    string
	Created time.Time
}

type object struct {
	Bucket, Key string
	Blob        string
	Size        int64
	ETag        string // without quotes
	Modified    time.Time
	Public      bool              // anybody may read it
	Header      map[string]string // Content-Type and what else is answered as it came
}

// New returns a storage over what config.DB and config.Dir hold.
func New(config Config) (*Storage, error) {
	s := &Storage{config: config}
	var err error
	if s.buckets, err = store.Load[bucket](config.DB, "s3/bucket"); err != nil {
		return nil, err
	}
	if s.objects, err = store.Load[object](config.DB, "s3/object"); err != nil {
		return nil, err
	}
	if s.uploads, err = store.Load[upload](config.DB, "s3/upload"); err != nil {
		return nil, err
	}
	if s.blobs, err = openBlobs(config.Dir); err != nil {
		return nil, err
	}
	return s, s.blobs.sweep(s.used())
}

// used returns the blobs that something refers to.
func (s *Storage) used() map[string]bool {
	used := map[string]bool{}
	for _, o := range s.objects.List() {
		used[o.Blob] = true
	}
	for _, u := range s.uploads.List() {
		for _, p := range u.Parts {
			used[p.Blob] = true
		}
	}
	return used
}

// Mutations returns how many requests since New changed something: those that read or were refused do not count.
func (s *Storage) Mutations() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mutations
}

// request is one request, its target told apart.
type request struct {
	*http.Request
	bucket, key string
	signed      *signature // nil: anonymous
}

func (r request) has(parameter string) bool { return r.URL.Query().Has(parameter) }

func (r request) query(parameter string) string { return r.URL.Query().Get(parameter) }

// ServeHTTP answers requests to sos-<zone>.exo.io.
func (s *Storage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req := request{Request: r}
	req.bucket, req.key, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	err := s.serve(w, &req)
	if err != nil {
		fail(w, r, err)
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
	case r.Header.Get("X-Amz-Copy-Source") != "" || r.hasOther():
		return errNotImplemented
	case r.bucket == "":
		return s.listBuckets(w, r)
	case r.key == "":
		return s.serveBucket(w, r)
	}
	return s.serveObject(w, r)
}

// hasOther tells of the parts of S3 that are not there.
func (r request) hasOther() bool {
	others := []string{"cors", "lifecycle", "tagging", "website", "notification", "replication", "retention", "legal-hold", "versions"}
	return slices.ContainsFunc(others, r.has)
}

// serveAnonymous lets strangers read public objects; everything else, there or not, is denied alike.
func (s *Storage) serveAnonymous(w http.ResponseWriter, r *request) error {
	o, ok := s.objects.Get(r.bucket + "/" + r.key)
	if !ok || !o.Public || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return errAccessDenied
	}
	return s.getObject(w, r)
}

func validBucket(name string) bool {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,62}[a-z0-9]$`).MatchString(name)
}
