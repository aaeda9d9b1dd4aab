package openshift_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/kube"
	"exoshift/state"
)

func TestWhatTheClusterMadeIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		if made, err := r.Made(t.Context()); err != nil || len(made) > 0 {
			t.Fatalf("a new cluster made %v, %v", made, err)
		}
		const prefix = "service.beta.kubernetes.io/exoscale-loadbalancer-"
		service := func(name, kind string, annotations kube.Object) {
			object := with(named(name), "spec.type", kind)
			object.Set("metadata.annotations", annotations)
			r.put(t, "services", "shop", object)
		}
		service("web", "LoadBalancer", kube.Object{prefix + "id": "nlb-1"})
		service("external", "LoadBalancer", kube.Object{prefix + "id": "nlb-2", prefix + "external": "true"})
		service("pending", "LoadBalancer", kube.Object{})
		service("inside", "ClusterIP", kube.Object{prefix + "id": "nlb-3"})
		volume := func(name, driver, provisioner, handle string) {
			object := with(named(name), "spec.csi", kube.Object{"driver": driver, "volumeHandle": handle})
			object.Set("metadata.annotations", kube.Object{"pv.kubernetes.io/provisioned-by": provisioner})
			r.put(t, "persistentvolumes", "", object)
		}
		volume("pvc-1", "csi.exoscale.com", "csi.exoscale.com", "ch-gva-2/volume-1")
		volume("static", "csi.exoscale.com", "", "ch-gva-2/volume-2")
		volume("other", "csi.example.com", "csi.example.com", "ch-gva-2/volume-3")
		volume("odd", "csi.exoscale.com", "csi.exoscale.com", "volume-4")
		r.put(t, "persistentvolumes", "", named("local"))

		got, err := r.Made(t.Context())
		want := []state.Object{
			{Kind: state.KindLoadBalancer, ID: "nlb-1", Name: "shop/web"},
			{Kind: state.KindVolume, ID: "volume-1", Name: "pvc-1"},
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	})
}

func TestSnapshotsThatTheClusterMadeAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		kind := kube.Kind{Group: "snapshot.storage.k8s.io", Version: "v1", Resource: "volumesnapshotcontents", Kind: "VolumeSnapshotContent"}
		r.put(t, "customresourcedefinitions.apiextensions.k8s.io", "", kind.Definition())
		snapshot := func(name string, source kube.Object) {
			object := with(named(name), "spec", kube.Object{"driver": "csi.exoscale.com", "source": source})
			object.Set("status.snapshotHandle", "ch-gva-2/"+name)
			r.put(t, "volumesnapshotcontents.snapshot.storage.k8s.io", "", object)
		}
		snapshot("dynamic", kube.Object{"volumeHandle": "ch-gva-2/volume-1"})
		snapshot("imported", kube.Object{"snapshotHandle": "ch-gva-2/imported"})
		got, err := r.Made(t.Context())
		if diff := cmp.Diff([]state.Object{{Kind: state.KindVolumeSnapshot, ID: "dynamic", Name: "dynamic"}}, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	})
}
