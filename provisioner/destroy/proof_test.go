package destroy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-demo-1", BaseDomain: "example.net"}
	return s
}

func label(cluster string) map[string]string { return map[string]string{state.LabelCluster: cluster} }

// proofs returns how each object was found, by its ID.
func proofs(found []Found) map[string]string {
	by := map[string]string{}
	for _, f := range found {
		by[f.ID] = strings.Join(f.By, " ")
	}
	return by
}

func TestWhatIsOursIsFoundByEveryProof(t *testing.T) {
	objects := []state.Object{
		{Kind: state.KindInstance, Name: "master-0", ID: "i1", Labels: label("c-demo-1")},
		{Kind: state.KindInstance, Name: "worker-x", ID: "i2", Uses: []string{"p1"}},
		{Kind: state.KindInstance, Name: "infra-0", ID: "i3"},
		{Kind: state.KindInstancePool, Name: "workers", ID: "p1", Labels: label("c-demo-1")},
		{Kind: state.KindLoadBalancer, Name: "k8s-1", ID: "l1", Uses: []string{"p1"}},
		{Kind: state.KindLoadBalancer, Name: "k8s-2", ID: "l2"},
		{Kind: state.KindVolumeSnapshot, Name: "s", ID: "vs1", Uses: []string{"v1"}},
		{Kind: state.KindVolume, Name: "pvc-1", ID: "v1", Uses: []string{"i2"}},
		{Kind: state.KindVolume, Name: "pvc-2", ID: "v2"},
		{Kind: state.KindSnapshot, Name: "s", ID: "s1", Uses: []string{"i1"}},
		{Kind: state.KindSecurityGroup, Name: "c-demo-1_infra", ID: "g1"},
		{Kind: state.KindAntiAffinityGroup, Name: "c-demo-1_worker_2", ID: "a1"},
		{Kind: state.KindElasticIP, Name: "c-demo-1_api", ID: "e1", Labels: label("c-demo-1")},
		{Kind: state.KindSSHKey, Name: "c-demo-1-admin", ID: "c-demo-1-admin"},
		{Kind: state.KindZone, Name: "c-demo-1.example.net", ID: "z1"},
		{Kind: state.KindBucket, Name: "c-demo-1-logstore", ID: "c-demo-1-logstore"},
		{Kind: state.KindTemplate, Name: "rhcos-1", ID: "t1"},
		{Kind: state.KindTemplate, Name: "rhcos-2", ID: "t2"},
		{Kind: state.KindRole, Name: "c-demo-1_csi", ID: "r1"},
		{Kind: state.KindAPIKey, Name: "by hand", ID: "k1", Uses: []string{"r1"}},
	}
	e := evidence{
		journal: made([]state.Entry{
			{Kind: state.KindTemplate, Name: "rhcos-1"}, {Kind: state.KindTemplate, Name: "rhcos-1", ID: "t1", Action: state.Created},
			{Kind: state.KindTemplate, Name: "rhcos-2"},
			{Kind: state.KindInstance, Name: "infra-0", ID: "i3", Action: state.Adopted},
		}),
		cluster: map[key]bool{{state.KindLoadBalancer, "l2"}: true, {state.KindVolume, "v2"}: true},
	}
	want := map[string]string{
		"i1": "label", "i2": "attached", "i3": "journal", "p1": "label", "l1": "attached", "l2": "cluster", "vs1": "attached", "v1": "attached",
		"v2": "cluster", "s1": "attached", "g1": "name", "a1": "name", "e1": "label name", "c-demo-1-admin": "name", "z1": "name",
		"c-demo-1-logstore": "name", "t1": "journal", "t2": "journal", "r1": "name", "k1": "attached",
	}
	if diff := cmp.Diff(want, proofs(ours(objects, identify(spec()), e))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestLookAlikesAreNotOurs(t *testing.T) {
	other := label("c-demo-10")
	objects := []state.Object{
		{Kind: state.KindInstance, Name: "master-0", ID: "i1", Labels: label("c-demo-1")},
		{Kind: state.KindInstancePool, Name: "workers", ID: "p1", Labels: label("c-demo-1")},
		{Kind: state.KindInstancePool, Name: "others", ID: "p2", Labels: other},

		{Kind: state.KindInstance, Name: "master-0", ID: "no-label"},
		{Kind: state.KindInstance, Name: "c-demo-1_master-0", ID: "name-of-no-recipe"},
		{Kind: state.KindInstance, Name: "master-0", ID: "other-cluster", Labels: other},
		{Kind: state.KindInstance, Name: "master-0", ID: "no-value", Labels: label("")},
		{Kind: state.KindInstance, Name: "w", ID: "other-label-in-our-pool", Uses: []string{"p1"}, Labels: other},
		{Kind: state.KindInstance, Name: "j", ID: "other-label-in-our-journal", Labels: other},
		{Kind: state.KindSecurityGroup, Name: "c-demo-10_infra", ID: "longer"},
		{Kind: state.KindSecurityGroup, Name: "c-demo-1", ID: "no-separator"},
		{Kind: state.KindSecurityGroup, Name: "c-demo-1-infra", ID: "other-separator"},
		{Kind: state.KindSecurityGroup, Name: "default", ID: "used-by-ours"},
		{Kind: state.KindElasticIP, Name: "c-demo-1_api", ID: "our-name-other-label", Labels: other},
		{Kind: state.KindElasticIP, Name: "", ID: "on-our-machine", Uses: []string{"i1"}},
		{Kind: state.KindPrivateNetwork, Name: "lan", ID: "net-of-ours", Uses: []string{"i1"}},
		{Kind: state.KindSSHKey, Name: "c-demo-1-admin-2", ID: "c-demo-1-admin-2"},
		{Kind: state.KindZone, Name: "example.net", ID: "parent"},
		{Kind: state.KindZone, Name: "c-demo-1.example.com", ID: "other-base"},
		{Kind: state.KindZone, Name: "c-demo-10.example.net", ID: "longer-zone"},
		{Kind: state.KindBucket, Name: "c-demo-1-invoices", ID: "c-demo-1-invoices"},
		{Kind: state.KindBucket, Name: "c-demo-10-image", ID: "c-demo-10-image"},
		{Kind: state.KindTemplate, Name: "rhcos-1", ID: "not-in-journal"},
		{Kind: state.KindVolume, Name: "data", ID: "free"},
		{Kind: state.KindVolume, Name: "data", ID: "on-other", Uses: []string{"no-label"}},
		{Kind: state.KindVolume, Name: "pvc", ID: "told-but-on-other", Uses: []string{"no-label"}},
		{Kind: state.KindVolume, Name: "pvc", ID: "remembered-but-on-other", Uses: []string{"no-label"}},
		{Kind: state.KindLoadBalancer, Name: "shared", ID: "shared", Uses: []string{"p1", "p2"}},
		{Kind: state.KindRole, Name: "c-demo-1", ID: "role"},
		{Kind: state.KindAPIKey, Name: "key", ID: "key", Uses: []string{"role"}},
	}
	e := evidence{
		journal:    made([]state.Entry{{Kind: state.KindInstance, Name: "j", ID: "other-label-in-our-journal", Action: state.Created}, {Kind: state.KindTemplate, Name: "rhcos-1", ID: "not-in-journal", Action: state.Found}}),
		cluster:    map[key]bool{{state.KindVolume, "told-but-on-other"}: true, {state.KindLoadBalancer, "shared"}: true},
		remembered: map[key][]string{{state.KindVolume, "remembered-but-on-other"}: {ByAttached}},
	}
	if diff := cmp.Diff(map[string]string{"i1": "label", "p1": "label"}, proofs(ours(objects, identify(spec()), e))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAnIntentThatWasNotedDoneProvesNoNamesake(t *testing.T) {
	template := state.Object{Kind: state.KindTemplate, Name: "rhcos-1", ID: "of-somebody-else"}
	journal := []state.Entry{{Kind: state.KindTemplate, Name: "rhcos-1"}, {Kind: state.KindTemplate, Name: "rhcos-1", ID: "t1", Action: state.Created}}
	if found := ours([]state.Object{template}, identify(spec()), evidence{journal: made(journal)}); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}
