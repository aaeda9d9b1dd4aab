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

	"exoshift/assets"
	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/request"
	"exoshift/internal/app/run"
	"exoshift/internal/app/teardown"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/api/description"
	"exoshift/state"
)

func belongings(t *testing.T, s run.Run) []string {
	t.Helper()
	var names []string
	for _, o := range everything(t, s) {
		names = append(names, o.Kind+" "+o.Name)
	}
	slices.Sort(names)
	return names
}

func everything(t *testing.T, s run.Run) []state.Object {
	t.Helper()
	world, disconnect, err := teardown.Cluster{Spec: s.Spec, Secrets: s.Secrets, Net: s.Net}.NewClients(state.NoJournal{})
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
func TestDestroy_LeavesNothing(t *testing.T) {
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
	virtuallyIn(t, circumstances{middleware: held, spec: external}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		before := belongings(t, s)
		if err := installWith(t.Context(), s, cli.Streams{Out: io.Discard, Err: os.Stderr}); err != nil {
			t.Fatal(err)
		}
		before = append(before, aimedAtOthers(t, s)...)
		slices.Sort(before)
		d := destroyFlags{Options: cli.Options{Output: cli.OutputJSON}, confirmID: s.Spec.Cluster.ID}
		destroyed := func(place teardown.Cluster) {
			t.Helper()
			var out bytes.Buffer
			if err := d.destroy(t.Context(), cli.Streams{Out: &out, Err: os.Stderr}, place); err != nil {
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
		place := teardown.Cluster{Spec: s.Spec, Secrets: s.Secrets, Net: s.Net}
		if kept := previewTeardown(t, place).Kept; !slices.ContainsFunc(kept, func(o previewedObject) bool { return o.Kind == state.KindTemplate }) {
			t.Errorf("without the folder, the template, which others may use, has no proof of ownership, but is not kept: %+v", kept)
		}
		place.Folder, place.HasFolder = s.Folder, true
		destroyed(place)
		kept := append([]string{"bucket " + s.Spec.Bucket(state.BucketBackups)}, before...)
		slices.Sort(kept)
		if diff := cmp.Diff(kept, belongings(t, s)); diff != "" {
			t.Errorf("-before and backups +after\n%s", diff)
		}
		d.deleteBackups = true
		destroyed(place)
		if diff := cmp.Diff(before, belongings(t, s)); diff != "" {
			t.Errorf("-before +after\n%s", diff)
		}
		facts, err := s.Folder.LoadFacts()
		if err != nil || facts.Destroyed.IsZero() || facts.ClusterID != s.Spec.Cluster.ID {
			t.Errorf("the folder knows %+v, %v", facts, err)
		}
		if err := installWith(t.Context(), s, cli.Streams{Out: io.Discard, Err: io.Discard}); exit.Code(err) != exit.Usage {
			t.Errorf("an installation into the folder of a destroyed cluster ends with %v", err)
		}
	})
}

// previewedObject is an object of `destroy --dry-run --output json`.
type previewedObject struct{ Kind, ID, Name, Proof, Reason string }

// previewTeardown returns what `destroy --dry-run --output json` prints.
func previewTeardown(t *testing.T, place teardown.Cluster) (inventory struct{ Objects, Kept []previewedObject }) {
	t.Helper()
	var out bytes.Buffer
	dry := destroyFlags{Options: cli.Options{Output: cli.OutputJSON}, dryRun: true}
	if err := dry.destroy(t.Context(), cli.Streams{Out: &out, Err: os.Stderr}, place); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &inventory); err != nil {
		t.Fatal(err)
	}
	return inventory
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
	requestCluster(n.t, n.s, http.MethodPost, path, object, &answer)
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
		"template": map[string]any{"id": like["template"].(map[string]any)["id"]}, "labels": map[string]any{state.LabelCluster: n.s.Spec.Cluster.ID},
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

// consume runs a pod that uses a claim.
func (n tenant) consume(claim string) {
	n.t.Helper()
	n.apply("/apis/apps/v1/namespaces/default/deployments", fmt.Sprintf(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": %[1]q, "namespace": "default"},
		"spec": {"selector": {"matchLabels": {"app": %[1]q}}, "template": {"metadata": {"labels": {"app": %[1]q}}, "spec": {
			"containers": [{"name": "shop", "image": "quay.io/example/shop"}], "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": %[1]q}}]}}}}`, claim))
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
		n.check(n.s.Net.Clock.Sleep(n.t.Context(), 10*time.Second))
	}
	n.t.Fatalf("no %s is called %s:\n%s", kind, name, strings.Join(belongings(n.t, n.s), "\n"))
	return ""
}

// aimedAtOthers has a tenant of a running cluster manipulate objects so that a teardown would delete foreign resources, and
// shows that it would not. Resources that the cluster's own controllers made are found. It returns the names of the foreign ones:
// a teardown leaves them, and deletes the others.
func aimedAtOthers(t *testing.T, s run.Run) (foreign []string) {
	t.Helper()
	n := tenant{backdoor{t, s}}
	theirBalancer, theirVolume := n.made("/load-balancer", map[string]any{"name": "shop"}), n.made("/block-storage", map[string]any{"name": "archive", "size": 10})
	n.check(s.Net.Clock.Sleep(t.Context(), time.Hour)) // the foreign resource is older than the Service that refers to it
	pool := n.pool()
	ownBalancer := n.until(state.KindLoadBalancer, "k8s-"+n.service("web", pool, ""))
	aimed := n.service("aimed", pool, fmt.Sprintf(`, "service.beta.kubernetes.io/exoscale-loadbalancer-id": %q`, theirBalancer))
	if renamed := n.until(state.KindLoadBalancer, "k8s-"+aimed); renamed != theirBalancer {
		t.Errorf("the cloud controller manager made %s, and did not take %s", renamed, theirBalancer)
	}
	claimed := n.claim("data", assets.StorageClass)
	n.consume("data")
	ownVolume := n.until(state.KindVolume, "pvc-"+claimed)
	n.check(s.Net.Clock.Sleep(t.Context(), 5*time.Minute)) // the controllers update the status of their objects
	if instance := n.ask(http.MethodGet, "/block-storage/"+ownVolume, nil)["instance"]; instance == nil {
		t.Error("the volume of a running pod is attached to no machine")
	}
	n.apply("/api/v1/persistentvolumes", fmt.Sprintf(`{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "aimed", "annotations": {"pv.kubernetes.io/provisioned-by": "csi.exoscale.com"}},
		"spec": {"csi": {"driver": "csi.exoscale.com", "volumeHandle": "%s/%s"}, "claimRef": {"uid": %q, "namespace": "default", "name": "aimed"},
		"capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"]}}`, s.Spec.Exoscale.Zone, theirVolume, n.claim("aimed", "")))

	facts, err := s.Folder.LoadFacts()
	if err != nil {
		t.Fatal(err)
	}
	inventory := previewTeardown(t, teardown.Cluster{Spec: s.Spec, Secrets: s.Secrets, Net: s.Net, Folder: s.Folder, HasFolder: true, Facts: facts})
	how := map[string]string{}
	for _, o := range inventory.Objects {
		how[o.ID], how[o.Name] = o.Proof, o.Proof
		if !slices.Contains([]string{"label", "journal", "recipe-name", "both-sides", "owner-mark"}, o.Proof) {
			t.Errorf("%+v is proven in no known way", o)
		}
	}
	for _, o := range inventory.Kept {
		how[o.ID] = o.Reason
	}
	for id, want := range map[string]string{
		theirBalancer: "not proven: service default/aimed claims it", theirVolume: "not proven: persistent volume aimed claims it",
		ownBalancer: "both-sides", ownVolume: "both-sides", s.Spec.Bucket("logstore"): "owner-mark", facts.Template: "journal",
	} {
		if !strings.HasPrefix(how[id], want) {
			t.Errorf("%s: %q, want %q", id, how[id], want)
		}
	}
	return []string{state.KindLoadBalancer + " k8s-" + aimed, state.KindVolume + " archive"}
}

func TestConfirm_TypedIDOnly(t *testing.T) {
	for typed, want := range map[string]int{"c-1\n": exit.OK, " c-1 \n": exit.OK, "c-1": exit.Usage, "yes\n": exit.Usage, "c-10\n": exit.Usage, "": exit.Usage} {
		err := destroyFlags{}.confirm(t.Context(), cli.Streams{In: strings.NewReader(typed), Out: io.Discard}, "c-1")
		if exit.Code(err) != want {
			t.Errorf("%q: %v", typed, err)
		}
	}
}

func TestFormatRetry_IsValidCommand(t *testing.T) {
	words := strings.Fields(destroyFlags{Options: cli.NewOptions(request.Request{Dir: "demo"}, cli.OutputAccessible), deleteBackups: true}.formatRetry("c-demo-1"))
	cmd := newDestroyCommand(cli.Streams{})
	if err := cmd.ParseFlags(words[2:]); err != nil || len(cmd.Flags().Args()) > 1 {
		t.Errorf("%q: %v", words, err)
	}
}
