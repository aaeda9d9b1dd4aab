package main

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"exoshift/internal/app/run"
	"exoshift/provisioner"
)

// Changes in the cluster are reported by the next poll: after 5 seconds at most. The cluster's timestamps are whole seconds.
func nodesToldInTime(t *testing.T, s run.Run) {
	t.Helper()
	found := map[string]time.Time{}
	for _, e := range toldEvents(t, s) {
		if _, before := found[e.Name]; e.Type == provisioner.TypeNode && e.State == "Ready" && !before {
			found[e.Name] = e.Time
		}
	}
	const interval, rounding = 5 * time.Second, time.Second
	nodes := nodesOf(t, s)
	if len(nodes) != len(s.Spec.Nodes()) {
		t.Fatalf("%d nodes", len(nodes))
	}
	for _, node := range nodes {
		for _, condition := range node.Status.Conditions {
			late := found[node.Name].Sub(condition.LastTransitionTime.Time)
			if condition.Type == corev1.NodeReady && (late < 0 || late > interval+rounding) {
				t.Errorf("%s was told to be Ready %s after it was", node.Name, late)
			}
		}
	}
}

func nodesOf(t *testing.T, s run.Run) []corev1.Node {
	t.Helper()
	var list corev1.NodeList
	askCluster(t, s, http.MethodGet, "/api/v1/nodes", &list)
	return list.Items
}
