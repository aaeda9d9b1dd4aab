package s3

import (
	"crypto/md5" //nolint:gosec // S3's entity tags are MD5
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"exoshift/internal/simcloud/store"
	"exoshift/internal/stable"
)

const maxParts = 10000

type upload struct {
	ID, Bucket, Key string
	Created         time.Time
	Public          bool
	Header          map[string]string
	Parts           map[int]part
}

type part struct {
	Blob     string
	ETag     string
	Size     int64
	Modified time.Time
}

type wireInitiated struct {
	XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ InitiateMultipartUploadResult"`
	Bucket  string   `xml:"Bucket"`
	Key     string   `xml:"Key"`
	ID      string   `xml:"UploadId"`
}

type wireComplete struct {
	Parts []struct {
		Number int    `xml:"PartNumber"`
		ETag   string `xml:"ETag"`
	} `xml:"Part"`
}

type wireCompleted struct {
	XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ CompleteMultipartUploadResult"`
	Bucket  string   `xml:"Bucket"`
	Key     string   `xml:"Key"`
	ETag    string   `xml:"ETag"`
}

// uploads are the multipart uploads.
type uploads struct {
	index *index
	table *store.Table[upload] // by upload ID
}

func (m *uploads) serve(w http.ResponseWriter, r *request) error {
	if r.Method == http.MethodPost && r.has("uploads") {
		return m.create(w, r)
	}
	u, ok := m.table.Get(r.query("uploadId"))
	if !ok || u.Bucket != r.bucket || u.Key != r.key {
		return errNoUpload
	}
	switch r.Method {
	case http.MethodPut:
		return m.putPart(w, r, u.ID)
	case http.MethodPost:
		return m.complete(w, r, u.ID)
	case http.MethodGet:
		return m.listParts(w, u)
	case http.MethodDelete:
		m.index.mu.Lock()
		defer m.index.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
		return m.remove(u)
	}
	return errMethod
}

func (m *uploads) create(w http.ResponseWriter, r *request) error {
	u := upload{
		ID: uuid.NewString(), Bucket: r.bucket, Key: r.key, Created: time.Now().UTC(),
		Public: parseCannedACL(r), Header: selectStoredHeaders(r.Header), Parts: map[int]part{},
	}
	if err := m.table.Put(u.ID, u); err != nil {
		return err
	}
	writeXML(w, http.StatusOK, wireInitiated{Bucket: u.Bucket, Key: u.Key, ID: u.ID})
	return nil
}

func (m *uploads) putPart(w http.ResponseWriter, r *request, id string) error {
	number, err := strconv.Atoi(r.query("partNumber"))
	if err != nil || number < 1 || number > maxParts {
		return errArgument
	}
	got, err := m.receivePart(r)
	if err != nil {
		return err
	}
	p := part{Blob: got.blob, ETag: got.etag, Size: got.size, Modified: time.Now().UTC()}
	if err := m.addPart(id, number, p); err != nil {
		m.index.blobs.remove(got.blob)
		return err
	}
	if r.copySource() != "" {
		writeXML(w, http.StatusOK, newWireCopied("CopyPartResult", p.ETag))
		return nil
	}
	w.Header().Set("Etag", quote(p.ETag))
	w.WriteHeader(http.StatusOK)
	return nil
}

// receivePart stores a part: the body of the request, or a copy.
func (m *uploads) receivePart(r *request) (received, error) {
	if r.copySource() == "" {
		return receive(m.index.blobs, r)
	}
	from, content, err := m.index.openSource(r)
	if err != nil {
		return received{}, err
	}
	defer func() { _ = content.Close() }() // it was only read
	meant, err := copyRange(r, from.Size, content)
	if err != nil {
		return received{}, err
	}
	sum := md5.New() //nolint:gosec // see the imports
	blob, size, err := m.index.blobs.write(io.TeeReader(meant, sum))
	return received{blob: blob, size: size, etag: hex.EncodeToString(sum.Sum(nil))}, err
}

func (m *uploads) addPart(id string, number int, p part) error {
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	u, ok := m.table.Get(id)
	if !ok {
		return errNoUpload
	}
	parts := map[int]part{number: p}
	for n, other := range u.Parts {
		if n != number {
			parts[n] = other
		} else {
			m.index.blobs.remove(other.Blob)
		}
	}
	u.Parts = parts
	return m.table.Put(id, u)
}

