package s3

import (
	"encoding/xml"
	"net/http"
	"strings"
	"time"
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
		return s.putObject(w, r)
	case http.MethodDelete:
		if err := s.deleteObject(r.bucket, r.key); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return errMethod
}

func (s *Storage) getObject(w http.ResponseWriter, r *request) error {
	o, ok := s.objects.Get(r.bucket + "/" + r.key)
	if !ok {
		return errNoKey
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
	http.ServeContent(w, r.Request, "", o.Modified, content)
	return nil
}

func quote(etag string) string { return `"` + etag + `"` }

func (s *Storage) putObject(w http.ResponseWriter, r *request) error {
	got, err := s.receive(r)
	if err != nil {
		return err
	}
	o := object{
		Bucket: r.bucket, Key: r.key, Blob: got.blob, Size: got.size, ETag: got.etag,
		Public: publicAccess(r), Header: kept(r.Header),
	}
	if err := s.replace(o); err != nil {
		return err
	}
	w.Header().Set("Etag", quote(o.ETag))
	w.WriteHeader(http.StatusOK)
	return nil
}

// kept returns the headers that are answered with an object as they came.
func kept(header http.Header) map[string]string {
	kept := map[string]string{"Content-Type": "binary/octet-stream"}
	for name := range header {
		switch {
		case name == "Content-Encoding":
			// "aws-chunked" tells of the transfer, not of the object.
			if rest := strings.Trim(strings.ReplaceAll(header.Get(name), "aws-chunked", ""), ", "); rest != "" {
				kept[name] = rest
			}
		case name == "Content-Type", name == "Content-Disposition", name == "Cache-Control", strings.HasPrefix(name, "X-Amz-Meta-"):
			kept[name] = header.Get(name)
		}
	}
	return kept
}

// replace puts an object in the place of what was there, unless its bucket went away meanwhile.
func (s *Storage) replace(o object) error {
	o.Modified = time.Now().UTC()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.buckets.Get(o.Bucket); !ok {
		s.blobs.remove(o.Blob)
		return errNoBucket
	}
	name := o.Bucket + "/" + o.Key
	before, had := s.objects.Get(name)
	if err := s.objects.Put(name, o); err != nil {
		return err
	}
	if had {
		s.blobs.remove(before.Blob)
	}
	return nil
}

// deleteObject deletes an object; a missing one is fine.
func (s *Storage) deleteObject(bucket, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := bucket + "/" + key
	o, ok := s.objects.Get(name)
	if !ok {
		return nil
	}
	if err := s.objects.Delete(name); err != nil {
		return err
	}
	s.blobs.remove(o.Blob)
	return nil
}

func (s *Storage) serveAccess(w http.ResponseWriter, r *request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := r.bucket + "/" + r.key
	o, ok := s.objects.Get(name)
	switch {
	case !ok:
		return errNoKey
	case r.Method == http.MethodGet:
		answer(w, http.StatusOK, accessOf(o.Public))
		return nil
	case r.Method == http.MethodPut && r.Header.Get("X-Amz-Acl") != "":
		o.Public = publicAccess(r)
		w.WriteHeader(http.StatusOK)
		return s.objects.Put(name, o)
	}
	return errNotImplemented
}

type wireDelete struct {
	Objects []struct {
		Key string `xml:"Key"`
	} `xml:"Object"`
	Quiet bool `xml:"Quiet"`
}

type wireDeleted struct {
	XMLName xml.Name         `xml:"http://s3.amazonaws.com/doc/2006-03-01/ DeleteResult"`
	Deleted []wireDeletedKey `xml:"Deleted"`
}

type wireDeletedKey struct {
	Key string `xml:"Key"`
}

// deleteObjects deletes many objects at once.
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
		if err := s.deleteObject(r.bucket, o.Key); err != nil {
			return err
		}
		if !body.Quiet {
			result.Deleted = append(result.Deleted, wireDeletedKey{o.Key})
		}
	}
	answer(w, http.StatusOK, result)
	return nil
}
