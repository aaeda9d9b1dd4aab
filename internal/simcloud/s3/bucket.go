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

func (s *Storage) listBuckets(w http.ResponseWriter, r *request) error {
	if r.Method != http.MethodGet {
		return errMethod
	}
	result := wireBuckets{Owner: newOwner()}
	for _, b := range s.buckets.List() {
		result.Buckets = append(result.Buckets, wireBucket{Name: b.Name, Created: b.Created})
	}
	writeXML(w, http.StatusOK, result)
	return nil
}

func (s *Storage) serveBucket(w http.ResponseWriter, r *request) error {
	if r.Method == http.MethodPut && r.URL.RawQuery == "" {
		return s.createBucket(w, r)
	}
	if _, ok := s.buckets.Get(r.bucket); !ok {
		return errNoBucket
	}
	if name := r.settingName(); name != "" {
		return s.serveDocument(w, r, name)
	}
	if r.has("acl") {
		return s.serveAccess(w, r)
	}
	switch r.Method {
	case http.MethodHead:
		w.Header().Set("X-Amz-Bucket-Region", s.config.Zone)
		w.WriteHeader(http.StatusOK)
		return nil
	case http.MethodGet:
		return s.getBucket(w, r)
	case http.MethodPut:
		if r.has("versioning") {
			return s.setVersioning(w, r)
		}
	case http.MethodPost:
		if r.has("delete") {
			return s.deleteObjects(w, r)
		}
	case http.MethodDelete:
		if r.URL.RawQuery == "" {
			return s.deleteBucket(w, r)
		}
	}
	return errNotImplemented
}

func (s *Storage) getBucket(w http.ResponseWriter, r *request) error {
	switch {
	case r.has("location"):
		writeXML(w, http.StatusOK, wireLocation{Location: s.config.Zone})
	case r.has("versioning"):
		b, _ := s.buckets.Get(r.bucket)
		writeXML(w, http.StatusOK, wireVersioning{Status: b.Versioning})
	case r.has("versions"):
		return s.listVersions(w, r)
	case r.has("object-lock"):
		return errNoLock
	case r.has("uploads"):
		return s.listUploads(w, r)
	default:
		return s.listObjects(w, r)
	}
	return nil
}

func (s *Storage) createBucket(w http.ResponseWriter, r *request) error {
	if !validBucket(r.bucket) {
		return errBucketName
	}
	if _, err := s.readAll(r); err != nil { // the location is ignored: there is only one
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.buckets.Get(r.bucket); taken {
		return errOwned
	}
	if limit := s.config.Limit(); limit >= 0 && len(s.buckets.List()) >= limit {
		return errTooMany
	}
	if err := s.buckets.Put(r.bucket, bucket{Name: r.bucket, Created: time.Now().UTC(), Public: parseCannedACL(r)}); err != nil {
		return err
	}
	w.Header().Set("Location", "/"+r.bucket)
	w.WriteHeader(http.StatusOK)
	return nil
}

func (s *Storage) deleteBucket(w http.ResponseWriter, r *request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listAllVersions(r.bucket, "")) > 0 {
		return errNotEmpty
	}
	for _, u := range s.uploads.List() {
		if u.Bucket == r.bucket {
			if err := s.removeUpload(u); err != nil {
				return err
			}
		}
	}
	if err := s.buckets.Delete(r.bucket); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
