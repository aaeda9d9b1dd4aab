package openshift_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/kube"
	"exoshift/provisioner"
	"exoshift/provisioner/backup/backuptest"
	"exoshift/provisioner/restore"
	"exoshift/state"
	"exoshift/state/restoration"
)

// shop is a namespace with objects of many kinds, and a backup of the cluster with it.
type shop struct {
	*rehearsal
	bucket *backuptest.Bucket
}

const shopSecret = "hunter2hunter2"

func openShop(t *testing.T) *shop {
	t.Helper()
	r := rehearse(t)
	r.put(t, "customresourcedefinitions.apiextensions.k8s.io", "", kube.Kind{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications", Kind: "Application", Namespaced: true}.Definition())
	for version, resource := range map[string]string{"v1": "newer", "v1alpha1": "older"} { // two kinds in one group, each in a version of its own
		r.put(t, "customresourcedefinitions.apiextensions.k8s.io", "", kube.Kind{Group: "c.example.com", Version: version, Resource: resource, Kind: "Kind" + version}.Definition())
		r.put(t, resource+".c.example.com", "", named("one"))
	}
	for _, name := range []string{"shop", "syn", "openshift-config"} {
		r.put(t, "namespaces", "", named(name))
	}
	r.put(t, "applications.argoproj.io", "syn", named("web"))
	config := func(name string, fields ...string) {
		object := with(named(name), "data", map[string]any{"colour": "blue", "size": "4"})
		for i := 0; i < len(fields); i += 2 {
			object.Set(fields[i], fields[i+1])
		}
		r.put(t, "configmaps", "shop", object)
	}
	config("settings")
	config("gone")
	config("kube-root-ca.crt")
	tracked := with(named("tracked"), "data", map[string]any{"a": "b"})
	tracked.Set("metadata.annotations", map[string]any{"argocd.argoproj.io/tracking-id": "cluster-config:/ConfigMap:shop/tracked"})
	r.put(t, "configmaps", "shop", tracked)
	r.put(t, "configmaps", "shop", with(named("labelled"), "metadata.labels", map[string]any{"app.kubernetes.io/instance": "web"}))
	r.put(t, "configmaps", "shop", with(named("helm"), "metadata.labels", map[string]any{"app.kubernetes.io/instance": "other"}))
	r.put(t, "secrets", "shop", with(with(named("login"), "type", "Opaque"), "data", map[string]any{"blob": "aHVudGVyMmh1bnRlcjI="}))
	deployment := with(named("web"), "spec", podTemplate("web", "registry/web:1"))
	r.put(t, "deployments.apps", "shop", deployment)
	owned := func(name, kind, owner string, controller bool) kube.Object {
		return with(named(name), "metadata.ownerReferences", []any{map[string]any{"apiVersion": "v1", "kind": kind, "name": owner, "uid": "1-2-3", "controller": controller}})
	}
	r.put(t, "pods", "shop", with(owned("web-1", "ReplicaSet", "web", true), "spec", map[string]any{"containers": []any{map[string]any{"name": "web", "image": "a"}}}))
	r.put(t, "configmaps", "shop", owned("orphan", "ConfigMap", "absent", false))
	r.put(t, "services", "shop", with(named("web"), "spec", map[string]any{"clusterIP": "172.30.0.7", "ports": []any{map[string]any{"port": 80}}}))

	s := &shop{rehearsal: r}
	var archive bytes.Buffer
	if _, err := r.ArchiveObjects(t.Context(), &archive); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.bucket, err = backuptest.NewBucket(state.Default().Cluster.ID, "infra", archive.Bytes()); err != nil {
		t.Fatal(err)
	}
	return s
}

func podTemplate(name, image string) map[string]any {
	labels := map[string]any{"app": name}
	return map[string]any{"replicas": 2, "selector": map[string]any{"matchLabels": labels}, "template": map[string]any{
		"metadata": map[string]any{"labels": labels},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "web", "image": image, "env": []any{map[string]any{"name": "DB_PASS", "value": "x"}}}}},
	}}
}

func (s *shop) engine(kinds, namespaces, names string) *restore.Restore {
	split := func(list string) []string {
		return slices.DeleteFunc(strings.Split(list, ","), func(word string) bool { return word == "" })
	}
	return restore.New(state.Default(), restore.Clients{Cluster: s.Cluster, Objects: s.bucket, Clock: s.net.Clock}, restore.Options{
		From: "latest", Selection: restore.Selection{Kinds: split(kinds), Namespaces: split(namespaces), Names: split(names)},
		Identities: []age.Identity{s.bucket.Identity}, InfraID: "infra",
	})
}

