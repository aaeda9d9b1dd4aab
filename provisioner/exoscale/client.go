// Package exoscale is a client of the Exoscale API, built on egoscale/v2: it ensures objects by name, treats deletions of missing
// objects as success, and returns every failure with a kind and a hint.
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

// Journal records each intended change and its result, so that a later run can distinguish an interrupted change from one that
// never began. Both methods return only when the entry is safe on disk.
//
// If a journal also has the method Open(kind, name string) bool, which reports whether an intent has no result, the client
// reports such an object as state.Adopted when it finds it.
type Journal interface {
	RecordIntent(kind, name string) error
	RecordResult(kind, name, id string, action state.Action) error
}

const (
	// The API's own clients use the same interval.
	pollInterval = 3 * time.Second
	// Registering a template can take more than an hour.
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
	preview bool // changes nothing; see WithPreview
}

// New returns a client for a zone, e.g. "ch-gva-2". It sends no requests. Call Close when the client is no longer needed.
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

// call wraps every call of egoscale: it sets the zone (some of egoscale's methods omit it and would use another host), recovers
// panics over unexpected responses, and translates failures.
func call[T any](ctx context.Context, c *Client, op string, do func(context.Context) (T, error)) (result T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fault.Newf(fault.Internal, op, "the API gave an unexpected answer: %v", cause)
		}
	}()
	result, err = do(api.WithEndpoint(ctx, api.NewReqEndpoint("", c.zone)))
	return result, c.translate(ctx, op, err)
}

func deref[T any](field *T) T {
	if field == nil {
		var zero T
		return zero
	}
	return *field
}

func omitEmpty[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
