package openshift

import (
	"context"
	"flag"
	"io"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"

	"k8s.io/klog/v2"
)

// requestTimeout ends a request that nobody answers. It is short: API servers come and go while the control plane
// moves from the bootstrap machine to the masters, and the next request may meet another one.
const requestTimeout = 10 * time.Second

// Cluster is the API of the cluster that is being installed. It only lists and polls: watches would break whenever
// an API server is replaced. Errors of an API that does not answer are fault.Transient.
type Cluster struct {
	net        network.Network
	kubeconfig func() ([]byte, error)

	mu       sync.Mutex
	api      *api // nil until the kubeconfig could be read
	progress progress
}

// NewCluster returns the cluster of a kubeconfig, which is read on the first use, and once. The API is reached
// through net, and trusted and authenticated to by what the kubeconfig embeds.
func NewCluster(net network.Network, kubeconfig func() ([]byte, error)) *Cluster {
	silenceLibrary()
	return &Cluster{net: net, kubeconfig: kubeconfig, progress: newProgress()}
}

// Close drops idle connections; the Cluster stays usable.
func (c *Cluster) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.api != nil {
		c.api.http.CloseIdleConnections()
	}
}

// connect returns the API, loading the kubeconfig if no call has before.
func (c *Cluster) connect(ctx context.Context) (*api, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if c.api != nil {
		return c.api, nil
	}
	content, err := c.kubeconfig()
	if err != nil {
		return nil, fault.New(fault.NotFound, "read the cluster's kubeconfig", err)
	}
	c.api, err = newAPI(c.net, content)
	return c.api, err
}

// silenceLibrary keeps client-go from writing to the terminal: what matters comes back as an error.
func silenceLibrary() {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("stderrthreshold", "FATAL")
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}