// review returns what would be done, by the objects: kind/name: action, reason and fields.
func (s *shop) review(t *testing.T, engine *restore.Restore) map[string]string {
	t.Helper()
	found, err := engine.Review(t.Context())
	if err != nil {
		t.Fatal(err, fault.HintOf(err))
	}
	all := map[string]string{}
	for _, change := range found.Changes {
		encoded, err := json.Marshal(change.Fields)
		if err != nil || strings.Contains(string(encoded), shopSecret) || strings.Contains(string(encoded), "aHVudGVy") {
			t.Errorf("%v: the difference has a secret: %s", err, encoded)
		}
		var fields []string
		for _, field := range change.Fields {
			fields = append(fields, fmt.Sprintf("%s %s %s>%s %t %s", field.Action, field.Path, field.Before, field.After, field.Hidden, field.Owner))
		}
		for _, path := range change.Extra {
			fields = append(fields, "stays "+path)
		}
		all[change.Object.ID()] = strings.TrimSpace(change.Action + " " + change.Reason + strings.Join(fields, "; "))
	}
	return all
}

func (s *shop) run(t *testing.T, engine *restore.Restore) ([]string, error) {
	t.Helper()
	var done []string
	err := provisioner.Run(t.Context(), engine.Plan(), func(e provisioner.Event) {
		if e.Type == provisioner.TypeObject {
			done = append(done, e.Action+" "+e.Kind+" "+e.Name)
		}
	})
	return done, err
}

func TestRestore_DifferenceIsAppliedOnce(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.delete(t, "configmaps", "shop", "gone")
	s.delete(t, "configmaps", "shop", "orphan")
	s.change(t, "configmaps", "shop", "settings", "data", map[string]any{"colour": "red", "more": "x"})
	s.change(t, "secrets", "shop", "login", "data", map[string]any{"blob": "b3RoZXI="})
	s.change(t, "deployments.apps", "shop", "web", "spec", podTemplate("web", "registry/web:2"))
	s.change(t, "services", "shop", "web", "spec.clusterIP", "172.30.0.9")

	const kinds = "cm,Secret,deploy,svc,pods,nodes"
	engine := s.engine(kinds, "shop", "")
	got := s.review(t, engine)
	for object, want := range map[string]string{
		"configmaps shop/settings":         "update change data.colour \"red\">\"blue\" false ; add data.size >\"4\" false ; stays data.more",
		"configmaps shop/gone":             "create",
		"configmaps shop/orphan":           "create",
		"configmaps shop/helm":             "same",
		"configmaps shop/kube-root-ca.crt": "leave the cluster publishes it in every namespace",
		"configmaps shop/tracked":          "refuse the application cluster-config of Argo CD applies it: change it in Git, or sync that",
		"configmaps shop/labelled":         "refuse the application web of Argo CD applies it: change it in Git, or sync that",
		"secrets shop/login":               "update change data.blob > true",
		"deployments.apps shop/web":        "update change spec.template.spec.containers[web].image \"registry/web:2\">\"registry/web:1\" false",
		"services shop/web":                "same",
		"pods shop/web-1":                  "leave ReplicaSet web controls it, and makes it: restore that instead",
	} {
		if got[object] != want {
			t.Errorf("%s: %s", object, got[object])
		}
	}
	before := s.requests.Load()
	done, err := s.run(t, engine)
	if err != nil {
		t.Fatal(err, fault.HintOf(err))
	}
	want := []string{"created configmap shop/gone", "created configmap shop/orphan", "updated configmap shop/settings", "updated secret shop/login", "updated deployment shop/web"}
	if !slices.Equal(done, want) || s.requests.Load() == before {
		t.Errorf("%q", done)
	}
	settings, _ := s.objects.Get("configmaps", "shop", "settings")
	if data := settings.Map("data"); data["colour"] != "blue" || data["more"] != "x" || len(data) != 3 {
		t.Errorf("%v", data)
	}
	orphan, _ := s.objects.Get("configmaps", "shop", "orphan")
	if orphan.Get("metadata.ownerReferences") != nil {
		t.Error("it refers to an owner that is gone")
	}
	if managers := fmt.Sprint(settings.Get("metadata.managedFields")); !strings.Contains(managers, restoration.FieldManager) {
		t.Error(managers)
	}
	again := s.engine(kinds, "shop", "")
	for object, action := range s.review(t, again) {
		if strings.HasPrefix(action, "create") || strings.HasPrefix(action, "update") {
			t.Errorf("%s: %s", object, action)
		}
	}
	if done, err := s.run(t, again); err != nil || len(done) > 0 {
		t.Errorf("%v, %q", err, done)
	}
}

func (r *rehearsal) delete(t testing.TB, resource, namespace, name string) {
	t.Helper()
	if _, err := r.objects.Delete(resource, namespace, name); err != nil {
		t.Fatal(err)
	}
}

