package registry

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"exoshift/internal/simcloud/payload"
)

const (
	// linkLife is the validity of a link to a layer.
	linkLife = 10 * time.Minute
	// maxImages limits the images that the store keeps.
	maxImages = 256
	// blobPath is Quay's path of layers.
	blobPath = "/quayio-production-s3/sha256/"
)

// BlobStore serves the hosts of the registries' layers. It requires links that a registry has signed.
type BlobStore struct {
	key  []byte
	base map[string][]byte // layers that all images share

	mu     sync.Mutex
	images map[string]payload.Image // requested ones, by repository, "@" and digest
}

// NewBlobStore returns a store with the shared layers.
func NewBlobStore() (*BlobStore, error) {
	w := &BlobStore{key: make([]byte, sha256.Size), base: map[string][]byte{}, images: map[string]payload.Image{}}
	for _, layer := range payload.NewBuilder().Layers() {
		w.base[payload.ComputeDigest(layer)] = layer
	}
	if _, err := rand.Read(w.key); err != nil {
		return nil, fmt.Errorf("make the key of the links to layers: %w", err)
	}
	return w, nil
}

func (w *BlobStore) add(repository string, image payload.Image) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.images) >= maxImages {
		clear(w.images)
	}
	for _, one := range append(image.Parts, image) {
		w.images[repository+"@"+one.Digest()] = one
	}
}

func (w *BlobStore) findImage(repository, digest string) (payload.Image, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	image, known := w.images[repository+"@"+digest]
	return image, known
}

func (w *BlobStore) findBlob(digest string) ([]byte, bool) {
	if layer, shared := w.base[digest]; shared {
		return layer, true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, image := range w.images {
		if len(image.Blobs) > 0 && payload.ComputeDigest(image.Blobs[0]) == digest { // the others are shared
			return image.Blobs[0], true
		}
	}
	return nil, false
}

func (w *BlobStore) has(digest string) bool {
	_, known := w.findBlob(digest)
	return known
}

// link returns the signed URL of a blob; its host depends on the digest only.
func (w *BlobStore) link(hosts []string, digest string) string {
	hash := strings.TrimPrefix(digest, "sha256:")
	first, _ := strconv.ParseUint(hash[:2], 16, 8) // it is a valid digest
	path, ends := blobPath+hash[:2]+"/"+hash, strconv.FormatInt(time.Now().Add(linkLife).Unix(), 10)
	query := url.Values{"X-Amz-Algorithm": {"AWS4-HMAC-SHA256"}, "Expires": {ends}, "X-Amz-Signature": {w.sign(path, ends)}}
	return "https://" + hosts[int(first)%len(hosts)] + path + "?" + query.Encode()
}

func (w *BlobStore) sign(path, ends string) string {
	mac := hmac.New(sha256.New, w.key)
	mac.Write([]byte(path + "\n" + ends))
	return hex.EncodeToString(mac.Sum(nil))
}

// ServeHTTP serves the blob of a signed link, with range requests.
func (w *BlobStore) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	ends, err := strconv.ParseInt(query.Get("Expires"), 10, 64)
	signed := hmac.Equal([]byte(query.Get("X-Amz-Signature")), []byte(w.sign(r.URL.Path, query.Get("Expires"))))
	if err != nil || !signed || time.Now().After(time.Unix(ends, 0)) {
		WriteAccessDenied(answer, http.StatusForbidden, "AccessDenied", "Access Denied")
		return
	}
	content, known := w.findBlob("sha256:" + r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
	if !known {
		WriteAccessDenied(answer, http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
		return
	}
	answer.Header().Set("Content-Type", "binary/octet-stream")
	http.ServeContent(answer, r, "", time.Time{}, bytes.NewReader(content))
}

// WriteAccessDenied has the format of object storages.
func WriteAccessDenied(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code><Message>%s</Message></Error>", code, message) // the client closed the connection
}
