package openshift_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/kube"
	"exoshift/state"
)

func (r *rehearsal) made(t *testing.T, resource, namespace string, object kube.Object) (uid string, since time.Time) {
	t.Helper()
	created, err := r.objects.Create(resource, namespace, object)
	if err != nil {
		t.Fatal(err)
	}
	since, err = time.Parse(time.RFC3339, created.GetString("metadata.creationTimestamp"))
	if err != nil {
		t.Fatal(err)
	}
	return created.GetString("metadata.uid"), since
}

func TestClaims_BalancersAndVolumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		if claims, err := r.ListClaims(t.Context()); err != nil || len(claims) > 0 {
			t.Fatalf("a new cluster claims %v, %v", claims, err)
		}
		const prefix = "service.beta.kubernetes.io/exoscale-loadbalancer-"
		service := func(name, kind string, annotations kube.Object) (string, time.Time) {
			object := with(named(name), "spec.type", kind)
			object.Set("metadata.annotations", annotations)
			object.Set("metadata.uid", "chosen-by-the-tenant")
			return r.made(t, "services", "shop", object)
		}
		web, webSince := service("web", "LoadBalancer", kube.Object{prefix + "id": "nlb-1", prefix + "name": "nlb-of-somebody-else"})
		service("external", "LoadBalancer", kube.Object{prefix + "id": "nlb-2", prefix + "external": "True"})
		service("pending", "LoadBalancer", kube.Object{})
		service("inside", "ClusterIP", kube.Object{prefix + "id": "nlb-3"})
		time.Sleep(time.Minute)
		data, dataSince := r.made(t, "persistentvolumeclaims", "shop", named("data"))
		volume := func(name, driver, provisioner, handle, claim string) {
			object := with(named(name), "spec.csi", kube.Object{"driver": driver, "volumeHandle": handle})
			object.Set("spec.claimRef.uid", claim)
			object.Set("metadata.annotations", kube.Object{"pv.kubernetes.io/provisioned-by": provisioner})
			r.put(t, "persistentvolumes", "", object)
		}
		volume("pvc-1", "csi.exoscale.com", "csi.exoscale.com", "ch-gva-2/volume-1", data)
		volume("pvc-2", "csi.exoscale.com", "csi.exoscale.com", "ch-gva-2/volume-2", "of-another-cluster")
		volume("static", "csi.exoscale.com", "", "ch-gva-2/volume-3", data)
		volume("other", "csi.example.com", "csi.example.com", "ch-gva-2/volume-4", data)
		volume("odd", "csi.exoscale.com", "csi.exoscale.com", "volume-5", data)
		r.put(t, "persistentvolumes", "", named("local"))

		got, err := r.ListClaims(t.Context())
		want := []state.Claim{
			{Kind: state.KindLoadBalancer, ID: "nlb-1", By: "service shop/web", Name: "k8s-" + web, Since: webSince},
			{Kind: state.KindVolume, ID: "volume-1", By: "persistent volume pvc-1", Name: "pvc-" + data, Since: dataSince},
			{Kind: state.KindVolume, ID: "volume-2", By: "persistent volume pvc-2"},
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
		if web == "chosen-by-the-tenant" {
			t.Error("the simulated API server lets a tenant choose a UID")
		}
	})
}

func TestClaims_Snapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		for _, kind := range []kube.Kind{
			{Group: "snapshot.storage.k8s.io", Version: "v1", Resource: "volumesnapshotcontents", Kind: "VolumeSnapshotContent"},
			{Group: "snapshot.storage.k8s.io", Version: "v1", Resource: "volumesnapshots", Kind: "VolumeSnapshot", Namespaced: true},
		} {
			r.put(t, "customresourcedefinitions.apiextensions.k8s.io", "", kind.Definition())
		}
		daily, since := r.made(t, "volumesnapshots.snapshot.storage.k8s.io", "shop", named("daily"))
		snapshot := func(name, request string, source kube.Object) {
			object := with(named(name), "spec", kube.Object{"driver": "csi.exoscale.com", "source": source, "volumeSnapshotRef": kube.Object{"uid": request}})
			object.Set("status.snapshotHandle", "ch-gva-2/"+name)
			r.put(t, "volumesnapshotcontents.snapshot.storage.k8s.io", "", object)
		}
		snapshot("dynamic", daily, kube.Object{"volumeHandle": "ch-gva-2/volume-1"})
		snapshot("left", "gone", kube.Object{"volumeHandle": "ch-gva-2/volume-1"})
		snapshot("imported", daily, kube.Object{"snapshotHandle": "ch-gva-2/imported"})
		got, err := r.ListClaims(t.Context())
		want := []state.Claim{
			{Kind: state.KindVolumeSnapshot, ID: "dynamic", By: "volume snapshot content dynamic", Name: "snapshot-" + daily, Since: since},
			{Kind: state.KindVolumeSnapshot, ID: "left", By: "volume snapshot content left"},
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	})
}
