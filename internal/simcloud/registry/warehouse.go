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
	// linkLife is how long a link to a layer is good.
	linkLife = 10 * time.Minute
	// maxKept is how many images the warehouse knows at a time.
	maxKept = 256
	// shelf is where layers are, as at Quay's.
	shelf = "/quayio-production-s3/sha256/"
)

// Warehouse is the hosts that hold the layers of registries. It shows a layer to whom a registry gave a signed link, and
// to nobody else.
type Warehouse struct {
	key  []byte
	base map[string][]byte // layers that all images share

	mu     sync.Mutex
	images map[string]payload.Image // that somebody saw: by repository, "@" and digest
}

// NewWarehouse returns a warehouse.
func NewWarehouse() (*Warehouse, error) {
	w := &Warehouse{key: make([]byte, sha256.Size), base: map[string][]byte{}, images: map[string]payload.Image{}}
	for _, layer := range payload.NewBuilder().Layers() {
		w.base[payload.Digest(layer)] = layer
	}
	if _, err := rand.Read(w.key); err != nil {
		return nil, fmt.Errorf("make the key of the links to layers: %w", err)
	}
	return w, nil
}

// keep takes in the images whose manifest somebody saw.
func (w *Warehouse) keep(repository string, image payload.Image) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.images) >= maxKept {
		clear(w.images)
	}
	for _, one := range append(image.Parts, image) {
		w.images[repository+"@"+one.Digest()] = one
	}
}

// recall returns an image whose manifest somebody saw.
func (w *Warehouse) recall(repository, digest string) (payload.Image, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	image, known := w.images[repository+"@"+digest]
	return image, known
}

// blob returns a layer or a configuration.
func (w *Warehouse) blob(digest string) ([]byte, bool) {
	if layer, shared := w.base[digest]; shared {
		return layer, true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, image := range w.images {
		if len(image.Blobs) > 0 && payload.Digest(image.Blobs[0]) == digest { // the others are shared
			return image.Blobs[0], true
		}
	}
	return nil, false
}

func (w *Warehouse) has(digest string) bool {
	_, known := w.blob(digest)
	return known
}

// link returns the signed address of a blob at one of these hosts, always the same one.
func (w *Warehouse) link(hosts []string, digest string) string {
	hash := strings.TrimPrefix(digest, "sha256:")
	first, _ := strconv.ParseUint(hash[:2], 16, 8) // it is the digest of something
	path, ends := shelf+hash[:2]+"/"+hash, strconv.FormatInt(time.Now().Add(linkLife).Unix(), 10)
	query := url.Values{"X-Amz-Algorithm": {"AWS4-HMAC-SHA256"}, "Expires": {ends}, "X-Amz-Signature": {w.sign(path, ends)}}
	return "https://" + hosts[int(first)%len(hosts)] + path + "?" + query.Encode()
}

func (w *Warehouse) sign(path, ends string) string {
	mac := hmac.New(sha256.New, w.key)
	mac.Write([]byte(path + "\n" + ends))
	return hex.EncodeToString(mac.Sum(nil))
}

// ServeHTTP shows what a signed link leads to, or a part of it.
func (w *Warehouse) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	ends, err := strconv.ParseInt(query.Get("Expires"), 10, 64)
	signed := hmac.Equal([]byte(query.Get("X-Amz-Signature")), []byte(w.sign(r.URL.Path, query.Get("Expires"))))
	if err != nil || !signed || time.Now().After(time.Unix(ends, 0)) {
		Deny(answer, http.StatusForbidden, "AccessDenied", "Access Denied")
		return
	}
	content, known := w.blob("sha256:" + r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
	if !known {
		Deny(answer, http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
		return
	}
	answer.Header().Set("Content-Type", "binary/octet-stream")
	http.ServeContent(answer, r, "", time.Time{}, bytes.NewReader(content))
}

// Deny answers as object storages do that show nothing.
func Deny(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code><Message>%s</Message></Error>", code, message) // the client went away
}
