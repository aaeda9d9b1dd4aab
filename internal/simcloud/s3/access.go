package s3

import (
	"encoding/xml"
	"net/http"
	"strings"
)

const allUsersURI = "http://acs.amazonaws.com/groups/global/AllUsers"

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

func toWireAccess(public bool) wireAccess {
	const namespace = "http://www.w3.org/2001/XMLSchema-instance"
	me := wireGrantee{Namespace: namespace, Type: "CanonicalUser", ID: newOwner().ID}
	access := wireAccess{Owner: newOwner(), Grants: []wireGrant{{Grantee: me, Permission: "FULL_CONTROL"}}}
	if public {
		all := wireGrantee{Namespace: namespace, Type: "Group", URI: allUsersURI}
		access.Grants = append(access.Grants, wireGrant{Grantee: all, Permission: "READ"})
	}
	return access
}

func parseCannedACL(r *request) bool {
	return strings.HasPrefix(r.Header.Get("X-Amz-Acl"), "public-read")
}

// parseAccess parses the access control list that a request sets: a canned one, or a document.
func parseAccess(through blobs, r *request) (public bool, err error) {
	content, err := readAll(through, r)
	if err != nil || r.Header.Get("X-Amz-Acl") != "" {
		return parseCannedACL(r), err
	}
	var list struct {
		Grants []struct {
			URI        string `xml:"Grantee>URI"`
			Permission string `xml:"Permission"`
		} `xml:"AccessControlList>Grant"`
	}
	if err := xml.Unmarshal(content, &list); err != nil {
		return false, errMalformedXML
	}
	for _, grant := range list.Grants {
		public = public || grant.URI == allUsersURI && (grant.Permission == "READ" || grant.Permission == "FULL_CONTROL")
	}
	return public, nil
}

// readAccess returns the access control list that a request sets; get if it only asks for it.
func readAccess(through blobs, r *request) (public, get bool, err error) {
	switch r.Method {
	case http.MethodGet:
		return false, true, nil
	case http.MethodPut:
		public, err = parseAccess(through, r)
		return public, false, err
	}
	return false, false, errMethod
}

// serveAccess gets or sets the access control list of an object.
func (a *objectAPI) serveAccess(w http.ResponseWriter, r *request) error {
	public, get, err := readAccess(a.index.blobs, r)
	if err != nil {
		return err
	}
	a.index.mu.Lock()
	defer a.index.mu.Unlock()
	o, ok := a.index.objects.Get(r.bucket + "/" + r.key)
	if !ok {
		return errNoKey
	}
	if get {
		writeXML(w, http.StatusOK, toWireAccess(o.Public))
		return nil
	}
	o.Public = public
	w.WriteHeader(http.StatusOK)
	return a.index.objects.Put(o.Bucket+"/"+o.Key, o)
}

// serveAccess gets or sets the access control list of a bucket.
func (a *bucketAPI) serveAccess(w http.ResponseWriter, r *request) error {
	public, get, err := readAccess(a.index.blobs, r)
	if err != nil {
		return err
	}
	a.index.mu.Lock()
	defer a.index.mu.Unlock()
	b, _ := a.index.buckets.Get(r.bucket)
	if get {
		writeXML(w, http.StatusOK, toWireAccess(b.Public))
		return nil
	}
	b.Public = public
	w.WriteHeader(http.StatusOK)
	return a.index.buckets.Put(b.Name, b)
}
