package destroy

import (
	"cmp"
	"slices"
	"strings"

	"exoshift/state"
)

type identity struct {
	cluster string
	domain  string
	prefix  string        // of the names of buckets
	backups string        // the bucket of the backups
	names   map[name]bool // that the installation gives
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

func nameOf(kind, text string) name {
	if kind == state.KindZone || kind == state.KindRecord {
		text = strings.ToLower(strings.TrimSuffix(text, "."))
	}
	return name{kind, text}
}

func (who identity) hasLabel(o state.Object) bool { return o.Labels[state.LabelCluster] == who.cluster }

// The label or mark of another cluster overrides every other proof.
func (who identity) isForeign(o state.Object) bool {
	label, ok := o.Labels[state.LabelCluster]
	return ok && label != who.cluster
}

// The name is one that this installation gives, and no other can give.
func (who identity) hasRecipeName(o state.Object) bool {
	text := o.Name
	if o.Kind == state.KindRecord { // its content may have changed since
		if words := strings.Fields(text); len(words) > 2 {
			text = words[0] + " " + words[1]
		}
	}
	return who.names[nameOf(o.Kind, text)]
}

func (who identity) hasSimilarName(o state.Object) bool {
	kinds := []string{state.KindSecurityGroup, state.KindAntiAffinityGroup, state.KindElasticIP, state.KindRole, state.KindAPIKey}
	return slices.Contains(kinds, o.Kind) && strings.HasPrefix(o.Name, who.cluster+"_")
}
