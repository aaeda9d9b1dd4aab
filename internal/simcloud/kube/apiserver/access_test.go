package apiserver

import (
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/store"
)

func TestAPI_Permissions(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	must(a.objects.Create("configmaps", "default", kube.Object{"metadata": kube.Object{"name": "a"}}))
	get := func(config *rest.Config) error {
		_, err := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default").Get(t.Context(), "a", metav1.GetOptions{})
		return err
	}
	if err := get(a.as("somebody")); err != nil {
		t.Errorf("somebody: %v", err)
	}
	if _, err := kubernetes.NewForConfigOrDie(a.as("somebody")).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("somebody lists nodes: %v", err)
	}
	token := rest.AnonymousClientConfig(a.as("x"))
	token.BearerToken = "right"
	if err := get(token); err != nil {
		t.Errorf("right token: %v", err)
	}
	token.BearerToken = "wrong"
	if err := get(token); !apierrors.IsUnauthorized(err) {
		t.Errorf("wrong token: %v", err)
	}
	stranger := must(certificate.NewAuthority(pkix.Name{CommonName: "system:admin", Organization: []string{"system:masters"}}, time.Hour, time.Now()))
	forged := a.as("x")
	forged.CertData, forged.KeyData = stranger.CertPEM(), must(stranger.KeyPEM())
	if err := get(forged); !apierrors.IsUnauthorized(err) {
		t.Errorf("a certificate of another authority: %v", err)
	}
}

func TestAPI_DiscoveryAndHealth(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	client := a.admin()
	if version := must(client.Discovery().ServerVersion()); version.GitVersion != "v1.33.5" || version.Minor != "33" {
		t.Errorf("version %+v", version)
	}
	if _, resources, err := client.Discovery().ServerGroupsAndResources(); err != nil || len(resources) < 5 {
		t.Errorf("%d groups of resources: %v", len(resources), err)
	}
	anonymous := kubernetes.NewForConfigOrDie(rest.AnonymousClientConfig(a.as("x"))).RESTClient()
	if body, err := anonymous.Get().AbsPath("/readyz").DoRaw(t.Context()); err != nil || string(body) != "ok" {
		t.Errorf("readyz: %q, %v", body, err)
	}
	a.ready = func() error { return fmt.Errorf("etcdserver: no leader") }
	if _, err := anonymous.Get().AbsPath("/readyz").DoRaw(t.Context()); !apierrors.IsInternalError(err) {
		t.Errorf("readyz without quorum: %v", err)
	}
	_, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsServiceUnavailable(err) {
		t.Errorf("list without quorum: %v", err)
	}
}

func TestObjects_Persist(t *testing.T) {
	dir := t.TempDir()
	db := must(store.Open(dir))
	objects := must(kube.Load(db, "objects", time.Now))
	kind := kube.Kind{Group: "operator.openshift.io", Version: "v1", Resource: "etcds", Kind: "Etcd"}
	must(objects.Create(kube.DefinitionResource, "", kind.Definition()))
	before := must(objects.Create(kind.GroupResource(), "", kube.Object{"metadata": kube.Object{"name": "cluster"}, "spec": kube.Object{"n": 1}}))
	must(objects.Create("configmaps", "a", kube.Object{"metadata": kube.Object{"name": "gone"}}))
	must(objects.Delete("configmaps", "a", "gone"))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = must(store.Open(dir))
	defer func() { _ = db.Close() }()
	objects = must(kube.Load(db, "objects", time.Now))
	after, ok := objects.Get(kind.GroupResource(), "", "cluster")
	if !ok || string(must(json.Marshal(after))) != string(must(json.Marshal(before))) {
		t.Errorf("after a restart %v, before %v", after, before)
	}
	if len(objects.List("configmaps", "")) != 0 {
		t.Error("the deleted object came back")
	}
	unchanged := must(objects.Update(kind.GroupResource(), "", "cluster", func(o kube.Object) error { o.Set("spec.n", 1); return nil }))
	if unchanged.ResourceVersion() != before.ResourceVersion() {
		t.Error("an equal object got a new version")
	}
}
