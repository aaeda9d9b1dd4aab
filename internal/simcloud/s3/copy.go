package s3

import (
	"encoding/xml"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// source is an object, or a version of one, that a request copies.
type source struct{ bucket, key, version string }

type wireCopied struct {
	XMLName  xml.Name
	Modified time.Time `xml:"LastModified"`
	ETag     string    `xml:"ETag"`
}

// openSource requires that the request's key may read the source.
func (x *index) openSource(r *request) (object, io.ReadSeekCloser, error) {
	from, err := r.parseCopySource()
	if err != nil {
		return object{}, nil, err
	}
	if !r.signed.allows("get-object", from.bucket, from.key) || x.isForeign(from.bucket) {
		return object{}, nil, errAccessDenied
	}
	if _, ok := x.buckets.Get(from.bucket); !ok {
		return object{}, nil, errNoBucket
	}
	o, ok := x.find(from.bucket, from.key, from.version)
	if !ok {
		return object{}, nil, errNoKey
	}
	content, err := x.blobs.open(o.Blob)
	return o, content, err
}

// copy does not copy the access control list.
func (a *objectAPI) copy(w http.ResponseWriter, r *request) error {
	from, content, err := a.index.openSource(r)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // it was only read
	replaces := r.Header.Get("X-Amz-Metadata-Directive") == "REPLACE"
	if from.Bucket == r.bucket && from.Key == r.key && !replaces {
		return errCopyToItself
	}
	made := object{Bucket: r.bucket, Key: r.key, Size: from.Size, ETag: from.ETag, Public: parseCannedACL(r), Header: from.Header}
	if replaces {
		made.Header = selectStoredHeaders(r.Header)
	}
	if made.Blob, _, err = a.index.blobs.write(content); err != nil {
		return err
	}
	version, err := a.index.replace(made)
	if err != nil {
		return err
	}
	deleted{version: version}.writeHeader(w.Header())
	writeXML(w, http.StatusOK, newWireCopied("CopyObjectResult", made.ETag))
	return nil
}

func newWireCopied(name, etag string) wireCopied {
	space := "http://s3.amazonaws.com/doc/2006-03-01/"
	return wireCopied{XMLName: xml.Name{Space: space, Local: name}, Modified: time.Now().UTC(), ETag: quote(etag)}
}

// copyRange returns the bytes of a part's source: "bytes=0-99", or everything.
func copyRange(r *request, size int64, content io.ReadSeeker) (io.Reader, error) {
	given := r.Header.Get("X-Amz-Copy-Source-Range")
	if given == "" {
		return content, nil
	}
	first, last, _ := strings.Cut(strings.TrimPrefix(given, "bytes="), "-")
	from, err := strconv.ParseInt(first, 10, 64)
	to, fault := strconv.ParseInt(last, 10, 64)
	if err != nil || fault != nil || from > to || to >= size {
		return nil, errArgument
	}
	_, err = content.Seek(from, io.SeekStart)
	return io.LimitReader(content, to-from+1), err
}
