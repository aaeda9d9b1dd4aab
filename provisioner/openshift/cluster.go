package openshift

import (
	"bytes"
	"context"
	"flag"
	"io"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"

	"k8s.io/klog/v2"
)

// requestTimeout is short: API servers come and go while the control plane moves from the bootstrap machine to the masters, and
// the next request may reach another one.
const requestTimeout = 10 * time.Second

// Cluster is the API of the cluster that is being installed. It only lists and polls: watches would break whenever an API server
// is replaced. Errors of an API that does not answer are fault.Transient.
type Cluster struct {
	net        network.Network
	kubeconfig func() ([]byte, error)

	probes  bootstrapProbes
	counter requestCounter

	mu         sync.Mutex
	loaded     []byte // the kubeconfig of api
	api        *api   // nil until the kubeconfig could be read
	history    history
	approvable []approvable // the requests of the last poll that may be approved
}

// NewCluster returns the cluster of a kubeconfig, which is read on every use: a different kubeconfig means a different cluster,
// whose history is empty. The API is reached through net, with the CAs and credentials that the kubeconfig embeds.
func NewCluster(net network.Network, kubeconfig func() ([]byte, error)) *Cluster {
	disableKlog()
	return &Cluster{net: net, kubeconfig: kubeconfig, history: newHistory()}
}

// Close stops background probes and closes idle connections; the Cluster stays usable.
func (c *Cluster) Close() {
	c.probes.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.api != nil {
		c.api.http.CloseIdleConnections()
	}
}

func (c *Cluster) connect(ctx context.Context) (*api, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	content, err := c.kubeconfig()
	if err != nil {
		return nil, fault.New(fault.NotFound, "read the cluster's kubeconfig", err)
	}
	if c.api != nil && bytes.Equal(content, c.loaded) {
		return c.api, nil
	}
	connected, err := newAPI(c.net, content, &c.counter)
	if err != nil {
		return nil, err
	}
	if c.api != nil {
		c.api.http.CloseIdleConnections()
		c.history, c.approvable = newHistory(), nil
	}
	c.api, c.loaded = connected, content
	return c.api, nil
}

// disableKlog keeps client-go from writing to the terminal: errors are returned anyway. The library's logger is global to the
// process, so this is done once.
var disableKlog = sync.OnceFunc(func() { //nolint:gochecknoglobals // it is about what the process has one of
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("stderrthreshold", "FATAL")
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
})
