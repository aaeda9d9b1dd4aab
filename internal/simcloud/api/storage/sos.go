package api

import (
	"net/http"
	"time"
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

func (a *API) registerStorageRoutes(register func(string, handler)) {
	register("GET /sos-buckets-usage", a.listBuckets)
	register("GET /sos/{bucket}/presigned-url", a.linkObject)
}

func (a *API) getBuckets() []Bucket {
	if a.config.Buckets == nil {
		return nil
	}
	return a.config.Buckets()
}

func (a *API) listBuckets(*call) (any, error) {
	list := []wireBucket{}
	for _, b := range a.getBuckets() {
		list = append(list, wireBucket{Name: b.Name, Created: b.Created.Truncate(time.Second), Zone: b.Zone, Size: b.Size})
	}
	return map[string]any{"sos-buckets-usage": list}, nil
}

// linkObject signs the link with the caller's key, whose permissions apply.
func (a *API) linkObject(c *call) (any, error) {
	if a.config.Link == nil {
		return nil, newAPIError(http.StatusNotFound, "there is no object storage")
	}
	given, _ := parseCredential(c.request.Header.Get("Authorization"))
	secret, _ := a.lookupSecret(given.key)
	return map[string]any{"url": a.config.Link(given.key, secret, c.request.PathValue("bucket"), c.query("key"))}, nil
}
