package operators

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/hostnet"
	"exoshift/internal/simcloud/openshift/upgrade"
)

// prober probes from the leading machine what the operators report.
type prober struct {
	*cluster.Cluster
	machine machine.Machine
	graph   *upgrade.Graph
	mu      sync.Mutex
	found   probeResult
	changes uint64 // of the results
}

// probeResult is why something cannot be reached from a master; "" if it can.
type probeResult struct {
	apps     string          // the routes, by their public name and address
	registry string          // the storage of the image registry
	kubelets map[string]bool // nodes whose kubelet was reached
}

func (k *prober) get() probeResult {
	k.mu.Lock()
	defer k.mu.Unlock()
	copied := k.found
	copied.kubelets = maps.Clone(k.found.kubelets)
	return copied
}

func (k *prober) set(change func(*probeResult)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.found
	before.kubelets = maps.Clone(before.kubelets)
	change(&k.found)
	if before.apps != k.found.apps || before.registry != k.found.registry || !maps.Equal(before.kubelets, k.found.kubelets) {
		k.changes++
	}
}

func (k *prober) version() uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.changes
}

func (r probeResult) pause() time.Duration {
	if r.apps == "" && (r.registry == "" || r.registry == probeUnproved) {
		return reprobeInterval
	}
	return probeInterval
}

const (
	// probeInterval is for unreachable targets; reachable ones are probed again after reprobeInterval.
	probeInterval   = 15 * time.Second
	reprobeInterval = time.Minute
	probeUnproved   = "not tried yet"
)

// run probes in the background: the controllers must not block on the network.
func (k *prober) run(ctx context.Context) {
	k.set(func(r *probeResult) {
		*r = probeResult{apps: probeUnproved, registry: probeUnproved, kubelets: map[string]bool{}}
	})
	if cluster.IsBootstrapHost(k.machine) {
		return // only what masters see counts
	}
	for ctx.Err() == nil {
		k.checkKubelets(ctx)
		k.checkRegistry(ctx)
		if _, ok := k.Objects.Get(cluster.RouteResource, "openshift-console", "console"); ok {
			apps := k.checkApps(ctx)
			k.set(func(r *probeResult) { r.apps = apps })
		}
		if k.graph.Refresh(ctx) {
			k.mu.Lock()
			k.changes++
			k.mu.Unlock()
		}
		_ = k.Clock.Sleep(ctx, k.get().pause())
	}
}

func (k *prober) checkKubelets(ctx context.Context) {
	known := k.get().kubelets
	settings, _ := k.Objects.Get(proxyResource, "", "cluster")
	for _, node := range k.Objects.List(cluster.NodeResource, "") {
		if known[node.Name()] || usesProxy(settings, GetInternalAddress(node)) || hostnet.CheckPort(ctx, k.Timeout(), k.machine, GetInternalAddress(node), KubeletPort) != nil {
			continue
		}
		k.set(func(r *probeResult) { r.kubelets[node.Name()] = true })
	}
}

const proxyResource = "proxies.config.openshift.io"

// usesProxy reports whether the API server would reach a kubelet through the cluster's proxy, which is for the outside: it refuses
// the port. Its environment is that of the first configuration; a change restarts it.
func usesProxy(settings kube.Object, address string) bool {
	choose := (&httpproxy.Config{HTTPSProxy: settings.GetString("status.httpsProxy"), NoProxy: settings.GetString("status.noProxy")}).ProxyFunc()
	chosen, err := choose(&url.URL{Scheme: "https", Host: net.JoinHostPort(address, strconv.Itoa(KubeletPort))})
	return err != nil || chosen != nil
}

func (k *prober) checkApps(ctx context.Context) string {
	for _, host := range []string{consoleHost(k.Cluster), loginHost(k.Cluster)} {
		if err := k.checkRoute(ctx, host); err != nil {
			return err.Error()
		}
	}
	return ""
}

// checkRoute opens a route from a master as a browser would: DNS, elastic IP, load balancer, security groups, router and
// certificate must all be right.
func (k *prober) checkRoute(ctx context.Context, host string) error {
	ctx, cancel := context.WithTimeout(ctx, k.Timeout())
	defer cancel()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(k.Record().Files["router-ca.crt"])
	transport := k.machine.Network().NewTransport()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, CurvePreferences: []tls.CurveID{tls.CurveP256}}
	transport.DisableKeepAlives = true
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+host+"/", nil)
	if err != nil {
		return err
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", request.URL, response.Status)
	}
	return nil
}

// KubeletPort is the port of the kubelets' API.
const KubeletPort = 10250
