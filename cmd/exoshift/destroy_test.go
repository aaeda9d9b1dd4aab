package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/app/exit"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/api/description"
	"exoshift/state"
)

func belongings(t *testing.T, s session) []string {
	t.Helper()
	var names []string
	for _, o := range everything(t, s) {
		names = append(names, o.Kind+" "+o.Name)
	}
	slices.Sort(names)
	return names
}

func everything(t *testing.T, s session) []state.Object {
	t.Helper()
	world, disconnect, err := teardownContext{spec: s.spec, secrets: s.secrets, net: s.net}.newClients(discardJournal{})
	if err != nil {
		t.Fatal(err)
	}
	defer disconnect()
	objects, err := world.Cloud.ListObjects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	buckets, err := world.Buckets.ListBuckets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return append(objects, buckets...)
}

// All requests and responses are validated against the official API description.
func TestADestroyedInstallationLeavesNoTrace(t *testing.T) {
	long(t)
	t.Parallel()
	described, err := description.Load()
	if err != nil {
		t.Fatal(err)
	}
	held := func(next http.Handler) http.Handler {
		return described.Validate(next, func(complaint error) { t.Error(complaint) })
	}
	external := func(spec *state.Spec) { spec.OpenShift.CloudControllerManager = "External" }
	virtuallyIn(t, circumstances{middleware: held, spec: external}, func(t *testing.T, s session, _ *simcloud.Zone) {
		before := belongings(t, s)
		if err := s.run(t.Context(), streams{out: io.Discard, err: os.Stderr}); err != nil {
			t.Fatal(err)
		}
		aimedAtOthers(t, s)
		d := destroyFlags{options: options{output: outputJSON}, confirmID: s.spec.Cluster.ID}
		destroyed := func(place teardownContext) {
			t.Helper()
			var out bytes.Buffer
			if err := d.clear(t.Context(), streams{out: &out, err: os.Stderr}, place); err != nil {
				t.Fatalf("%v\n%s", err, lastLines(out.String()))
			}
			var last struct {
				Type    string
				Objects []any
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Type != "inventory" || last.Objects == nil || len(last.Objects) > 0 {
				t.Errorf("the last line is no empty inventory: %v", err)
			}
		}
		place := teardownContext{spec: s.spec, secrets: s.secrets, net: s.net}
		destroyed(place) // without the folder, the template, which others may use, has no proof of ownership
		left := slices.DeleteFunc(belongings(t, s), func(name string) bool { return strings.HasPrefix(name, state.KindTemplate) })
		kept := append([]string{"bucket " + s.spec.Bucket(state.BucketBackups)}, before...)
		if diff := cmp.Diff(kept, left); diff != "" {
			t.Errorf("without the folder, -before and backups +after\n%s", diff)
		}
		d.deleteBackups = true
		place.folder, place.hasFolder = s.folder, true
		destroyed(place)
		if diff := cmp.Diff(before, belongings(t, s)); diff != "" {
			t.Errorf("with the folder, -before +after\n%s", diff)
		}
		facts, err := s.folder.LoadFacts()
		if err != nil || facts.Destroyed.IsZero() || facts.ClusterID != s.spec.Cluster.ID {
			t.Errorf("the folder knows %+v, %v", facts, err)
		}
		if err := s.run(t.Context(), streams{out: io.Discard, err: io.Discard}); exit.Code(err) != exit.Usage {
			t.Errorf("an installation into the folder of a destroyed cluster ends with %v", err)
		}
	})
}

// storageManifests returns the manifests of the CSI driver, with their collections.
func storageManifests(s session) [][2]string {
	return [][2]string{
		{"/api/v1/namespaces", `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "csi"}}`},
		{"/api/v1/namespaces/csi/serviceaccounts", `{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "csi", "namespace": "csi"}}`},
		{"/apis/rbac.authorization.k8s.io/v1/clusterroles", `{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "csi"}, "rules": [
			{"apiGroups": [""], "resources": ["persistentvolumes", "persistentvolumeclaims"], "verbs": ["*"]},
			{"apiGroups": ["storage.k8s.io"], "resources": ["storageclasses"], "verbs": ["get"]}]}`},
		{"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", `{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "csi"},
			"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "csi"},
			"subjects": [{"kind": "ServiceAccount", "name": "csi", "namespace": "csi"}]}`},
		{"/apis/storage.k8s.io/v1/storageclasses", `{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "block"}, "provisioner": "csi.exoscale.com"}`},
		{"/apis/apps/v1/namespaces/csi/deployments", fmt.Sprintf(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "csi", "namespace": "csi"}, "spec": {"replicas": 1,
			"selector": {"matchLabels": {"app": "csi"}}, "template": {"metadata": {"labels": {"app": "csi"}}, "spec": {
				"serviceAccountName": "csi", "containers": [{"name": "csi", "image": "docker.io/exoscale/csi-driver:0.32.0", "env": [
					{"name": "EXOSCALE_ZONE", "value": %q}, {"name": "EXOSCALE_API_KEY", "value": %q}, {"name": "EXOSCALE_API_SECRET", "value": %q}]}]}}}}`,
			s.spec.Exoscale.Zone, s.secrets.APIKey, s.secrets.APISecret)},
	}
}

// tenant has write access to a running cluster, and an API key of the organization.
type tenant struct{ backdoor }

func (n tenant) made(path string, body map[string]any) (id string) {
	n.t.Helper()
	return n.ask(http.MethodPost, path, body)["reference"].(map[string]any)["id"].(string)
}

func (n tenant) apply(path, object string) (uid string) {
	n.t.Helper()
	var answer struct {
		Message  string
		Metadata struct{ UID string }
	}
	tellCluster(n.t, n.s, http.MethodPost, path, object, &answer)
	if answer.Metadata.UID == "" {
		n.t.Fatalf("POST %s: %s", path, answer.Message)
	}
	return answer.Metadata.UID
}

// pool creates an instance pool of the cluster, with one machine.
func (n tenant) pool() (id string) {
	n.t.Helper()
	machines := n.ask(http.MethodGet, "/instance", nil)["instances"].([]any)
	like := n.ask(http.MethodGet, "/instance/"+machines[0].(map[string]any)["id"].(string), nil)
	return n.made("/instance-pool", map[string]any{
		"name": "web", "size": 1, "instance-type": map[string]any{"id": like["instance-type"].(map[string]any)["id"]}, "disk-size": 120,
		"template": map[string]any{"id": like["template"].(map[string]any)["id"]}, "labels": map[string]any{state.LabelCluster: n.s.spec.Cluster.ID},
	})
}

// service creates a Service of type LoadBalancer, with more annotations.
func (n tenant) service(name, pool, annotations string) (uid string) {
	n.t.Helper()
	return n.apply("/api/v1/namespaces/default/services", fmt.Sprintf(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": %q, "namespace": "default", "annotations": {
		"service.beta.kubernetes.io/exoscale-loadbalancer-service-instancepool-id": %q%s}}, "spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}}`,
		name, pool, annotations))
}

