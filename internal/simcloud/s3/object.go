package s3

import (
	"encoding/xml"
	"net/http"
	"strings"
)

func (s *Storage) serveObject(w http.ResponseWriter, r *request) error {
	if _, ok := s.buckets.Get(r.bucket); !ok {
		return errNoBucket
	}
	if r.has("uploads") || r.has("uploadId") {
		return s.serveUpload(w, r)
	}
	if r.has("acl") {
		return s.serveAccess(w, r)
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return s.getObject(w, r)
	case http.MethodPut:
		if r.copySource() != "" {
			return s.copyObject(w, r)
		}
		return s.putObject(w, r)
	case http.MethodDelete:
		gone, err := s.delete(r.bucket, r.key, r.query("versionId"))
		if err != nil {
			return err
		}
		gone.writeHeader(w.Header())
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return errMethod
}

func (s *Storage) getObject(w http.ResponseWriter, r *request) error {
	o, ok := s.find(r.bucket, r.key, r.query("versionId"))
	if !ok {
		return s.newMissingError(w, r)
	}
	content, err := s.blobs.open(o.Blob)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // it was only read
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
	if b, _ := s.buckets.Get(o.Bucket); b.formatVersion(o.Version) != "" {
		header.Set("X-Amz-Version-Id", o.Version)
	}
	http.ServeContent(w, r.Request, "", o.Modified, content)
	return nil
}

// newMissingError distinguishes an object that never existed from one with a delete marker.
func (s *Storage) newMissingError(w http.ResponseWriter, r *request) error {
	version := r.query("versionId")
	older := s.listOlderVersions(r.bucket, r.key)
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

func (s *Storage) putObject(w http.ResponseWriter, r *request) error {
	got, err := s.receive(r)
	if err != nil {
		return err
	}
	o := object{
		Bucket: r.bucket, Key: r.key, Blob: got.blob, Size: got.size, ETag: got.etag,
		Public: parseCannedACL(r), Header: selectStoredHeaders(r.Header),
	}
	version, err := s.replace(o)
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

func (s *Storage) deleteObjects(w http.ResponseWriter, r *request) error {
	content, err := s.readAll(r)
	if err != nil {
		return err
	}
	var body wireDelete
	if err := xml.Unmarshal(content, &body); err != nil || len(body.Objects) > maxKeys {
		return errMalformedXML
	}
	var result wireDeleted
	for _, o := range body.Objects {
		gone, err := s.delete(r.bucket, o.Key, o.Version)
		if err != nil {
			return err
		}
		if body.Quiet {
			continue
		}
		told := wireDeletedKey{Key: o.Key, Version: o.Version, Marker: gone.marker}
		if gone.marker {
			told.MarkerVersion = gone.version
		}
		result.Deleted = append(result.Deleted, told)
	}
	writeXML(w, http.StatusOK, result)
	return nil
}
