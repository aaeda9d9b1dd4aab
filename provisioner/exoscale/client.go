// Package exoscale is the Exoscale API as the recipe needs it: objects are ensured by name, deletions are content
// with what is gone already, and every failure has a kind and says what to do next. It speaks through egoscale/v2.
package exoscale

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	v2 "github.com/exoscale/egoscale/v2"
	"github.com/exoscale/egoscale/v2/api"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state"
)

// Journal keeps what is about to be changed and what became of it, so that a run that was killed in between can be
// told from one that never began. Both methods return only when the entry is safe on disk.
//
// A journal that also has the method Open(kind, name string) bool, which tells of an intent without a result, makes
// the client report such an object as state.Adopted when it finds it.
type Journal interface {
	RecordIntent(kind, name string) error
	RecordResult(kind, name, id string, action state.Action) error
}

const (
	// pollInterval is how often a pending operation is asked for; the API's own clients use the same.
	pollInterval = 3 * time.Second
	// operationLimit bounds the wait for one operation. Registering a template can take more than an hour.
	operationLimit = 3 * time.Hour
)

// Client is one organization in one zone. Its methods may be called concurrently.
type Client struct {
	api     *v2.Client
	rest    rest
	http    *http.Transport
	zone    string
	clock   network.Clock
	journal Journal
	types   typeCache
	groups  keyedMutex
	preview bool // changes nothing; see Preview
}

// New returns a client for a zone, e.g. "ch-gva-2". It contacts nobody. Call Close when it is no longer needed.
func New(net network.Network, zone, key, secret string, journal Journal) (*Client, error) {
	const op = "set up the Exoscale client"
	if journal == nil {
		return nil, fault.New(fault.Internal, op, errors.New("there is no journal"))
	}
	if zone == "" || strings.ContainsAny(zone, "./:@?#") { // it becomes a part of a host name
		return nil, fault.Newf(fault.Invalid, op, "%q is not a zone", zone).WithHint("%s", zoneHint)
	}
	inner := net.NewTransport()
	through := newTransport(inner, net.Clock, secret)
	client, err := v2.NewClient(key, secret,
		v2.ClientOptWithHTTPClient(&http.Client{Transport: through}),
		v2.ClientOptWithPollInterval(net.Clock.ToWall(pollInterval)),
		v2.ClientOptWithTimeout(max(net.Clock.ToWall(operationLimit), time.Minute)),
	)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err).WithHint("set the API key and its secret")
	}
	plain, err := newRest(through, zone, key, secret)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err).WithHint("set the API key and its secret")
	}
	return &Client{api: client, rest: plain, http: inner, zone: zone, clock: net.Clock, journal: journal}, nil
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// call is the boundary to egoscale: it names the zone (some of egoscale's calls forget it and would go to another
// host), turns panics over unexpected answers into errors, and translates failures.
func call[T any](ctx context.Context, c *Client, op string, do func(context.Context) (T, error)) (result T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fault.Newf(fault.Internal, op, "the API gave an unexpected answer: %v", cause)
		}
	}()
	result, err = do(api.WithEndpoint(ctx, api.NewReqEndpoint("", c.zone)))
	return result, c.translate(ctx, op, err)
}

// deref is what an optional field of the API holds, or the zero value.
func deref[T any](field *T) T {
	if field == nil {
		var zero T
		return zero
	}
	return *field
}

// omitEmpty leaves out what is empty.
func omitEmpty[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
