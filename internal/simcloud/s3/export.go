package s3

import (
	"bytes"
	"crypto/md5" //nolint:gosec // entity tags are MD5
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"time"
)

// exportBucket is the bucket of Exoscale that holds exported snapshots; its name is our reading.
const exportBucket = "exported-snapshots"

// exportKey is the API key that Exoscale signs links to exported snapshots with.
const exportKey = "EXOexportedsnapshots"

// exports are the exported snapshots: objects of Exoscale, which only a link opens.
type exports struct {
	secret string // new in each process, as each request for a snapshot returns a new link
	// find returns an image by its name; nil: there is none.
	find func(name string) (content []byte, ok bool)
}

func newExports(find func(name string) ([]byte, bool)) exports {
	return exports{secret: rand.Text(), find: find}
}

// addCredentials adds the key that reads exported snapshots, and nothing else.
func (e exports) addCredentials(others Credentials) Credentials {
	return func(key string) (string, func(operation, bucket, object string) bool, bool) {
		if key != exportKey {
			return others(key)
		}
		return e.secret, func(operation, bucket, _ string) bool { return bucket == exportBucket && operation == "get-object" }, true
	}
}

func (e exports) get(w http.ResponseWriter, r *request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return errAccessDenied
	}
	if e.find == nil {
		return errNoKey
	}
	content, ok := e.find(r.key)
	if !ok {
		return errNoKey
	}
	sum := md5.Sum(content) //nolint:gosec // see the import
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Etag", quote(hex.EncodeToString(sum[:])))
	http.ServeContent(w, r.withHTTPTags(), "", time.Time{}, bytes.NewReader(content))
	return nil
}

// ExportLink returns a presigned link to an exported snapshot.
func (s *Storage) ExportLink(name string) string {
	return s.Link(exportKey, s.exports.secret, exportBucket, name)
}
