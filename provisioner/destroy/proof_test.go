package destroy

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/assets"
	"exoshift/provisioner/install"
	"exoshift/state"
)

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-demo-1", BaseDomain: "example.net"}
	return s
}

func identity1() identity { return newIdentity(spec(), install.ListNames(spec())) }

func label(cluster string) map[string]string { return map[string]string{state.LabelCluster: cluster} }

var born = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// claim is a claim for something with the UID u1, an hour after the cluster's installation.
func claim(kind, id, prefix string) state.Claim {
	return state.Claim{Kind: kind, ID: id, By: "shop/web", Name: prefix + "u1", Since: born.Add(time.Hour)}
}

func proofs(found []Found) map[string]string {
	by := map[string]string{}
	for _, f := range found {
		by[f.ID] = strings.TrimSpace(f.Proof + " " + f.Through)
	}
	return by
}

func TestOurs_EveryProof(t *testing.T) {
	later := born.Add(2 * time.Hour)
	objects := []state.Object{
		{Kind: state.KindInstance, Name: "master-0", ID: "i1", Labels: label("c-demo-1")},
		{Kind: state.KindInstance, Name: "worker-x", ID: "i2", Uses: []string{"p1"}},
		{Kind: state.KindInstance, Name: "infra-0", ID: "i3"},
		{Kind: state.KindInstancePool, Name: "workers", ID: "p1", Labels: label("c-demo-1")},
		{Kind: state.KindLoadBalancer, Name: "k8s-u1", ID: "l1", Uses: []string{"p1"}, Created: later},
		{Kind: state.KindLoadBalancer, Name: "k8s-u1", ID: "l2", Created: later},
		{Kind: state.KindVolumeSnapshot, Name: "s", ID: "vs1", Uses: []string{"v1"}},
		{Kind: state.KindVolumeSnapshot, Name: "snapshot-u1", ID: "vs2", Created: later},
		{Kind: state.KindVolume, Name: "pvc-u1", ID: "v1", Uses: []string{"i2"}, Created: later},
		{Kind: state.KindVolume, Name: "pvc-u1", ID: "v2", Created: born.Add(time.Hour - time.Minute)}, // clocks differ
		{Kind: state.KindSnapshot, Name: "s", ID: "s1", Uses: []string{"i1"}},
		{Kind: state.KindSecurityGroup, Name: "c-demo-1_infra", ID: "g1"},
		{Kind: state.KindAntiAffinityGroup, Name: "c-demo-1_worker", ID: "a1"},
		{Kind: state.KindAntiAffinityGroup, Name: "c-demo-1_worker_2", ID: "a2"}, // there were more workers before
		{Kind: state.KindElasticIP, Name: "c-demo-1_api", ID: "e1", Labels: label("c-demo-1")},
		{Kind: state.KindSSHKey, Name: "c-demo-1-admin", ID: "c-demo-1-admin"},
		{Kind: state.KindZone, Name: "C-demo-1.example.net", ID: "z1"},
		{Kind: state.KindRecord, Name: "*.apps CNAME ingress.c-demo-1.example.net", ID: "d1", Uses: []string{"z1"}},
		{Kind: state.KindRecord, Name: "etcd-7 A 192.0.2.7", ID: "d2", Uses: []string{"z1"}}, // there were more masters before
		{Kind: state.KindBucket, Name: "c-demo-1-logstore", ID: "c-demo-1-logstore"},
		{Kind: state.KindBucket, Name: "c-demo-1-image-registry", ID: "c-demo-1-image-registry", Labels: label("c-demo-1")},
		{Kind: state.KindTemplate, Name: "rhcos-1", ID: "t1"},
		{Kind: state.KindTemplate, Name: "rhcos-2", ID: "t2", Created: later},
		{Kind: state.KindRole, Name: "c-demo-1_" + assets.PolicyVolumes, ID: "r1"},
		{Kind: state.KindAPIKey, Name: "by hand", ID: "k1", Uses: []string{"r1"}},
	}
	e := readJournal([]state.Entry{
		{Kind: state.KindTemplate, Name: "rhcos-1"}, {Kind: state.KindTemplate, Name: "rhcos-1", ID: "t1", Action: state.Created},
		{Kind: state.KindTemplate, Name: "rhcos-2", Time: born},
		{Kind: state.KindInstance, Name: "infra-0", ID: "i3", Action: state.Adopted},
		{Kind: state.KindAntiAffinityGroup, Name: "c-demo-1_worker_2", ID: "a2", Action: state.Created},
		{Kind: state.KindRecord, Name: "etcd-7 A 192.0.2.7", ID: "d2", Action: state.Created},
	})
	e.addClaims([]state.Claim{
		claim(state.KindLoadBalancer, "l1", "k8s-"), claim(state.KindLoadBalancer, "l2", "k8s-"),
		claim(state.KindVolume, "v1", "pvc-"), claim(state.KindVolume, "v2", "pvc-"), claim(state.KindVolumeSnapshot, "vs2", "snapshot-"),
	})
	want := map[string]string{
		"i1": "label", "i2": "label instance pool workers (p1)", "i3": "journal", "p1": "label", "l1": "both-sides", "l2": "both-sides",
		"vs1": "both-sides block volume pvc-u1 (v1)", "vs2": "both-sides", "v1": "both-sides", "v2": "both-sides",
		"s1": "label instance master-0 (i1)", "g1": "recipe-name", "a1": "recipe-name", "a2": "journal", "e1": "label",
		"c-demo-1-admin": "recipe-name", "z1": "recipe-name", "d1": "recipe-name", "d2": "journal", "c-demo-1-logstore": "recipe-name",
		"c-demo-1-image-registry": "owner-mark", "t1": "journal", "t2": "journal", "r1": "recipe-name",
		"k1": "recipe-name IAM role c-demo-1_csi-driver-exoscale (r1)",
	}
	if diff := cmp.Diff(want, proofs(findOwned(objects, identity1(), e))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestOurs_RefusesLookalikes(t *testing.T) {
	other, later := label("c-demo-10"), born.Add(2*time.Hour)
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
		{Kind: state.KindSecurityGroup, Name: "c-demo-1_team-blue", ID: "prefix-only"},
		{Kind: state.KindSecurityGroup, Name: "c-demo-1_api", ID: "name-of-another-kind"},
		{Kind: state.KindSecurityGroup, Name: "default", ID: "used-by-ours"},
		{Kind: state.KindAntiAffinityGroup, Name: "c-demo-1_worker_2", ID: "more-than-there-are"},
		{Kind: state.KindElasticIP, Name: "c-demo-1_api", ID: "our-name-other-label", Labels: other},
		{Kind: state.KindElasticIP, Name: "c-demo-1_vpn", ID: "address-with-our-prefix"},
		{Kind: state.KindElasticIP, Name: "", ID: "on-our-machine", Uses: []string{"i1"}},
		{Kind: state.KindPrivateNetwork, Name: "lan", ID: "net-of-ours", Uses: []string{"i1"}},
		{Kind: state.KindSSHKey, Name: "c-demo-1-admin-2", ID: "c-demo-1-admin-2"},
		{Kind: state.KindZone, Name: "example.net", ID: "parent"},
		{Kind: state.KindZone, Name: "c-demo-1.example.com", ID: "other-base"},
		{Kind: state.KindZone, Name: "c-demo-10.example.net", ID: "longer-zone"},
		{Kind: state.KindRecord, Name: "www A 192.0.2.1", ID: "other-record"},
		{Kind: state.KindRecord, Name: "api TXT v=spf1", ID: "other-type"},
		{Kind: state.KindBucket, Name: "c-demo-1-invoices", ID: "c-demo-1-invoices"},
		{Kind: state.KindBucket, Name: "c-demo-10-image", ID: "c-demo-10-image"},
		{Kind: state.KindBucket, Name: "c-demo-1-logstore", ID: "c-demo-1-logstore", Labels: other},
		{Kind: state.KindBucket, Name: "made-again", ID: "made-again"},
		{Kind: state.KindTemplate, Name: "rhcos-1", ID: "not-in-journal"},
		{Kind: state.KindTemplate, Name: "rhcos-2", ID: "before-the-intent", Created: born.Add(-time.Hour)},
		{Kind: state.KindVolume, Name: "data", ID: "free"},
		{Kind: state.KindVolume, Name: "data", ID: "on-other", Uses: []string{"no-label"}},
		{Kind: state.KindVolume, Name: "pvc-u1", ID: "claimed-but-on-other", Uses: []string{"no-label"}, Created: later},
		{Kind: state.KindVolume, Name: "pvc-u1", ID: "remembered-but-on-other", Uses: []string{"no-label"}, Created: later},
		{Kind: state.KindVolume, Name: "data", ID: "only-attached", Uses: []string{"i1"}, Created: later},
		{Kind: state.KindVolume, Name: "pvc-u2", ID: "claimed-by-another-uid", Uses: []string{"i1"}, Created: later},
		{Kind: state.KindVolume, Name: "pvc-u1", ID: "claimed-by-nothing-that-is-there", Created: later},
		{Kind: state.KindVolume, Name: "pvc-u1", ID: "of-an-unknown-age"},
		{Kind: state.KindLoadBalancer, Name: "k8s-u1", ID: "shared", Uses: []string{"p1", "p2"}, Created: later},
		{Kind: state.KindLoadBalancer, Name: "k8s-u1", ID: "older", Uses: []string{"p1"}, Created: born},
		{Kind: state.KindLoadBalancer, Name: "k8s-u1", ID: "only-led-to-our-pool", Uses: []string{"p1"}, Created: later},
		{Kind: state.KindLoadBalancer, Name: "k8s-u1", ID: "other-label-and-claimed", Created: later, Labels: other},
		{Kind: state.KindRole, Name: "c-demo-1", ID: "role"},
		{Kind: state.KindRole, Name: "c-demo-1_auditors", ID: "role-with-our-prefix"},
		{Kind: state.KindAPIKey, Name: "key", ID: "key", Uses: []string{"role"}},
	}
	e := readJournal([]state.Entry{
		{Kind: state.KindInstance, Name: "j", ID: "other-label-in-our-journal", Action: state.Created},
		{Kind: state.KindTemplate, Name: "rhcos-1", ID: "not-in-journal", Action: state.Found},
		{Kind: state.KindTemplate, Name: "rhcos-2", Time: born},
		{Kind: state.KindBucket, Name: "made-again", ID: "made-again", Action: state.Created},
		{Kind: state.KindBucket, Name: "made-again", ID: "made-again", Action: state.Deleted},
	})
	for _, id := range []string{"claimed-but-on-other", "claimed-by-another-uid", "of-an-unknown-age"} {
		e.addClaims([]state.Claim{claim(state.KindVolume, id, "pvc-")})
	}
	for _, id := range []string{"shared", "older", "other-label-and-claimed"} {
		e.addClaims([]state.Claim{claim(state.KindLoadBalancer, id, "k8s-")})
	}
	e.addClaims([]state.Claim{{Kind: state.KindVolume, ID: "claimed-by-nothing-that-is-there", By: "persistent volume x"}})
	e.storeProofs([]Found{{Object: state.Object{Kind: state.KindVolume, ID: "remembered-but-on-other"}, Proof: ByBothSides}})
	if diff := cmp.Diff(map[string]string{"i1": "label", "p1": "label"}, proofs(findOwned(objects, identity1(), e))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestOurs_CompletedIntentProvesNoNamesake(t *testing.T) {
	template := state.Object{Kind: state.KindTemplate, Name: "rhcos-1", ID: "of-somebody-else", Created: born}
	journal := []state.Entry{{Kind: state.KindTemplate, Name: "rhcos-1"}, {Kind: state.KindTemplate, Name: "rhcos-1", ID: "t1", Action: state.Created}}
	if found := findOwned([]state.Object{template}, identity1(), readJournal(journal)); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}

// The prefix of buckets can be chosen freely: that of c-delta may be the name of another cluster.
func TestOurs_BucketsOfPrefixNamesake(t *testing.T) {
	delta := spec()
	delta.Cluster.ID, delta.ObjectStorage.BucketPrefix = "c-delta", "c-alpha"
	who := newIdentity(delta, install.ListNames(delta))
	bucket := state.Object{Kind: state.KindBucket, Name: "c-alpha-logstore", ID: "c-alpha-logstore"}
	machine := state.Object{Kind: state.KindInstance, ID: "i1", Labels: label("c-alpha")}
	made := []state.Entry{{Kind: state.KindBucket, Name: bucket.Name, ID: bucket.ID, Action: state.Created}}
	for name, c := range map[string]struct {
		mark    string
		there   []state.Object
		journal []state.Entry
		want    string
	}{
		"marked as the other's":           {mark: "c-alpha", journal: made},
		"marked as ours":                  {mark: "c-delta", there: []state.Object{machine}, want: ByOwnerMark},
		"unmarked, and the other exists":  {there: []state.Object{machine}},
		"unmarked, and there is no other": {want: ByName},
		"unmarked, in our journal":        {there: []state.Object{machine}, journal: made, want: ByJournal},
	} {
		o := bucket
		if c.mark != "" {
			o.Labels = label(c.mark)
		}
		if got := proofs(findOwned(append(c.there, o), who, readJournal(c.journal)))[o.ID]; got != c.want {
			t.Errorf("%s: proven by %q, want %q", name, got, c.want)
		}
	}
}
