package main

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"exoshift/internal/simcloud"
	"exoshift/provisioner"
)

// What changes in the cluster is told at the next look at it: 5 seconds later at most. The cluster notes whole seconds.
func TestEveryNodeThatBecomesReadyIsToldWithinOneInterval(t *testing.T) {
	long(t)
	t.Parallel()
	virtually(t, "happy", func(t *testing.T, s session, _ *simcloud.Zone) {
		out, err := finish(t, s)
		if err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		told := map[string]time.Time{}
		for _, e := range eventsOf(t, out) {
			if _, before := told[e.Name]; e.Type == provisioner.TypeNode && e.State == "Ready" && !before {
				told[e.Name] = e.Time
			}
		}
		const interval, rounding = 5 * time.Second, time.Second
		nodes := nodesOf(t, s)
		if len(nodes) != len(s.spec.Nodes()) {
			t.Fatalf("%d nodes", len(nodes))
		}
		for _, node := range nodes {
			for _, condition := range node.Status.Conditions {
				late := told[node.Name].Sub(condition.LastTransitionTime.Time)
				if condition.Type == corev1.NodeReady && (late < 0 || late > interval+rounding) {
					t.Errorf("%s was told to be Ready %s after it was", node.Name, late)
				}
			}
		}
	})
}

// nodesOf asks the cluster for its nodes.
func nodesOf(t *testing.T, s session) []corev1.Node {
	t.Helper()
	kubeconfig, err := s.kubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.Dial = s.net.Dial
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+"/api/v1/nodes", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var list corev1.NodeList
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list.Items
}