func (m *uploads) complete(w http.ResponseWriter, r *request, id string) error {
	content, err := readAll(m.index.blobs, r)
	if err != nil {
		return err
	}
	var body wireComplete
	if err := xml.Unmarshal(content, &body); err != nil || len(body.Parts) == 0 {
		return errMalformedXML
	}
	u, ok := m.table.Get(id)
	if !ok {
		return errNoUpload
	}
	o, err := m.join(u, body)
	if err != nil {
		return err
	}
	version, err := m.index.replace(o)
	if err != nil {
		return err
	}
	deleted{version: version}.writeHeader(w.Header())
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	if err := m.remove(u); err != nil {
		return err
	}
	writeXML(w, http.StatusOK, wireCompleted{Bucket: o.Bucket, Key: o.Key, ETag: quote(o.ETag)})
	return nil
}

func (m *uploads) join(u upload, body wireComplete) (object, error) {
	sums := md5.New() //nolint:gosec // see the imports
	var sources []io.Reader
	for i, given := range body.Parts {
		p, ok := u.Parts[given.Number]
		if !ok || p.ETag != strings.Trim(given.ETag, `"`) {
			return object{}, errInvalidPart
		}
		if i > 0 && given.Number <= body.Parts[i-1].Number {
			return object{}, errPartOrder
		}
		sum, err := hex.DecodeString(p.ETag)
		if err != nil {
			return object{}, err
		}
		sums.Write(sum)
		file, err := m.index.blobs.open(p.Blob)
		if err != nil {
			return object{}, err
		}
		defer func() { _ = file.Close() }() // it was only read
		sources = append(sources, file)
	}
	blob, size, err := m.index.blobs.write(io.MultiReader(sources...))
	etag := fmt.Sprintf("%x-%d", sums.Sum(nil), len(body.Parts))
	return object{Bucket: u.Bucket, Key: u.Key, Blob: blob, Size: size, ETag: etag, Public: u.Public, Header: u.Header}, err
}

func (m *uploads) remove(u upload) error {
	for _, p := range u.Parts {
		m.index.blobs.remove(p.Blob)
	}
	return m.table.Delete(u.ID)
}

type wireParts struct {
	XMLName xml.Name   `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListPartsResult"`
	Bucket  string     `xml:"Bucket"`
	Key     string     `xml:"Key"`
	ID      string     `xml:"UploadId"`
	Parts   []wirePart `xml:"Part"`
}

type wirePart struct {
	Number   int       `xml:"PartNumber"`
	Modified time.Time `xml:"LastModified"`
	ETag     string    `xml:"ETag"`
	Size     int64     `xml:"Size"`
}

func (m *uploads) listParts(w http.ResponseWriter, u upload) error {
	result := wireParts{Bucket: u.Bucket, Key: u.Key, ID: u.ID}
	for number, p := range u.Parts {
		result.Parts = append(result.Parts, wirePart{Number: number, Modified: p.Modified, ETag: quote(p.ETag), Size: p.Size})
	}
	stable.Sort(result.Parts, func(a, b wirePart) int { return a.Number - b.Number })
	writeXML(w, http.StatusOK, result)
	return nil
}

type wireUploads struct {
	XMLName xml.Name     `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListMultipartUploadsResult"`
	Bucket  string       `xml:"Bucket"`
	Prefix  string       `xml:"Prefix"`
	Uploads []wireUpload `xml:"Upload"`
}

type wireUpload struct {
	Key       string    `xml:"Key"`
	ID        string    `xml:"UploadId"`
	Initiated time.Time `xml:"Initiated"`
}

func (m *uploads) list(w http.ResponseWriter, r *request) error {
	result := wireUploads{Bucket: r.bucket, Prefix: r.query("prefix")}
	for _, u := range m.table.List() {
		if u.Bucket == r.bucket && strings.HasPrefix(u.Key, result.Prefix) {
			result.Uploads = append(result.Uploads, wireUpload{Key: u.Key, ID: u.ID, Initiated: u.Created})
		}
	}
	stable.Sort(result.Uploads, func(a, b wireUpload) int { return strings.Compare(a.Key+a.ID, b.Key+b.ID) })
	writeXML(w, http.StatusOK, result)
	return nil
}