func (n tenant) claim(name, class string) (uid string) {
	n.t.Helper()
	return n.apply("/api/v1/namespaces/default/persistentvolumeclaims", fmt.Sprintf(`{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": %q, "namespace": "default"},
		"spec": {"storageClassName": %q, "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}}`, name, class))
}

// until waits for a cloud object with a name as a controller of the cluster creates it, and returns its ID.
func (n tenant) until(kind, name string) (id string) {
	n.t.Helper()
	for range 60 {
		for _, o := range everything(n.t, n.s) {
			if o.Kind == kind && o.Name == name {
				return o.ID
			}
		}
		n.check(n.s.net.Clock.Sleep(n.t.Context(), 10*time.Second))
	}
	n.t.Fatalf("no %s is called %s:\n%s", kind, name, strings.Join(belongings(n.t, n.s), "\n"))
	return ""
}

// aimedAtOthers has a tenant of a running cluster manipulate objects so that a teardown would delete foreign resources, and
// shows that it does not. Resources of the cluster's own controllers are found.
func aimedAtOthers(t *testing.T, s session) {
	t.Helper()
	n := tenant{backdoor{t, s}}
	theirBalancer, theirVolume := n.made("/load-balancer", map[string]any{"name": "shop"}), n.made("/block-storage", map[string]any{"name": "archive", "size": 10})
	for _, m := range storageManifests(s) {
		n.apply(m[0], m[1])
	}
	n.check(s.net.Clock.Sleep(t.Context(), time.Hour)) // the foreign resource is older than the Service that refers to it
	pool := n.pool()
	ownBalancer := n.until(state.KindLoadBalancer, "k8s-"+n.service("web", pool, ""))
	aimed := n.service("aimed", pool, fmt.Sprintf(`, "service.beta.kubernetes.io/exoscale-loadbalancer-id": %q`, theirBalancer))
	if renamed := n.until(state.KindLoadBalancer, "k8s-"+aimed); renamed != theirBalancer {
		t.Errorf("the cloud controller manager made %s, and did not take %s", renamed, theirBalancer)
	}
	ownVolume := n.until(state.KindVolume, "pvc-"+n.claim("data", "block"))
	n.check(s.net.Clock.Sleep(t.Context(), time.Minute)) // the controllers update the status of their objects
	n.apply("/api/v1/persistentvolumes", fmt.Sprintf(`{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "aimed", "annotations": {"pv.kubernetes.io/provisioned-by": "csi.exoscale.com"}},
		"spec": {"csi": {"driver": "csi.exoscale.com", "volumeHandle": "%s/%s"}, "claimRef": {"uid": %q, "namespace": "default", "name": "aimed"},
		"capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"]}}`, s.spec.Exoscale.Zone, theirVolume, n.claim("aimed", "")))

	var out bytes.Buffer
	facts, err := s.folder.LoadFacts()
	if err != nil {
		t.Fatal(err)
	}
	dry := destroyFlags{options: options{output: outputJSON}, dryRun: true}
	if err := dry.clear(t.Context(), streams{out: &out, err: os.Stderr}, teardownContext{spec: s.spec, secrets: s.secrets, net: s.net, folder: s.folder, hasFolder: true, facts: facts}); err != nil {
		t.Fatal(err)
	}
	var inventory struct {
		Objects, Kept []struct{ ID, Proof, Reason string }
	}
	if err := json.Unmarshal(out.Bytes(), &inventory); err != nil {
		t.Fatal(err)
	}
	how := map[string]string{}
	for _, o := range inventory.Objects {
		how[o.ID] = o.Proof
		if !slices.Contains([]string{"label", "journal", "recipe-name", "both-sides", "owner-mark"}, o.Proof) {
			t.Errorf("%+v is proven in no known way", o)
		}
	}
	for _, o := range inventory.Kept {
		how[o.ID] = o.Reason
	}
	for id, want := range map[string]string{
		theirBalancer: "not proven: service default/aimed claims it", theirVolume: "not proven: persistent volume aimed claims it",
		ownBalancer: "both-sides", ownVolume: "both-sides", s.spec.Bucket("logstore"): "owner-mark", s.spec.Cluster.ID + "-admin": "journal",
	} {
		if !strings.HasPrefix(how[id], want) {
			t.Errorf("%s: %q, want %q", id, how[id], want)
		}
	}
	for _, id := range []string{theirBalancer, ownBalancer} {
		n.ask(http.MethodDelete, "/load-balancer/"+id, nil)
	}
	for _, id := range []string{theirVolume, ownVolume} {
		n.ask(http.MethodDelete, "/block-storage/"+id, nil)
	}
}

func TestOnlyTheTypedIDIsAYes(t *testing.T) {
	for typed, want := range map[string]int{"c-1\n": exit.OK, " c-1 \n": exit.OK, "c-1": exit.Usage, "yes\n": exit.Usage, "c-10\n": exit.Usage, "": exit.Usage} {
		err := destroyFlags{}.confirm(t.Context(), streams{in: strings.NewReader(typed), out: io.Discard}, "c-1")
		if exit.Code(err) != want {
			t.Errorf("%q: %v", typed, err)
		}
	}
}

func TestTheCommandThatGoesOnWithATeardownIsOneThatDestroyTakes(t *testing.T) {
	words := strings.Fields(destroyFlags{options: options{dir: "demo", output: outputAccessible}, deleteBackups: true}.formatRetry(teardownContext{}))
	cmd := newDestroyCommand(streams{})
	if err := cmd.ParseFlags(words[2:]); err != nil || len(cmd.Flags().Args()) > 1 {
		t.Errorf("%q: %v", words, err)
	}
}
