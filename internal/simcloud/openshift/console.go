package openshift

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/hostnet"
)

type probeState struct {
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

func (r *probeState) get() probeResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	copied := r.found
	copied.kubelets = maps.Clone(r.found.kubelets)
	return copied
}

func (r *probeState) set(change func(*probeResult)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.found
	before.kubelets = maps.Clone(before.kubelets)
	change(&r.found)
	if before.apps != r.found.apps || before.registry != r.found.registry || !maps.Equal(before.kubelets, r.found.kubelets) {
		r.changes++
	}
}

func (r *probeState) version() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changes
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

// runProbes probes in the background: the controllers must not block on the network.
func (k *controllers) runProbes(ctx context.Context) {
	k.probes.set(func(r *probeResult) {
		*r = probeResult{apps: probeUnproved, registry: probeUnproved, kubelets: map[string]bool{}}
	})
	if _, bootstrap := k.machine.ReadFile(optOpenShift + "install-config.yaml"); bootstrap {
		return // only what masters see counts
	}
	for ctx.Err() == nil {
		k.checkKubelets(ctx)
		k.checkRegistry(ctx)
		if _, ok := k.objects.Get(routeResource, "openshift-console", "console"); ok {
			apps := k.checkApps(ctx)
			k.probes.set(func(r *probeResult) { r.apps = apps })
		}
		_ = k.clock.Sleep(ctx, k.probes.get().pause())
	}
}

func (k *controllers) checkKubelets(ctx context.Context) {
	known := k.probes.get().kubelets
	for _, node := range k.buildSnapshot().nodes {
		if known[node.Name()] || hostnet.CheckPort(ctx, k.getTimeout(), k.machine, getInternalAddress(node), kubeletPort) != nil {
			continue
		}
		k.probes.set(func(r *probeResult) { r.kubelets[node.Name()] = true })
	}
}

func (k *controllers) consoleHost() string { return "console-openshift-console." + k.getAppsDomain() }

func (k *controllers) loginHost() string { return "oauth-openshift." + k.getAppsDomain() }

func (k *controllers) checkApps(ctx context.Context) string {
	for _, host := range []string{k.consoleHost(), k.loginHost()} {
		if err := k.checkRoute(ctx, host); err != nil {
			return err.Error()
		}
	}
	return ""
}

// checkRoute opens a route from a master as a browser would: DNS, elastic IP, load balancer, security groups, router and
// certificate must all be right.
func (k *controllers) checkRoute(ctx context.Context, host string) error {
	ctx, cancel := context.WithTimeout(ctx, k.getTimeout())
	defer cancel()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(k.record().Files["router-ca.crt"])
	transport := k.machine.Network().NewTransport()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, CurvePreferences: []tls.CurveID{tls.X25519}}
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

// syncConsole creates the routes of the console, the login and Alertmanager.
func (k *controllers) syncConsole(_ context.Context, seen clusterSnapshot) error {
	if _, ingress := k.objects.Get(ingressResource, operatorNamespace, "default"); !ingress {
		return nil
	}
	routes := map[string]string{"openshift-console/console": k.consoleHost(), "openshift-authentication/oauth-openshift": k.loginHost(),
		monitoring + "/" + alertmanager: k.alertmanagerHost()}
	for name, host := range routes {
		if err := k.route(name, host, seen.countReadyPods(routerApp) > 0); err != nil {
			return err
		}
	}
	return nil
}

func (k *controllers) route(name, host string, admitted bool) error {
	namespace, name, _ := strings.Cut(name, "/")
	route := kube.Object{"metadata": kube.Object{"name": name}, "spec": kube.Object{"host": host, "to": kube.Object{"kind": "Service", "name": name},
		"tls": kube.Object{"termination": "reencrypt"}}}
	if err := k.objects.Ensure(routeResource, namespace, route, nil); err != nil || !admitted {
		return err
	}
	canonical := "router-default." + k.getAppsDomain()
	_, err := k.objects.Update(routeResource, namespace, name, func(o kube.Object) error {
		if len(o.List("status.ingress")) == 0 {
			o.Set("status.ingress", []kube.Object{{"host": host, "routerName": "default", "routerCanonicalHostname": canonical,
				"conditions": []kube.Object{{"type": "Admitted", "status": "True", "lastTransitionTime": k.now()}}}})
		}
		return nil
	})
	return err
}
