package s3

import (
	"encoding/xml"
	"net/http"
	"time"
)

// maxBuckets is the recorded default quota.
const maxBuckets = 100

type wireBuckets struct {
	XMLName xml.Name     `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListAllMyBucketsResult"`
	Owner   wireOwner    `xml:"Owner"`
	Buckets []wireBucket `xml:"Buckets>Bucket"`
}

type wireBucket struct {
	Name    string    `xml:"Name"`
	Created time.Time `xml:"CreationDate"`
}

type wireOwner struct {
	ID   string `xml:"ID"`
	Name string `xml:"DisplayName"`
}

type wireLocation struct {
	XMLName  xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ LocationConstraint"`
	Location string   `xml:",chardata"`
}

func newOwner() wireOwner { return wireOwner{ID: "rehearsal", Name: "rehearsal"} }

// bucketAPI serves buckets.
type bucketAPI struct {
	index   *index
	uploads *uploads
	objects *objectAPI
	lister  *lister
	zone    string
	limit   func() int // the maximal number of buckets
}

func (a *bucketAPI) list(w http.ResponseWriter, r *request) error {
	if r.Method != http.MethodGet {
		return errMethod
	}
	result := wireBuckets{Owner: newOwner()}
	for _, b := range a.index.buckets.List() {
		result.Buckets = append(result.Buckets, wireBucket{Name: b.Name, Created: b.Created})
	}
	writeXML(w, http.StatusOK, result)
	return nil
}

func (a *bucketAPI) serve(w http.ResponseWriter, r *request) error {
	if r.Method == http.MethodPut && r.URL.RawQuery == "" {
		return a.create(w, r)
	}
	if _, ok := a.index.buckets.Get(r.bucket); !ok {
		return errNoBucket
	}
	if name := r.settingName(); name != "" {
		return a.serveDocument(w, r, name)
	}
	if r.has("acl") {
		return a.serveAccess(w, r)
	}
	switch r.Method {
	case http.MethodHead:
		w.Header().Set("X-Amz-Bucket-Region", a.zone)
		w.WriteHeader(http.StatusOK)
		return nil
	case http.MethodGet:
		return a.get(w, r)
	case http.MethodPut:
		if r.has("versioning") {
			return a.setVersioning(w, r)
		}
	case http.MethodPost:
		if r.has("delete") {
			return a.objects.deleteMany(w, r)
		}
	case http.MethodDelete:
		if r.URL.RawQuery == "" {
			return a.delete(w, r)
		}
	}
	return errNotImplemented
}

func (a *bucketAPI) get(w http.ResponseWriter, r *request) error {
	switch {
	case r.has("location"):
		writeXML(w, http.StatusOK, wireLocation{Location: a.zone})
	case r.has("versioning"):
		b, _ := a.index.buckets.Get(r.bucket)
		writeXML(w, http.StatusOK, wireVersioning{Status: b.Versioning})
	case r.has("versions"):
		return a.lister.listVersions(w, r)
	case r.has("object-lock"):
		return errNoLock
	case r.has("uploads"):
		return a.uploads.list(w, r)
	default:
		return a.lister.listObjects(w, r)
	}
	return nil
}

func (a *bucketAPI) create(w http.ResponseWriter, r *request) error {
	if !bucketName.MatchString(r.bucket) {
		return errBucketName
	}
	if _, err := readAll(a.index.blobs, r); err != nil { // the location is ignored: there is only one
		return err
	}
	a.index.mu.Lock()
	defer a.index.mu.Unlock()
	if _, taken := a.index.buckets.Get(r.bucket); taken {
		return errOwned
	}
	if limit := a.limit(); limit >= 0 && len(a.index.buckets.List()) >= limit {
		return errTooMany
	}
	if err := a.index.buckets.Put(r.bucket, bucket{Name: r.bucket, Created: time.Now().UTC(), Public: parseCannedACL(r)}); err != nil {
		return err
	}
	w.Header().Set("Location", "/"+r.bucket)
	w.WriteHeader(http.StatusOK)
	return nil
}

func (a *bucketAPI) delete(w http.ResponseWriter, r *request) error {
	a.index.mu.Lock()
	defer a.index.mu.Unlock()
	if len(a.index.listAllVersions(r.bucket, "")) > 0 {
		return errNotEmpty
	}
	for _, u := range a.uploads.table.List() {
		if u.Bucket == r.bucket {
			if err := a.uploads.remove(u); err != nil {
				return err
			}
		}
	}
	if err := a.index.buckets.Delete(r.bucket); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
