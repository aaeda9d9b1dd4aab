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
)

// reachability is what the leader finds out by trying.
type reachability struct {
	mu      sync.Mutex
	found   reached
	changes uint64 // of found
}

// reached tells why something cannot be reached from a master; "" if it can.
type reached struct {
	apps     string          // the routes, by the name and address that users take
	registry string          // the storage of the image registry
	kubelets map[string]bool // nodes whose kubelet was reached
}

func (r *reachability) get() reached {
	r.mu.Lock()
	defer r.mu.Unlock()
	copied := r.found
	copied.kubelets = maps.Clone(r.found.kubelets)
	return copied
}

func (r *reachability) set(change func(*reached)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.found
	before.kubelets = maps.Clone(before.kubelets)
	change(&r.found)
	if before.apps != r.found.apps || before.registry != r.found.registry || !maps.Equal(before.kubelets, r.found.kubelets) {
		r.changes++
	}
}

// version counts the changes.
func (r *reachability) version() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changes
}

// pause returns how long the next try may wait.
func (r reached) pause() time.Duration {
	if r.apps == "" && (r.registry == "" || r.registry == probeUnproved) {
		return reachedEvery
	}
	return probeEvery
}

const (
	// probeEvery is for what cannot be reached; what could, is tried again after reachedEvery.
	probeEvery    = 15 * time.Second
	reachedEvery  = time.Minute
	probeUnproved = "not tried yet"
)

// probe tries from time to time; the controllers must not wait for it.
func (k *controllers) probe(ctx context.Context) {
	k.reach.set(func(r *reached) {
		*r = reached{apps: probeUnproved, registry: probeUnproved, kubelets: map[string]bool{}}
	})
	if _, bootstrap := k.machine.ReadFile(optOpenShift + "install-config.yaml"); bootstrap {
		return // only what masters see counts
	}
	for ctx.Err() == nil {
		k.probeKubelets(ctx)
		k.probeRegistry(ctx)
		if _, ok := k.objects.Get(routeResource, "openshift-console", "console"); ok {
			apps := k.probeApps(ctx)
			k.reach.set(func(r *reached) { r.apps = apps })
		}
		_ = k.clock.Sleep(ctx, k.reach.get().pause())
	}
}

func (k *controllers) probeKubelets(ctx context.Context) {
	known := k.reach.get().kubelets
	for _, node := range k.look().nodes {
		if known[node.Name()] || knock(ctx, k.patience(), k.machine, addressOf(node), kubeletPort) != nil {
			continue
		}
		k.reach.set(func(r *reached) { r.kubelets[node.Name()] = true })
	}
}

func (k *controllers) consoleHost() string { return "console-openshift-console." + k.appsDomain() }

func (k *controllers) loginHost() string { return "oauth-openshift." + k.appsDomain() }

// probeApps tells what is wrong with the first route that cannot be opened, "" if nothing.
func (k *controllers) probeApps(ctx context.Context) string {
	for _, host := range []string{k.consoleHost(), k.loginHost()} {
		if err := k.probeRoute(ctx, host); err != nil {
			return err.Error()
		}
	}
	return ""
}

// probeRoute opens a route as a browser would, from a master: names, elastic IP, load balancer, security groups, router
// and certificate must all be right.
func (k *controllers) probeRoute(ctx context.Context, host string) error {
	ctx, cancel := context.WithTimeout(ctx, k.patience())
	defer cancel()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(k.record().Files["router-ca.crt"])
	transport := k.machine.Network().Transport()
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

// console is the console operator's route, which the ingress operator's canary and the login have like it.
func (k *controllers) console(_ context.Context, seen view) error {
	if _, ingress := k.objects.Get(ingressResource, operatorNamespace, "default"); !ingress {
		return nil
	}
	routes := map[string]string{"openshift-console/console": k.consoleHost(), "openshift-authentication/oauth-openshift": k.loginHost(),
		monitoring + "/" + alertmanager: k.alertmanagerHost()}
	for name, host := range routes {
		if err := k.route(name, host, seen.readyPods(routerApp) > 0); err != nil {
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
	canonical := "router-default." + k.appsDomain()
	_, err := k.objects.Change(routeResource, namespace, name, func(o kube.Object) error {
		if len(o.List("status.ingress")) == 0 {
			o.Set("status.ingress", []kube.Object{{"host": host, "routerName": "default", "routerCanonicalHostname": canonical,
				"conditions": []kube.Object{{"type": "Admitted", "status": "True", "lastTransitionTime": k.now()}}}})
		}
		return nil
	})
	return err
}
