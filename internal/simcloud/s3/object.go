package s3

import (
	"encoding/xml"
	"net/http"
	"path"
	"strings"
)

// objectAPI serves objects.
type objectAPI struct {
	index         *index
	uploads       *uploads
	unconditional bool // the conditions of writes have no effect
	damaged       string
}

func (a *objectAPI) serve(w http.ResponseWriter, r *request) error {
	if _, ok := a.index.buckets.Get(r.bucket); !ok {
		return errNoBucket
	}
	if r.has("uploads") || r.has("uploadId") {
		return a.uploads.serve(w, r)
	}
	if r.has("acl") {
		return a.serveAccess(w, r)
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return a.get(w, r)
	case http.MethodPut:
		if r.copySource() != "" {
			return a.copy(w, r)
		}
		return a.put(w, r)
	case http.MethodDelete:
		gone, err := a.index.delete(r.bucket, r.key, r.query("versionId"))
		if err != nil {
			return err
		}
		gone.writeHeader(w.Header())
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return errMethod
}

func (a *objectAPI) get(w http.ResponseWriter, r *request) error {
	o, ok := a.index.find(r.bucket, r.key, r.query("versionId"))
	if !ok {
		return a.newMissingError(w, r)
	}
	if tag := r.Header.Get("If-Match"); tag != "" && !isTagMatch(tag, o.ETag) {
		return errPrecondition
	}
	content, err := a.index.blobs.open(o.Blob)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // it was only read
	if matches, err := path.Match(a.damaged, r.key); err == nil && matches {
		content = &damagedContent{ReadSeekCloser: content, at: o.Size / 2}
	}
	header := w.Header()
	for name, value := range o.Header {
		header.Set(name, value)
	}
	for _, name := range []string{"Content-Type", "Content-Disposition", "Content-Encoding", "Cache-Control"} {
		if wanted := r.query("response-" + strings.ToLower(name)); wanted != "" && r.signed != nil {
			header.Set(name, wanted)
		}
	}
	header.Set("Etag", quote(o.ETag))
	if b, _ := a.index.buckets.Get(o.Bucket); b.formatVersion(o.Version) != "" {
		header.Set("X-Amz-Version-Id", o.Version)
	}
	http.ServeContent(w, r.withHTTPTags(), "", o.Modified, content)
	return nil
}

// newMissingError distinguishes an object that never existed from one with a delete marker.
func (a *objectAPI) newMissingError(w http.ResponseWriter, r *request) error {
	version := r.query("versionId")
	older := a.index.listOlderVersions(r.bucket, r.key)
	if version == "" {
		if len(older) > 0 {
			deleted{older[0].Version, true}.writeHeader(w.Header())
		}
		return errNoKey
	}
	for _, o := range older {
		if o.Version == version {
			deleted{version, true}.writeHeader(w.Header())
			return errMethod
		}
	}
	return errNoVersion
}

func quote(etag string) string { return `"` + etag + `"` }

func (a *objectAPI) put(w http.ResponseWriter, r *request) error {
	conditions, err := r.parseConditions()
	if err != nil {
		return err
	}
	if a.unconditional {
		conditions.absent, conditions.tag = false, ""
	}
	got, err := receive(a.index.blobs, r)
	if err != nil {
		return err
	}
	o := object{
		Bucket: r.bucket, Key: r.key, Blob: got.blob, Size: got.size, ETag: got.etag,
		Public: parseCannedACL(r), Header: selectStoredHeaders(r.Header),
	}
	version, err := a.index.replaceIf(o, conditions)
	if err != nil {
		return err
	}
	deleted{version: version}.writeHeader(w.Header())
	w.Header().Set("Etag", quote(o.ETag))
	w.WriteHeader(http.StatusOK)
	return nil
}

// selectStoredHeaders returns the headers that are stored with an object and returned unchanged.
func selectStoredHeaders(header http.Header) map[string]string {
	kept := map[string]string{"Content-Type": "binary/octet-stream"}
	for name := range header {
		switch {
		case name == "Content-Encoding":
			// "aws-chunked" is an encoding of the transfer, not of the object.
			if rest := strings.Trim(strings.ReplaceAll(header.Get(name), "aws-chunked", ""), ", "); rest != "" {
				kept[name] = rest
			}
		case name == "Content-Type", name == "Content-Disposition", name == "Cache-Control", strings.HasPrefix(name, "X-Amz-Meta-"):
			kept[name] = header.Get(name)
		}
	}
	return kept
}

type wireDelete struct {
	Objects []struct {
		Key     string `xml:"Key"`
		Version string `xml:"VersionId"`
	} `xml:"Object"`
	Quiet bool `xml:"Quiet"`
}

type wireDeleted struct {
	XMLName xml.Name         `xml:"http://s3.amazonaws.com/doc/2006-03-01/ DeleteResult"`
	Deleted []wireDeletedKey `xml:"Deleted"`
}

type wireDeletedKey struct {
	Key           string `xml:"Key"`
	Version       string `xml:"VersionId,omitempty"` // as requested
	Marker        bool   `xml:"DeleteMarker,omitempty"`
	MarkerVersion string `xml:"DeleteMarkerVersionId,omitempty"`
}

func (a *objectAPI) deleteMany(w http.ResponseWriter, r *request) error {
	content, err := readAll(a.index.blobs, r)
	if err != nil {
		return err
	}
	var body wireDelete
	if err := xml.Unmarshal(content, &body); err != nil || len(body.Objects) > maxKeys {
		return errMalformedXML
	}
	var result wireDeleted
	for _, o := range body.Objects {
		gone, err := a.index.delete(r.bucket, o.Key, o.Version)
		if err != nil {
			return err
		}
		if body.Quiet {
			continue
		}
		key := wireDeletedKey{Key: o.Key, Version: o.Version, Marker: gone.marker}
		if gone.marker {
			key.MarkerVersion = gone.version
		}
		result.Deleted = append(result.Deleted, key)
	}
	writeXML(w, http.StatusOK, result)
	return nil
}
