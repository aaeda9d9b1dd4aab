package storage

import (
	"net/http"
	"time"

	"exoshift/internal/simcloud/api/rest"
)

// Bucket is a bucket with its size.
type Bucket struct {
	Name    string
	Zone    string
	Created time.Time
	Size    int64 // bytes
}

type wireBucket struct {
	Name    string    `json:"name"`
	Created time.Time `json:"created-at"`
	Zone    string    `json:"zone-name"`
	Size    int64     `json:"size"`
}

// Buckets is the object storage as far as the API knows it.
type Buckets struct {
	// List returns the organization's buckets; nil: there are none.
	List func() []Bucket
	// Link returns a presigned link to an object; nil: there are none.
	Link func(key, secret, bucket, object string) string
	// Signer returns the key of a request and its secret.
	Signer func(*rest.Request) (key, secret string)
}

// RegisterRoutes adds the routes of buckets.
func (b Buckets) RegisterRoutes(register rest.Register) {
	register("GET /sos-buckets-usage", b.list)
	register("GET /sos/{bucket}/presigned-url", b.link)
}

// Len returns the number of buckets.
func (b Buckets) Len() int { return len(b.all()) }

func (b Buckets) all() []Bucket {
	if b.List == nil {
		return nil
	}
	return b.List()
}

func (b Buckets) list(*rest.Request) (any, error) {
	list := []wireBucket{}
	for _, bucket := range b.all() {
		list = append(list, wireBucket{Name: bucket.Name, Created: bucket.Created.Truncate(time.Second), Zone: bucket.Zone, Size: bucket.Size})
	}
	return map[string]any{"sos-buckets-usage": list}, nil
}

// link signs the link with the caller's key, whose permissions apply.
func (b Buckets) link(req *rest.Request) (any, error) {
	if b.Link == nil {
		return nil, rest.Errorf(http.StatusNotFound, "there is no object storage")
	}
	key, secret := b.Signer(req)
	return map[string]any{"url": b.Link(key, secret, req.PathValue("bucket"), req.Query("key"))}, nil
}
