package main

import (
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"exoshift/internal/app/run"
	"exoshift/state"
)

func registryInBucket(t *testing.T, s run.Run) {
	t.Helper()
	const registry, samples = "/apis/imageregistry.operator.openshift.io/v1/configs/cluster", "/apis/samples.operator.openshift.io/v1/configs/cluster"
	if bucket := fieldOf(t, s, registry, "spec", "storage", "s3", "bucket"); bucket != s.Spec.Bucket("image-registry") {
		t.Errorf("the registry's bucket is %q", bucket)
	}
	var config struct{ Spec struct{ Replicas int } }
	askCluster(t, s, http.MethodGet, registry, &config)
	if config.Spec.Replicas != 2 {
		t.Errorf("the registry has %d replicas", config.Spec.Replicas)
	}
	const monitoring = "/api/v1/namespaces/openshift-monitoring/configmaps/cluster-monitoring-config"
	if placed := fieldOf(t, s, monitoring, "data", "config.yaml"); !strings.Contains(placed, "node-role.kubernetes.io/infra") {
		t.Errorf("the configuration of the monitoring: %q", placed)
	}
	for path, what := range map[string]string{registry: "registry", samples: "samples"} {
		if got := fieldOf(t, s, path, "spec", "managementState"); got != "Managed" {
			t.Errorf("the operator of the %s is %q", what, got)
		}
	}
	key, err := s.Folder.LoadAPIKey(s.Spec.Cluster.ID + "_object_storage")
	if err != nil || key.Secret == "" {
		t.Fatalf("the key of the buckets: %v", err)
	}
	for _, file := range []string{state.EventsFile, state.JournalFile} {
		if content, err := s.Folder.Read(file); err != nil || strings.Contains(string(content), key.Secret) {
			t.Errorf("%s holds the secret of the buckets, or cannot be read (%v)", file, err)
		}
	}
}

// fieldOf reads a field of an object of the cluster, "" if there is none.
func fieldOf(t *testing.T, s run.Run, path string, field ...string) string {
	t.Helper()
	var object map[string]any
	askCluster(t, s, http.MethodGet, path, &object)
	value, _, _ := unstructured.NestedString(object, field...)
	return value
}