func TestRestore_Refusals(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.change(t, "deployments.apps", "shop", "web", "spec", podTemplate("other", "registry/web:1"))
	s.change(t, "configmaps", "shop", "settings", "immutable", true)
	s.change(t, "configmaps", "shop", "settings", "data", map[string]any{"colour": "red"})
	got := s.review(t, s.engine("deployment,configmap", "shop", "web,settings"))
	if got["deployments.apps shop/web"] != "refuse spec.selector: it cannot be changed: immutable" || got["configmaps shop/settings"] != "refuse data: it cannot be changed: immutable" {
		t.Errorf("%q", got)
	}
	s.change(t, "configmaps", "shop", "orphan", "metadata.finalizers", []string{"example.com/held"})
	s.delete(t, "namespaces", "", "shop")
	got = s.review(t, s.engine("cm", "shop", "helm,orphan"))
	if got["configmaps shop/helm"] != "refuse the namespace shop is being deleted" || got["configmaps shop/orphan"] != "refuse it is being deleted: run this again once it is gone" {
		t.Errorf("%q", got)
	}
	for _, c := range [][4]string{
		{"widgets", "shop", "", `the cluster has no kind "widgets"`},
		{"cm", "", "", "configmaps are in namespaces: say in which, with --namespace"},
		{"cm", "elsewhere", "", "has no such object"},
	} {
		if _, err := s.engine(c[0], c[1], c[2]).Review(t.Context()); err == nil || !strings.Contains(err.Error(), c[3]) {
			t.Errorf("%v: %v", c, err)
		}
	}
	stranger, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	identity := s.bucket.Identity
	s.bucket.Identity = stranger
	if _, err := s.engine("cm", "shop", "").Review(t.Context()); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "no identity of a recipient at hand") {
		t.Error(err)
	}
	s.bucket.Identity = identity
	s.bucket.Manifest.Objects.Missing = []string{"configmaps"}
	if err := s.bucket.Record(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.engine("cm", "shop", "").Review(t.Context()); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "they could not be read when it was made") {
		t.Error(err)
	}
	part := s.bucket.Manifest.FindPart("objects.tar.gz").Object
	s.bucket.Content[part][len(s.bucket.Content[part])-1] ^= 1
	if _, err := s.engine("secrets", "shop", "").Review(t.Context()); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "its SHA-256 is another one") {
		t.Error(err)
	}
	s.bucket.Manifest.Cluster = "c-other-1"
	if err := s.bucket.Record(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.engine("cm", "shop", "").Review(t.Context()); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "is one of another cluster, c-other-1, and this is") {
		t.Error(err)
	}
}

func TestRestore_NamespaceFirst(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	for _, kind := range []string{"configmaps", "secrets", "deployments.apps", "services", "pods"} {
		for _, object := range s.objects.List(kind, "shop") {
			s.delete(t, kind, "shop", object.Name())
		}
	}
	s.delete(t, "namespaces", "", "shop")
	if got := s.review(t, s.engine("cm", "shop", "gone")); got["configmaps shop/gone"] != "refuse there is no namespace shop: restore that, too, with --kind namespaces" {
		t.Errorf("%q", got)
	}
	engine := s.engine("cm,ns,svc", "shop", "")
	if got := s.review(t, engine); got["namespaces shop"] != "create" || got["configmaps shop/gone"] != "create" {
		t.Errorf("%q", got)
	}
	s.before = func(*http.Request) { // a controller is faster
		if _, exists := s.objects.Get("namespaces", "", "shop"); exists {
			_, _ = s.objects.Create("configmaps", "shop", with(named("gone"), "data", map[string]any{"colour": "green"}))
		}
	}
	done, err := s.run(t, engine)
	if err != nil || done[0] != "created namespace shop" || !slices.Contains(done, "updated configmap shop/gone") || !slices.Contains(done, "created service shop/web") {
		t.Errorf("%v, %q", err, done)
	}
}

// What was shown is what is applied: an object that somebody changes meanwhile is left alone.
func TestRestore_ChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.change(t, "configmaps", "shop", "settings", "data", map[string]any{"colour": "red"})
	engine := s.engine("cm", "shop", "settings")
	s.review(t, engine)
	s.change(t, "configmaps", "shop", "settings", "data", map[string]any{"colour": "green"})
	if done, err := s.run(t, engine); err == nil || !strings.Contains(err.Error(), "it was changed since the difference was shown") || len(done) > 0 {
		t.Errorf("%v, %q", err, done)
	}
}

// A kind is in the backup also where its group prefers a version that does not have it.
func TestRestore_KindOfAnotherVersion(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	if got := s.review(t, s.engine("older,newer", "", "")); got["older.c.example.com one"] != "same" || got["newer.c.example.com one"] != "same" {
		t.Errorf("%q", got)
	}
}

func TestRestore_AmbiguousKind(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	for _, group := range []string{"a.example.com", "b.example.com"} {
		s.put(t, "customresourcedefinitions.apiextensions.k8s.io", "", kube.Kind{Group: group, Version: "v1", Resource: "gadgets", Kind: "Gadget"}.Definition())
	}
	if _, err := s.engine("gadget", "", "").Review(context.Background()); err == nil || !strings.Contains(err.Error(), "gadgets.a.example.com, gadgets.b.example.com") {
		t.Error(err)
	}
	if _, err := s.engine("gadget.b.example.com", "", "").Review(t.Context()); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}
