package openshift_test

import (
	"encoding/base64"
	"net/http"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/kube"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const (
	registryConfig    = "configs.imageregistry.operator.openshift.io"
	samplesConfig     = "configs.samples.operator.openshift.io"
	registryNamespace = "openshift-image-registry"
	registrySecret    = "image-registry-private-configuration-user"
	registryKeySecret = "the-secret-of-the-bucket"
)

type registry struct {
	*rehearsal
	t *testing.T
}

func rehearseRegistry(t *testing.T) registry {
	t.Helper()
	r := registry{rehearse(t), t}
	for _, group := range []string{"imageregistry.operator.openshift.io", "samples.operator.openshift.io"} {
		kind := kube.Kind{Group: group, Version: "v1", Resource: "configs", Kind: "Config"}
		r.put(t, "customresourcedefinitions.apiextensions.k8s.io", "", kind.Definition())
	}
	r.put(t, "clusteroperators.config.openshift.io", "", named("openshift-samples"))
	return r
}

// start creates the operator's configuration as on a platform without storage.
func (r registry) start(config string) {
	r.put(r.t, config, "", with(with(named("cluster"), "spec.managementState", "Removed"), "spec.storage", map[string]any{}))
}

func (r registry) ensure() (state.Action, error) {
	bucket := state.Bucket{Name: "c-1-image-registry", Region: "ch-gva-2", Endpoint: "https://sos-ch-gva-2.exo.io"}
	return r.EnsureRegistryAccess(r.t.Context(), bucket, state.APIKey{Name: "c-1_object_storage", Key: "EXOkey", Secret: registryKeySecret},
		state.Placement{NodeLabel: "node-role.kubernetes.io/infra", Replicas: 2})
}

func (r registry) expect(want state.Action) {
	r.t.Helper()
	if got, err := r.ensure(); err != nil || got != want {
		r.t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func (r registry) spec(config string) map[string]any {
	found, _ := r.objects.Get(config, "", "cluster")
	return found.Map("spec")
}

func (r registry) key() (access, secret string) {
	found, _ := r.objects.Get("secrets", registryNamespace, registrySecret)
	plain := func(field string) string {
		text, _ := base64.StdEncoding.DecodeString(found.GetString("data." + field))
		return string(text)
	}
	return plain("REGISTRY_STORAGE_S3_ACCESSKEY"), plain("REGISTRY_STORAGE_S3_SECRETKEY")
}

// putKey creates the secret with another manager.
func (r registry) putKey(manager, access, secret string) {
	data := map[string]any{}
	for field, value := range map[string]string{"REGISTRY_STORAGE_S3_ACCESSKEY": access, "REGISTRY_STORAGE_S3_SECRETKEY": secret} {
		data[field] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	entry := map[string]any{"manager": manager, "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": map[string]any{
		"f:data": map[string]any{"f:REGISTRY_STORAGE_S3_ACCESSKEY": map[string]any{}, "f:REGISTRY_STORAGE_S3_SECRETKEY": map[string]any{}},
	}}
	r.put(r.t, "secrets", registryNamespace, with(with(named(registrySecret), "data", data), "metadata.managedFields", []any{entry}))
}

func inRegistry(t *testing.T, f func(*testing.T, registry)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, rehearseRegistry(t)) })
}

func TestEnsureRegistryAccess_KeyBeforeOperator(t *testing.T) {
	inRegistry(t, func(t *testing.T, r registry) {
		if _, err := r.ensure(); !fault.Is(err, fault.Transient) {
			t.Errorf("before the operator has started: %v", err)
		}
		if access, secret := r.key(); access != "EXOkey" || secret != registryKeySecret {
			t.Errorf("the secret holds %q and %q", access, secret)
		}
		r.start(registryConfig)
		if _, err := r.ensure(); !fault.Is(err, fault.Transient) {
			t.Errorf("before the samples operator has started: %v", err)
		}
		r.put(t, samplesConfig, "", with(named("cluster"), "spec.managementState", "Managed"))
		r.expect(state.Found)
	})
}

