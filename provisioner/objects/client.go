// Package objects is the object storage of an Exoscale zone as the recipe needs it: private buckets, objects that
// are uploaded only when they differ, streams of unknown size, and signed links. It speaks through minio-go.
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

// Journal keeps what is about to be changed and what became of it. Both methods return only when the entry is safe
// on disk.
//
// A journal that also has the method Open(kind, name string) bool, which tells of an intent without a result, makes
// the client report such an object as state.Adopted when it finds it.
type Journal interface {
	RecordIntent(kind, name string) error
	RecordResult(kind, name, id string, action state.Action) error
}

// What the journal calls the objects; both are named by bucket, objects by bucket/key.
const (
	kindBucket = "bucket"
	kindObject = "object"
)

// retries bounds how often minio-go repeats a request that may succeed later; all requests here may be repeated.
const retries = 5

// answerLimits are those of an answer: lists come in pages, and no object that is read is larger.
var answerLimits = network.Limits{Bytes: 16 << 20, Time: 2 * time.Minute} //nolint:gochecknoglobals // a table that nothing changes

// Client is the object storage of one zone. Its methods may be called concurrently.
type Client struct {
	s3      *minio.Client
	http    *http.Client
	zone    string
	journal Journal
	preview bool   // changes nothing; see Preview
	owner   string // the cluster that buckets are marked with; see OwnedBy
}

// New returns a client for the object storage of a zone, e.g. "ch-gva-2". It contacts nobody. Call Close when it is
// no longer needed.
func New(net network.Network, zone, key, secret string, journal Journal) (*Client, error) {
	const op = "set up the object storage client"
	switch {
	case journal == nil:
		return nil, fault.New(fault.Internal, op, errors.New("there is no journal"))
	case zone == "" || strings.ContainsAny(zone, "./:@?#"): // it becomes a part of a host name
		return nil, fault.Newf(fault.Invalid, op, "%q is not a zone", zone).WithHint("zones are named like ch-gva-2")
	case key == "" || secret == "":
		return nil, fault.New(fault.Invalid, op, errors.New("the API key or its secret is missing")).
			WithHint("set the API key and its secret")
	}
	inner := answerLimits.Wrap(net.NewTransport())
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
	return &Client{s3: client, http: &http.Client{Transport: inner, CheckRedirect: network.KeepRedirect}, zone: zone, journal: journal}, nil
}

// WithPreview returns a client that looks but changes nothing: what it would do is told by the actions that its methods
// return, and the journal learns nothing. It shares the connections of c and need not be closed.
func (c *Client) WithPreview() *Client {
	preview := *c
	preview.preview = true
	return &preview
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// recordAdoption is for an object that was found: an earlier run may have made it without living to note it down.
func (c *Client) recordAdoption(kind, name string) (state.Action, error) {
	memory, ok := c.journal.(interface{ Open(kind, name string) bool })
	if !ok || c.preview || !memory.Open(kind, name) {
		return state.Found, nil
	}
	return state.Adopted, c.recordResult(kind, name, state.Adopted)
}

// applyChange does one thing to the storage, with the intent on disk before and the result after. Every mutation passes
// here, and a preview turns back.
func (c *Client) applyChange(ctx context.Context, op string, action state.Action, kind, name string, do func() error) error {
	if c.preview {
		return nil
	}
	if err := c.journal.RecordIntent(kind, name); err != nil {
		return fault.New(fault.Internal, op, fmt.Errorf("note the intent in the journal: %w", err))
	}
	if err := do(); err != nil {
		return c.translate(ctx, op, err)
	}
	return c.recordResult(kind, name, action)
}

// recordResult notes a result; names are the ids of buckets and objects.
func (c *Client) recordResult(kind, name string, action state.Action) error {
	if err := c.journal.RecordResult(kind, name, name, action); err != nil {
		return fault.New(fault.Internal, "note "+kind+" "+name+" in the journal", err)
	}
	return nil
}
