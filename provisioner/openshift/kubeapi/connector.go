package kubeapi

import (
	"bytes"
	"context"
	"flag"
	"io"
	"maps"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"

	"k8s.io/klog/v2"
)

// requestTimeout is short: API servers come and go while the control plane moves from the bootstrap machine to the masters, and
// the next request may reach another one.
const requestTimeout = 10 * time.Second

// MaxClockSkew is how far the clocks of the cluster and of this machine may be apart.
const MaxClockSkew = 5 * time.Minute

// Connector connects to the API of a kubeconfig, which is read on every use: a different kubeconfig means a different cluster, and
// a new Client.
type Connector struct {
	Network    network.Network
	kubeconfig func() ([]byte, error)
	counter    requestCounter

	mu     sync.Mutex
	loaded []byte  // the kubeconfig of client
	client *Client // nil until the kubeconfig could be read
}

// NewConnector returns a connector that reaches the API through net, with the CAs and credentials that the kubeconfig embeds.
func NewConnector(net network.Network, kubeconfig func() ([]byte, error)) *Connector {
	disableKlog()
	return &Connector{Network: net, kubeconfig: kubeconfig}
}

// Close closes idle connections; the Connector stays usable.
func (c *Connector) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		c.client.Close()
	}
}

// Connect returns the client of the current kubeconfig: the same one as long as the kubeconfig stays the same. It sends nothing.
// fault.NotFound: the kubeconfig cannot be read; fault.Invalid: any server would be trusted with it.
func (c *Connector) Connect(ctx context.Context) (*Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	content, err := c.kubeconfig()
	if err != nil {
		return nil, fault.New(fault.NotFound, "read the cluster's kubeconfig", err)
	}
	if c.client != nil && bytes.Equal(content, c.loaded) {
		return c.client, nil
	}
	connected, err := newClient(c.Network, content, &c.counter)
	if err != nil {
		return nil, err
	}
	if c.client != nil {
		c.client.Close()
	}
	c.client, c.loaded = connected, content
	return c.client, nil
}

// Current returns the client of the last Connect, nil before the first one.
func (c *Connector) Current() *Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client
}

// ReadAuthorities returns the CAs of the kubeconfig, as PEM.
func (c *Connector) ReadAuthorities() ([]byte, error) {
	content, err := c.kubeconfig()
	if err != nil {
		return nil, err
	}
	return ParseAuthorities(content)
}

// CountRequests returns the number of requests to the API so far, by verb and kind: "list v1/nodes". Each page of a long list
// counts as one.
func (c *Connector) CountRequests() map[string]int {
	c.counter.mu.Lock()
	defer c.counter.mu.Unlock()
	return maps.Clone(c.counter.counts)
}

type requestCounter struct {
	mu     sync.Mutex
	counts map[string]int
}

func (t *requestCounter) count(verb string, where ResourcePath) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[verb+" "+string(where)]++
}

// disableKlog keeps the libraries of Kubernetes from writing to the terminal: errors are returned anyway. The library's logger is global to the
// process, so this is done once.
var disableKlog = sync.OnceFunc(func() { //nolint:gochecknoglobals // it is about what the process has one of
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("stderrthreshold", "FATAL")
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
})
