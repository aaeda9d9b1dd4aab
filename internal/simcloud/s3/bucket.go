package s3

import (
	"encoding/xml"
	"net/http"
	"strings"
	"time"
)

const maxBuckets = 100 // the recorded quota

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

type wireVersioning struct {
	XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ VersioningConfiguration"`
}

func owner() wireOwner { return wireOwner{ID: "rehearsal", Name: "rehearsal"} }

func (s *Storage) listBuckets(w http.ResponseWriter, r *request) error {
	if r.Method != http.MethodGet {
		return errMethod
	}
	result := wireBuckets{Owner: owner()}
	for _, b := range s.buckets.List() {
		result.Buckets = append(result.Buckets, wireBucket(b))
	}
	answer(w, http.StatusOK, result)
	return nil
}

func (s *Storage) serveBucket(w http.ResponseWriter, r *request) error {
	if r.Method == http.MethodPut && r.URL.RawQuery == "" {
		return s.createBucket(w, r)
	}
	if _, ok := s.buckets.Get(r.bucket); !ok {
		return errNoBucket
	}
	switch r.Method {
	case http.MethodHead:
		w.Header().Set("X-Amz-Bucket-Region", s.config.Zone)
		w.WriteHeader(http.StatusOK)
		return nil
	case http.MethodGet:
		return s.getBucket(w, r)
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

// getBucket answers the questions about a bucket, or lists it.
func (s *Storage) getBucket(w http.ResponseWriter, r *request) error {
	switch {
	case r.has("location"):
		answer(w, http.StatusOK, wireLocation{Location: s.config.Zone})
	case r.has("versioning"):
		answer(w, http.StatusOK, wireVersioning{})
	case r.has("policy"):
		return errNoPolicy
	case r.has("object-lock"):
		return errNoLock
	case r.has("acl"):
		answer(w, http.StatusOK, accessOf(false))
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
	if _, err := s.readAll(r); err != nil { // a location may be named: there is only one
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.buckets.Get(r.bucket); taken {
		return errOwned
	}
	if len(s.buckets.List()) >= maxBuckets {
		return errTooMany
	}
	if err := s.buckets.Put(r.bucket, bucket{Name: r.bucket, Created: time.Now().UTC()}); err != nil {
		return err
	}
	w.Header().Set("Location", "/"+r.bucket)
	w.WriteHeader(http.StatusOK)
	return nil
}

func (s *Storage) deleteBucket(w http.ResponseWriter, r *request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.objects.List() {
		if o.Bucket == r.bucket {
			return errNotEmpty
		}
	}
	for _, u := range s.uploads.List() {
		if u.Bucket == r.bucket {
			if err := s.forget(u); err != nil {
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

type wireAccess struct {
	XMLName xml.Name    `xml:"http://s3.amazonaws.com/doc/2006-03-01/ AccessControlPolicy"`
	Owner   wireOwner   `xml:"Owner"`
	Grants  []wireGrant `xml:"AccessControlList>Grant"`
}

type wireGrant struct {
	Grantee    wireGrantee `xml:"Grantee"`
	Permission string      `xml:"Permission"`
}

type wireGrantee struct {
	Namespace string `xml:"xmlns:xsi,attr"`
	Type      string `xml:"xsi:type,attr"`
	ID        string `xml:"ID,omitempty"`
	URI       string `xml:"URI,omitempty"`
}

func accessOf(public bool) wireAccess {
	const namespace = "http://www.w3.org/2001/XMLSchema-instance"
	me := wireGrantee{Namespace: namespace, Type: "CanonicalUser", ID: owner().ID}
	access := wireAccess{Owner: owner(), Grants: []wireGrant{{Grantee: me, Permission: "FULL_CONTROL"}}}
	if public {
		all := wireGrantee{Namespace: namespace, Type: "Group", URI: "http://acs.amazonaws.com/groups/global/AllUsers"}
		access.Grants = append(access.Grants, wireGrant{Grantee: all, Permission: "READ"})
	}
	return access
}

// publicAccess reads the canned access control list of a request.
func publicAccess(r *request) bool {
	return strings.HasPrefix(r.Header.Get("X-Amz-Acl"), "public-read")
}
