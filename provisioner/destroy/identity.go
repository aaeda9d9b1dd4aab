package destroy

import (
	"cmp"
	"slices"
	"strings"

	"exoshift/state"
)

// identity is what a cluster's objects are told by.
type identity struct {
	cluster string
	domain  string
	prefix  string        // of the names of buckets
	backups string        // the bucket that holds them
	names   map[name]bool // that the recipe gives
}

type name struct{ kind, name string }

func newIdentity(spec state.Spec, names []state.Object) identity {
	who := identity{
		cluster: spec.Cluster.ID, domain: spec.Domain(), backups: spec.Bucket(state.BucketBackups),
		prefix: cmp.Or(spec.ObjectStorage.BucketPrefix, spec.Cluster.ID), names: map[name]bool{},
	}
	for _, o := range names {
		who.names[nameOf(o.Kind, o.Name)] = true
	}
	return who
}

// nameOf makes names of zones and records comparable.
func nameOf(kind, text string) name {
	if kind == state.KindZone || kind == state.KindRecord {
		text = strings.ToLower(strings.TrimSuffix(text, "."))
	}
	return name{kind, text}
}

// hasLabel tells whether an object carries the cluster's label, or the mark of its owner.
func (who identity) hasLabel(o state.Object) bool { return o.Labels[state.LabelCluster] == who.cluster }

// isForeign tells whether an object carries the label or the mark of another cluster. Nothing else makes such an object ours.
func (who identity) isForeign(o state.Object) bool {
	label, ok := o.Labels[state.LabelCluster]
	return ok && label != who.cluster
}

// hasRecipeName tells whether an object has exactly a name that the recipe gives, and that no other recipe can give.
func (who identity) hasRecipeName(o state.Object) bool {
	text := o.Name
	if o.Kind == state.KindRecord { // its content may have changed since
		if words := strings.Fields(text); len(words) > 2 {
			text = words[0] + " " + words[1]
		}
	}
	return who.names[nameOf(o.Kind, text)]
}

// hasSimilarName tells whether a name begins like those that the recipe gives to objects of that kind.
func (who identity) hasSimilarName(o state.Object) bool {
	kinds := []string{state.KindSecurityGroup, state.KindAntiAffinityGroup, state.KindElasticIP, state.KindRole, state.KindAPIKey}
	return slices.Contains(kinds, o.Kind) && strings.HasPrefix(o.Name, who.cluster+"_")
}
