// Package objects is a client of the object storage of an Exoscale zone, built on minio-go: private buckets, objects that are
// uploaded only when they differ, streams of unknown size, and signed URLs.
package objects

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state"
)

const (
	kindBucket = "bucket"
	kindObject = "object"
)

// retries is minio-go's limit for requests that may succeed later; all requests here are idempotent.
const retries = 5

// answerLimits suffice: lists are paged, and no object that is read is larger.
var answerLimits = network.Limits{Bytes: 16 << 20, Time: 2 * time.Minute} //nolint:gochecknoglobals // a table that nothing changes

// Client is the object storage of one zone. Its methods may be called concurrently.
type Client struct {
	*Objects
	*Buckets
	connection *connection
}

// connection sends requests to the object storage, and records each change.
type connection struct {
	s3      *minio.Client
	http    *http.Client
	zone    string
	journal state.Recorder
	preview bool // changes nothing; see Client.WithPreview
}

// New returns a client for the object storage of a zone, e.g. "ch-gva-2". It sends no requests. Call Close when the client is no
// longer needed.
func New(net network.Network, zone, key, secret string, journal state.Recorder) (*Client, error) {
	const op = "set up the object storage client"
	switch {
	case journal == nil:
		return nil, fault.New(fault.Internal, op, errors.New("the journal is missing"))
	case zone == "" || strings.ContainsAny(zone, "./:@?#"): // it becomes a part of a host name
		return nil, fault.Newf(fault.Invalid, op, "%q is not a zone", zone).WithHint("zones are named like ch-gva-2")
	case key == "" || secret == "":
		return nil, fault.New(fault.Invalid, op, errors.New("the API key or its secret is missing")).
			WithHint("set the API key and its secret")
	}
	inner := countingTransport{answerLimits.Wrap(net.Observed(net.NewTransport()))}
	client, err := minio.New(state.ObjectStorageHost(zone), &minio.Options{
		Creds:        credentials.NewStaticV4(key, secret, ""),
		Secure:       true,
		Transport:    inner,
		Region:       zone,
		BucketLookup: minio.BucketLookupPath,
		MaxRetries:   retries,
	})
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	c := &connection{s3: client, http: &http.Client{Transport: inner, CheckRedirect: network.KeepRedirect}, zone: zone, journal: journal}
	return newClient(c, ""), nil
}

func newClient(c *connection, owner string) *Client {
	objects := &Objects{c}
	return &Client{Objects: objects, Buckets: &Buckets{connection: c, objects: objects, owner: owner}, connection: c}
}

// WithPreview returns a client that reads but changes nothing: its methods return the actions that they would take, and record
// nothing in the journal. It shares the connections of c and need not be closed.
func (c *Client) WithPreview() *Client {
	preview := *c.connection
	preview.preview = true
	return newClient(&preview, c.owner)
}

// WithOwner returns a client whose buckets belong to the cluster: it marks those that it creates or finds without a mark, and it
// neither uses nor deletes one that is marked as another cluster's. It shares the connections of c and need not be closed.
func (c *Client) WithOwner(cluster string) *Client { return newClient(c.connection, cluster) }

// Close closes idle connections.
func (c *Client) Close() { c.connection.http.CloseIdleConnections() }

func (c *connection) recordAdoption(kind, name string) (state.Action, error) {
	if c.preview || !c.journal.Open(kind, name) {
		return state.Found, nil
	}
	return state.Adopted, c.recordResult(kind, name, state.Adopted)
}

// applyChange records the intent before do and the result after it. Every mutation goes through it; in a preview it does nothing.
func (c *connection) applyChange(ctx context.Context, op string, action state.Action, kind, name string, do func() error) error {
	if c.preview {
		return nil
	}
	if err := c.journal.RecordIntent(kind, name); err != nil {
		return fault.New(fault.Internal, op, fmt.Errorf("record the intent in the journal: %w", err))
	}
	if err := do(); err != nil {
		return c.translate(ctx, op, err)
	}
	return c.recordResult(kind, name, action)
}

func (c *connection) recordResult(kind, name string, action state.Action) error {
	if err := c.journal.RecordResult(kind, name, name, action); err != nil {
		return fault.New(fault.Internal, "note "+kind+" "+name+" in the journal", err)
	}
	return nil
}
