// Package s3 is the object storage of a simulated zone: an http.Handler for the part of S3 that installers and their
// tools use, with path-style addresses, that verifies every signature (version 4) as strictly as S3 does.
//
// Signatures, presigned links and modification times use the wall clock. Access control lists support "private" and
// "public-read". Policies, CORS rules and ownership controls of buckets are stored without effect; every other part of S3 is
// answered with 501, as it is by Exoscale.
//
// Exoscale announced conditional writes in August 2025 without their details, which are those of Amazon's PutObject here, our
// reading: If-None-Match takes "*" alone, If-Match a tag, with or without its quotes, or "*"; a condition that does not hold is
// 412, If-Match without an object 404, and other conditions are 501. A copy, the deletion of an object and every request of a
// multipart upload ignore conditions.
package s3

import (
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
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
	// IgnoreConditions: the conditions of writes have no effect, as in storages that do not know them.
	IgnoreConditions bool
	// Damaged is a pattern, as of path.Match, of the keys of objects that are returned with a changed byte; "": none is.
	Damaged string
	// Export returns the image of an exported snapshot by its name; nil: there are none.
	Export func(name string) (content []byte, ok bool)
}

// Storage is the object storage of one zone. It is safe for concurrent use.
type Storage struct {
	config        Config
	authenticator *authenticator
	index         *index
	uploads       *uploads
	buckets       *bucketAPI
	objects       *objectAPI
	exports       exports
	mutations     atomic.Int64
}

// New returns a storage over the state in config.DB and config.Dir.
func New(config Config) (*Storage, error) {
	if config.Credentials == nil {
		config.Credentials = newOwnerCredentials(config.Key, config.Secret)
	}
	if config.Limit == nil {
		config.Limit = func() int { return maxBuckets }
	}
	blobs, err := openBlobs(config.Dir)
	if err != nil {
		return nil, err
	}
	s := &Storage{config: config, exports: newExports(config.Export)}
	s.authenticator = &authenticator{zone: config.Zone, credentials: s.exports.addCredentials(config.Credentials), now: config.Now}
	if s.index, err = openIndex(config.DB, blobs, append(slices.Clone(config.Foreign), exportBucket)); err != nil {
		return nil, err
	}
	s.uploads = &uploads{index: s.index}
	if s.uploads.table, err = store.Load[upload](config.DB, "s3/upload"); err != nil {
		return nil, err
	}
	s.objects = &objectAPI{index: s.index, uploads: s.uploads, unconditional: config.IgnoreConditions, damaged: config.Damaged}
	s.buckets = &bucketAPI{
		index: s.index, uploads: s.uploads, objects: s.objects, lister: &lister{s.index}, zone: config.Zone, limit: config.Limit,
	}
	return s, blobs.removeUnused(s.listUsedBlobs())
}

func (s *Storage) listUsedBlobs() map[string]bool {
	used := map[string]bool{}
	for _, o := range slices.Concat(s.index.objects.List(), s.index.versions.List()) {
		used[o.Blob] = true
	}
	for _, u := range s.uploads.table.List() {
		for _, p := range u.Parts {
			used[p.Blob] = true
		}
	}
	return used
}

// Mutations returns the number of mutating requests since New, without refused ones.
func (s *Storage) Mutations() int { return int(s.mutations.Load()) }

// Uploads returns the number of multipart uploads that were neither completed nor aborted.
func (s *Storage) Uploads() int { return len(s.uploads.table.List()) }

// Usage is the content of a bucket.
type Usage struct {
	Name    string
	Created time.Time
	Size    int64 // bytes, of all versions
}

// Usage returns the content of each bucket, by name.
func (s *Storage) Usage() []Usage {
	sizes := map[string]int64{}
	for _, o := range slices.Concat(s.index.objects.List(), s.index.versions.List()) {
		sizes[o.Bucket] += o.Size
	}
	var list []Usage
	for _, b := range s.index.buckets.List() {
		list = append(list, Usage{Name: b.Name, Created: b.Created, Size: sizes[b.Name]})
	}
	return list
}

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
		s.mutations.Add(1)
	}
}

func (s *Storage) serve(w http.ResponseWriter, r *request) error {
	signed, err := s.authenticator.authenticate(r.Request)
	if err != nil {
		return err
	}
	r.signed = signed
	if signed == nil {
		return s.serveAnonymous(w, r)
	}
	switch {
	case signed.key == exportKey && signed.allows(r.getOperation(), r.bucket, r.key):
		return s.exports.get(w, r)
	case s.index.isForeign(r.bucket):
		return r.newBucketTaken()
	case !signed.allows(r.getOperation(), r.bucket, r.key):
		return errAccessDenied
	case r.hasUnknownParameter():
		return errNotImplemented
	case r.bucket == "":
		return s.buckets.list(w, r)
	case r.key == "":
		return s.buckets.serve(w, r)
	}
	return s.objects.serve(w, r)
}

// serveAnonymous allows listing public buckets and reading public objects; everything else, existing or not, is denied alike.
func (s *Storage) serveAnonymous(w http.ResponseWriter, r *request) error {
	if r.hasUnknownParameter() {
		return errAccessDenied
	}
	if b, _ := s.index.buckets.Get(r.bucket); b.Public && r.key == "" && r.getOperation() == "list-objects" {
		return s.buckets.lister.listObjects(w, r)
	}
	o, ok := s.index.objects.Get(r.bucket + "/" + r.key)
	if !ok || !o.Public || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return errAccessDenied
	}
	return s.objects.get(w, r)
}

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,62}[a-z0-9]$`)
