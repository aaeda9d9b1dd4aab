package s3

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"slices"
)

// bucketSettings holds the settings of a bucket that are stored unchanged, with the error of a missing one.
var bucketSettings = map[string]*apiError{"policy": errNoPolicy, "cors": errNoCORS, ownershipControls: errNoOwnership} //nolint:gochecknoglobals // a table that nothing changes

const ownershipControls = "ownershipControls"

// serveDocument gets, stores or deletes a bucket's policy, CORS rules or ownership controls. They have no effect here.
func (a *bucketAPI) serveDocument(w http.ResponseWriter, r *request, name string) error {
	content, err := readAll(a.index.blobs, r)
	if err != nil {
		return err
	}
	a.index.mu.Lock()
	defer a.index.mu.Unlock()
	b, _ := a.index.buckets.Get(r.bucket)
	kept := map[string]string{}
	for other, text := range b.Documents {
		kept[other] = text
	}
	switch r.Method {
	case http.MethodGet:
		return getDocument(w, name, kept)
	case http.MethodPut:
		if !isWellFormed(name, content) {
			return newMalformedError(name)
		}
		kept[name] = string(content)
	case http.MethodDelete:
		delete(kept, name)
	default:
		return errMethod
	}
	b.Documents = kept
	if err := a.index.buckets.Put(b.Name, b); err != nil {
		return err
	}
	if r.Method == http.MethodPut && name != "policy" {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func newMalformedError(name string) error {
	if name == ownershipControls {
		return errMalformedXML
	}
	return errMalformedDocument
}

func getDocument(w http.ResponseWriter, name string, kept map[string]string) error {
	text, ok := kept[name]
	if !ok {
		return bucketSettings[name]
	}
	w.Header().Set("Content-Type", "application/xml")
	if name == "policy" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write([]byte(text)) // the client closed the connection
	return nil
}

// isWellFormed: policies of buckets are in the language of IAM policies, not in that of AWS.
func isWellFormed(name string, content []byte) bool {
	switch name {
	case "cors":
		return xml.Unmarshal(content, new(any)) == nil
	case ownershipControls:
		var controls struct {
			Ownership []string `xml:"Rule>ObjectOwnership"`
		}
		known := []string{"BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"}
		return xml.Unmarshal(content, &controls) == nil && len(controls.Ownership) == 1 && slices.Contains(known, controls.Ownership[0])
	}
	var policy struct {
		Strategy string `json:"default-service-strategy"`
	}
	return json.Unmarshal(content, &policy) == nil && policy.Strategy != ""
}

type wireVersioning struct {
	XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ VersioningConfiguration"`
	Status  string   `xml:"Status,omitempty"`
}

// setVersioning enables or suspends versions; a bucket that had some never returns to unversioned.
func (a *bucketAPI) setVersioning(w http.ResponseWriter, r *request) error {
	content, err := readAll(a.index.blobs, r)
	if err != nil {
		return err
	}
	var wanted struct {
		Status string `xml:"Status"`
	}
	if err := xml.Unmarshal(content, &wanted); err != nil || wanted.Status != "Enabled" && wanted.Status != "Suspended" {
		return errMalformedXML
	}
	a.index.mu.Lock()
	defer a.index.mu.Unlock()
	b, _ := a.index.buckets.Get(r.bucket)
	b.Versioning = wanted.Status
	if err := a.index.buckets.Put(b.Name, b); err != nil {
		return err
	}
	w.WriteHeader(http.StatusOK)
	return nil
}
