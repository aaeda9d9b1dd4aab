package openshift_test

import (
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/kube"
	"exoshift/state"
	"exoshift/state/rook"

	"github.com/google/go-cmp/cmp"
)

const (
	signerNamespace = "openshift-kube-apiserver-operator"
	cephClusters    = "cephclusters.ceph.rook.io"
)

func TestInspectStop_WithoutOptionalKinds(t *testing.T) {
	r := rehearse(t)
	if _, err := r.InspectStop(t.Context()); !fault.Is(err, fault.NotFound) {
		t.Errorf("without the signer: %v", err)
	}
	r.putSigner(t, "soon")
	if _, err := r.InspectStop(t.Context()); !fault.Is(err, fault.NotFound) {
		t.Errorf("without a time: %v", err)
	}
}

func (r *rehearsal) putSigner(t *testing.T, end string) {
	t.Helper()
	r.put(t, "namespaces", "", named(signerNamespace))
	signer := named("kube-apiserver-to-kubelet-signer")
	signer.Set("metadata.annotations", map[string]any{"auth.openshift.io/certificate-not-after": end})
	r.put(t, "secrets", signerNamespace, signer)
}

func TestInspectStop(t *testing.T) {
	r := upgradable(t) // its schedule is suspended
	r.putSigner(t, "2027-02-03T04:05:06Z")
	r.put(t, upgradeConfigs, upgradeNamespace, named("friday-2200"))
	r.job(t, "first-1", [3]string{"Succeeded", "True", "done"})
	r.job(t, "first-2", [3]string{"Started", "True", "goes on"})
	kind := kube.Kind{Group: "ceph.rook.io", Version: "v1", Resource: "cephclusters", Kind: "CephCluster", Namespaced: true}
	r.put(t, "customresourcedefinitions.apiextensions.k8s.io", "", kind.Definition())
	r.put(t, "namespaces", "", named("syn-rook-ceph-cluster"))
	r.put(t, cephClusters, "syn-rook-ceph-cluster", object(t, "cluster", `{"apiVersion": "ceph.rook.io/v1", "kind": "CephCluster",
		"status": {"phase": "Ready", "ceph": {"health": "HEALTH_WARN", "lastChecked": "2026-05-04T10:00:00Z", "details": {
			"OSDMAP_FLAGS": {"severity": "HEALTH_WARN", "message": "noout,norebalance flag(s) set"}, "OSD_DOWN": {"severity": "HEALTH_WARN", "message": "1 osds down"}}}}}`))
	got, err := r.InspectStop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := state.StopConditions{
		CertificateEnd: time.Date(2027, 2, 3, 4, 5, 6, 0, time.UTC), UpgradeConfigs: []string{"friday-2200"}, UpgradeJobs: []string{"first-2"},
		Ceph: []rook.Status{{
			Name: "syn-rook-ceph-cluster/cluster", Health: "HEALTH_WARN", Phase: "Ready", Checked: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC),
			Checks: []string{"OSDMAP_FLAGS: noout,norebalance flag(s) set", "OSD_DOWN: 1 osds down"}, Flags: []string{"noout", "norebalance"},
		}},
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Error(difference)
	}
}
