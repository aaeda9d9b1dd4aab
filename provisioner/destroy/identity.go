package destroy

import (
	"slices"
	"strings"

	"exoshift/state"
)

// identity is what a cluster's objects are told by.
type identity struct {
	cluster string
	domain  string
	buckets []string
	backups string // the bucket that holds them
}

func identify(spec state.Spec) identity {
	who := identity{cluster: spec.Cluster.ID, domain: spec.Domain(), backups: spec.Bucket(state.BucketBackups)}
	for _, purpose := range append(state.PassingBuckets(), state.KeptBuckets()...) {
		who.buckets = append(who.buckets, spec.Bucket(purpose))
	}
	return who
}

// labelled tells whether an object carries the cluster's label.
func (who identity) labelled(o state.Object) bool { return o.Labels[state.LabelCluster] == who.cluster }

// foreign tells whether an object carries the label of another cluster. Nothing else makes such an object ours.
func (who identity) foreign(o state.Object) bool {
	label, ok := o.Labels[state.LabelCluster]
	return ok && label != who.cluster
}

// named tells whether an object has a name that the recipe gives. An ID of a cluster holds no underscore, so "c-1_"
// begins no name of cluster c-10. Names of instances, volumes and the like are shared by all clusters and prove nothing.
func (who identity) named(o state.Object) bool {
	switch o.Kind {
	case state.KindSecurityGroup, state.KindAntiAffinityGroup, state.KindElasticIP, state.KindRole, state.KindAPIKey:
		return strings.HasPrefix(o.Name, who.cluster+"_")
	case state.KindSSHKey:
		return o.Name == who.cluster+"-admin"
	case state.KindZone:
		return strings.EqualFold(strings.TrimSuffix(o.Name, "."), who.domain)
	case state.KindBucket:
		return slices.Contains(who.buckets, o.Name)
	}
	return false
}