func TestEnsureRegistryAccess_RestoresRegistryAndSamples(t *testing.T) {
	inRegistry(t, func(t *testing.T, r registry) {
		r.start(registryConfig)
		r.start(samplesConfig)
		r.expect(state.Created)
		want := map[string]any{"managementState": "Managed", "storage": map[string]any{"managementState": "Unmanaged", "s3": map[string]any{
			"bucket": "c-1-image-registry", "region": "ch-gva-2", "regionEndpoint": "https://sos-ch-gva-2.exo.io",
		}}, "replicas": float64(2), "nodeSelector": map[string]any{"node-role.kubernetes.io/infra": ""},
			"tolerations": []any{map[string]any{"key": "node-role.kubernetes.io/infra", "operator": "Exists"}}}
		if diff := cmp.Diff(want, r.spec(registryConfig)); diff != "" {
			t.Error(diff)
		}
		if got := r.spec(samplesConfig)["managementState"]; got != "Managed" {
			t.Errorf("the samples are %v", got)
		}
		r.before = func(q *http.Request) {
			if q.Method != http.MethodGet {
				t.Errorf("the second time: %s %s", q.Method, q.URL)
			}
		}
		r.expect(state.Found)
	})
}

func TestEnsureRegistryAccess_KeepsForeignSettings(t *testing.T) {
	for name, decision := range map[string]struct {
		config, path string
		value        any
	}{
		"another storage":             {registryConfig, "spec.storage.pvc.claim", "images"},
		"a registry of their own":     {registryConfig, "spec.managementState", "Unmanaged"},
		"samples that nobody manages": {samplesConfig, "spec.managementState", "Unmanaged"},
	} {
		t.Run(name, func(t *testing.T) {
			inRegistry(t, func(t *testing.T, r registry) {
				r.start(registryConfig)
				r.start(samplesConfig)
				r.change(t, decision.config, "", "cluster", decision.path, decision.value)
				before := r.spec(decision.config)
				r.expect(state.Created) // the secret is harmless
				if diff := cmp.Diff(before, r.spec(decision.config)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestEnsureRegistryAccess_KeepsRemoved(t *testing.T) {
	inRegistry(t, func(t *testing.T, r registry) {
		r.start(registryConfig)
		r.start(samplesConfig)
		r.expect(state.Created)
		for _, config := range []string{registryConfig, samplesConfig} {
			r.change(t, config, "", "cluster", "spec.managementState", "Removed")
		}
		r.expect(state.Found)
		for _, config := range []string{registryConfig, samplesConfig} {
			if got := r.spec(config)["managementState"]; got != "Removed" {
				t.Errorf("%s is %v", config, got)
			}
		}
	})
}

func TestEnsureRegistryAccess_WithoutSamples(t *testing.T) {
	inRegistry(t, func(t *testing.T, r registry) {
		if _, err := r.objects.Delete("clusteroperators.config.openshift.io", "", "openshift-samples"); err != nil {
			t.Fatal(err)
		}
		r.start(registryConfig)
		r.expect(state.Created)
	})
}

func TestEnsureRegistryAccess_RewritesOwnWrongKey(t *testing.T) {
	for name, test := range map[string]struct {
		manager, access, secret string
		want                    state.Action
		access2                 string
	}{
		"right":                {"somebody", "EXOkey", registryKeySecret, state.Found, "EXOkey"},
		"ours and replaced":    {"exoshift", "EXOold", "old", state.Updated, "EXOkey"},
		"of somebody else":     {"argocd-controller", "EXOtheirs", "theirs", state.Found, "EXOtheirs"},
		"of nobody that works": {"argocd-controller", "EXOtheirs", "", state.Updated, "EXOkey"},
	} {
		t.Run(name, func(t *testing.T) {
			inRegistry(t, func(t *testing.T, r registry) {
				r.put(t, registryConfig, "", with(named("cluster"), "spec.managementState", "Unmanaged"))
				r.put(t, samplesConfig, "", with(named("cluster"), "spec.managementState", "Managed"))
				r.putKey(test.manager, test.access, test.secret)
				r.expect(test.want)
				if access, _ := r.key(); access != test.access2 {
					t.Errorf("the secret holds %q", access)
				}
			})
		})
	}
}

func TestEnsureRegistryAccess_RetriesConflict(t *testing.T) {
	inRegistry(t, func(t *testing.T, r registry) {
		r.start(registryConfig)
		r.start(samplesConfig)
		changed := false
		r.before = func(q *http.Request) {
			if q.Method == http.MethodPatch && !changed {
				changed = true
				r.change(t, registryConfig, "", "cluster", "spec.storage.pvc.claim", "images")
			}
		}
		r.expect(state.Created)
		if diff := cmp.Diff(map[string]any{"pvc": map[string]any{"claim": "images"}}, r.spec(registryConfig)["storage"]); diff != "" {
			t.Error(diff)
		}
	})
}

// earlier creates a registry with our bucket and a single replica, whose number a manager wrote.
func (r registry) earlier(manager string) {
	config := with(with(named("cluster"), "spec.managementState", "Managed"), "spec.storage.s3.bucket", "c-1-image-registry")
	r.put(r.t, registryConfig, "", with(with(config, "spec.replicas", 1), "metadata.managedFields", []any{map[string]any{
		"manager": manager, "operation": "Update", "fieldsType": "FieldsV1",
		"fieldsV1": map[string]any{"f:spec": map[string]any{"f:replicas": map[string]any{}}},
	}}))
	r.put(r.t, samplesConfig, "", with(named("cluster"), "spec.managementState", "Managed"))
}

func TestEnsureRegistryAccess_KeepsReplicasOfOthers(t *testing.T) {
	for manager, want := range map[string]float64{"cluster-image-registry-operator": 2, "kubectl-edit": 1} {
		inRegistry(t, func(t *testing.T, r registry) {
			r.earlier(manager)
			r.expect(state.Created) // the secret
			got := r.spec(registryConfig)
			if replicas, _ := got["replicas"].(float64); replicas != want {
				t.Errorf("one replica by %s: now %v, want %v", manager, got["replicas"], want)
			}
			if diff := cmp.Diff(map[string]any{"node-role.kubernetes.io/infra": ""}, got["nodeSelector"]); diff != "" {
				t.Errorf("by %s: %s", manager, diff)
			}
			r.expect(state.Found)
		})
	}
}

func TestEnsureMonitoringPlacement_CreatesOnce(t *testing.T) {
	inRegistry(t, func(t *testing.T, r registry) {
		place := func() (state.Action, error) {
			return r.EnsureMonitoringPlacement(t.Context(), "node-role.kubernetes.io/infra")
		}
		if _, err := place(); !fault.Is(err, fault.Transient) {
			t.Errorf("without the namespace: %v", err)
		}
		r.put(t, "namespaces", "", named("openshift-monitoring"))
		for _, want := range []state.Action{state.Created, state.Found} {
			if got, err := place(); err != nil || got != want {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
		config, _ := r.objects.Get("configmaps", "openshift-monitoring", "cluster-monitoring-config")
		var components map[string]struct {
			NodeSelector map[string]string `json:"nodeSelector"`
		}
		content, _ := config.Map("data")["config.yaml"].(string)
		if err := yaml.Unmarshal([]byte(content), &components); err != nil {
			t.Fatal(err)
		}
		if _, ok := components["prometheusK8s"].NodeSelector["node-role.kubernetes.io/infra"]; !ok || len(components) != 9 {
			t.Errorf("placed: %v", components)
		}
		r.change(t, "configmaps", "openshift-monitoring", "cluster-monitoring-config", "data.config", "theirs")
		if got, err := place(); err != nil || got != state.Found {
			t.Errorf("a configuration of someone else: %q, %v", got, err)
		}
	})
}

func TestEnsureRegistryAccess_RefusesInvalidKey(t *testing.T) {
	inRegistry(t, func(t *testing.T, r registry) {
		_, err := r.EnsureRegistryAccess(t.Context(), state.Bucket{Name: "b"}, state.APIKey{Name: "c-1_object_storage", Key: "EXOkey"}, state.Placement{})
		if !fault.Is(err, fault.Invalid) || r.requests.Load() != 0 {
			t.Errorf("%v, after %d requests", err, r.requests.Load())
		}
	})
}
