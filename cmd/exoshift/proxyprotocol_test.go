package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
)

// protocolChanged requires that the routers change to plain TCP, and back, without one request of a client that is refused.
func protocolChanged(t *testing.T, s run.Run, _ *simcloud.Zone) {
	pass(t, s, 5*time.Minute) // caches of resolvers, and a zone that has just been opened
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	var failures []string
	requests := 0
	console := newConsoleClient(t, s)
	var running sync.WaitGroup
	running.Go(func() {
		for ctx.Err() == nil {
			err := console.open(ctx)
			mu.Lock()
			if requests++; err != nil && ctx.Err() == nil {
				failures = append(failures, fmt.Sprintf("%s: %v", s.Net.Clock.Now().Format(time.TimeOnly), err))
			}
			mu.Unlock()
			_ = s.Net.Clock.Sleep(ctx, time.Second)
		}
	})
	for _, proxied := range []bool{false, true} {
		changed := s
		changed.Spec.LoadBalancer.ProxyProtocol = proxied
		if names := pending(t, changed); !slices.Equal(names, []string{"updated ingress-controller default"}) {
			t.Errorf("PROXY protocol %t: the plan has %v", proxied, names)
		}
		if done := repaired(t, changed); !slices.Equal(done, []string{"updated ingress-controller default"}) {
			t.Errorf("PROXY protocol %t: done is %v", proxied, done)
		}
		pass(t, s, 5*time.Minute) // for two routers
		if names := pending(t, changed); len(names) > 0 {
			t.Errorf("PROXY protocol %t: still to do: %v", proxied, names)
		}
		want := map[bool]string{true: "PROXY", false: "TCP"}[proxied]
		if got := routerProtocols(t, s); !slices.Equal(got, []string{want, want}) {
			t.Errorf("PROXY protocol %t: the routers speak %v", proxied, got)
		}
	}
	stop()
	running.Wait()
	if len(failures) > 0 || requests < 500 {
		t.Errorf("%d of %d requests failed: %v", len(failures), requests, failures)
	}
}

func routerProtocols(t *testing.T, s run.Run) []string {
	t.Helper()
	var pods struct {
		Items []struct {
			Metadata struct{ Annotations map[string]string }
		}
	}
	askCluster(t, s, http.MethodGet, "/api/v1/namespaces/openshift-ingress/pods", &pods)
	var protocols []string
	for _, pod := range pods.Items {
		protocols = append(protocols, pod.Metadata.Annotations["protocol"])
	}
	return protocols
}

// consoleClient opens the console as a browser outside would, by a new connection each time.
type consoleClient struct {
	http.Client
	address string
}

func newConsoleClient(t *testing.T, s run.Run) *consoleClient {
	t.Helper()
	var bundle struct{ Data map[string]string }
	askCluster(t, s, http.MethodGet, "/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert", &bundle)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(bundle.Data["ca-bundle.crt"])) {
		t.Fatal("the ingress has no authority")
	}
	transport := &http.Transport{DialContext: s.Net.Dial, DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	return &consoleClient{http.Client{Transport: transport, Timeout: clientTimeout}, facts(t, s).ConsoleURL}
}

func (c *consoleClient) open(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address, nil)
	if err != nil {
		return err
	}
	answer, err := c.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %w", answer.Status, err)
	}
	return nil
}
