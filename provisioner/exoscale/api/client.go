// Package api sends requests to the Exoscale API of one zone: by egoscale/v2, and directly where that lacks something. Every failure has
// a kind and a hint, and every change is recorded in the journal. It knows no kind of resource.
package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	v2 "github.com/exoscale/egoscale/v2"
	"github.com/exoscale/egoscale/v2/api"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state"
)

// maxParallel is an estimate: the API has no published limit.
const maxParallel = 5

// Client is one organization in one zone. Its methods may be called concurrently.
type Client struct {
	rest
	V2        *v2.Client // only within Call
	Zone      string     // e.g. "ch-gva-2"
	Clock     network.Clock
	transport *http.Transport
	outages   *outageTracker
	changes   chan struct{} // full while maxParallel changes are being requested
	journal   state.Recorder
	preview   bool // changes nothing; see WithPreview
}

// New returns a client for a zone. It sends no requests. Call Close when the client is no longer needed.
func New(net network.Network, zone, key, secret string, journal state.Recorder) (*Client, error) {
	const op = "set up the Exoscale client"
	if journal == nil {
		return nil, fault.New(fault.Internal, op, errors.New("the journal is missing"))
	}
	if zone == "" || strings.ContainsAny(zone, "./:@?#") { // it becomes a part of a host name
		return nil, fault.Newf(fault.Invalid, op, "%q is not a zone", zone).WithHint("%s", ZoneHint)
	}
	c := newClient(net, zone, secret)
	c.journal = journal
	var err error
	if c.signer, err = api.NewSecurityProvider(key, secret); err != nil {
		return nil, fault.New(fault.Invalid, op, err).WithHint("set the API key and its secret")
	}
	c.V2, err = v2.NewClient(key, secret,
		v2.ClientOptWithHTTPClient(&http.Client{Transport: c.http.Transport}),
		v2.ClientOptWithPollInterval(net.Clock.ToWall(PollInterval)),
		v2.ClientOptWithTimeout(max(net.Clock.ToWall(operationLimit), time.Minute)),
	)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err).WithHint("set the API key and its secret")
	}
	return c, nil
}

// NewUnsigned returns a client without credentials, for GetUnsigned.
func NewUnsigned(net network.Network, zone string) *Client { return newClient(net, zone, "") }

func newClient(net network.Network, zone, secret string) *Client {
	inner := net.NewTransport()
	outer := newTransport(net.Observed(inner), net.Clock, secret)
	return &Client{
		rest: rest{base: "https://api-" + zone + ".exoscale.com/v2", http: &http.Client{Transport: outer}},
		Zone: zone, Clock: net.Clock, transport: inner, outages: outer.outages, changes: make(chan struct{}, maxParallel),
	}
}

// WithPreview returns a client that reads but changes nothing: neither the cloud nor the journal. It shares the connections of c.
func (c *Client) WithPreview() *Client {
	preview := *c
	preview.preview = true
	return &preview
}

// OnOutage makes the client patient: once the API has answered, what may be repeated is repeated for AwayLimit instead of
// Attempts times. notify is called once when an outage is more than a moment, and once when it is over, never concurrently; it
// must not call the client.
func (c *Client) OnOutage(notify func(state.Outage)) { c.outages.listen(notify) }

// IsPreview reports whether the client changes nothing.
func (c *Client) IsPreview() bool { return c.preview }

// IsPreviewID reports whether an ID is that of an object which exists only in a preview.
func (c *Client) IsPreviewID(id string) bool { return c.preview && id == "" }

// Close closes idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Call wraps every call of egoscale: it sets the zone (some of egoscale's methods omit it and would use another host), recovers
// panics over unexpected responses, and translates failures.
func Call[T any](ctx context.Context, c *Client, op string, do func(context.Context) (T, error)) (result T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fault.Newf(fault.Internal, op, "unexpected response of the API: %v", cause)
		}
	}()
	result, err = do(api.WithEndpoint(ctx, api.NewReqEndpoint("", c.Zone)))
	return result, c.Translate(ctx, op, err)
}

// Translate gives every error a kind and a hint. An error that has them already is returned as it is.
func (c *Client) Translate(ctx context.Context, op string, err error) error {
	return translate(ctx, c.Zone, op, err)
}

// IgnoreNotFound returns nil for an object that does not exist, and every other error as it is.
func (c *Client) IgnoreNotFound(ctx context.Context, err error) error {
	if fault.Is(c.Translate(ctx, "delete", err), fault.NotFound) {
		return nil
	}
	return err
}

// ForEach calls do with 0 to n-1, as many calls at once as the API takes, and waits for all of them.
func ForEach(n int, do func(i int)) {
	var running sync.WaitGroup
	slots := make(chan struct{}, maxParallel)
	for i := range n {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	running.Wait()
}
