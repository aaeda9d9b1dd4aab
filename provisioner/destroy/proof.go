package destroy

import (
	"slices"
	"strings"

	"exoshift/state"
)

// How an object was found to be ours.
const (
	ByLabel    = "label"
	ByName     = "name"
	ByJournal  = "journal"  // an installation noted that it made it
	ByCluster  = "cluster"  // the cluster says that it made it
	ByAttached = "attached" // it hangs on, or was made from, nothing but objects of ours
)

// Found is an object of ours with the proofs.
type Found struct {
	state.Object
	By []string
}

// key tells an object from all others.
type key struct{ kind, id string }

func keyOf(o state.Object) key { return key{o.Kind, o.ID} }

// evidence is what proves that an object is ours, beside its label and name.
type evidence struct {
	journal    map[key]bool
	cluster    map[key]bool
	remembered map[key][]string
}

// made returns what a journal proves: the IDs that were noted after a creation, and the names of templates whose
// registration was intended and never noted; a template carries neither our label nor our name.
func made(journal []state.Entry) map[key]bool {
	proven := map[key]bool{}
	for _, e := range journal {
		template := e.Kind == state.KindTemplate
		switch {
		case e.Action == "" && template:
			proven[intended(e.Name)] = true
		case template:
			delete(proven, intended(e.Name))
		}
		if (e.Action == state.Created || e.Action == state.Adopted) && e.ID != "" {
			proven[key{e.Kind, e.ID}] = true
		}
	}
	return proven
}

func intended(template string) key { return key{"intended " + state.KindTemplate, template} }

// remember keeps the proofs that cannot be seen again: a dead cluster tells nothing, a detached volume shows nothing. The
// others have to hold anew: whoever takes the label off an object takes it away from us.
func (e evidence) remember(found []Found) {
	for _, f := range found {
		for _, proof := range f.By {
			known := e.remembered[keyOf(f.Object)]
			if (proof == ByCluster || proof == ByAttached) && !slices.Contains(known, proof) {
				e.remembered[keyOf(f.Object)] = append(known, proof)
			}
		}
	}
}

// unproven tells of node images that nothing proves to be ours: clusters share them, and only a journal knows who made
// one.
func unproven(found []Found, all []state.Object) []string {
	var notes []string
	for _, o := range all {
		isOurs := func(f Found) bool { return keyOf(f.Object) == keyOf(o) }
		if o.Kind == state.KindTemplate && isNodeImage(o.Name) && !slices.ContainsFunc(found, isOurs) {
			notes = append(notes, Describe(o)+" is not touched: no journal says that this cluster made it, and others may use it")
		}
	}
	return notes
}

// told keeps what the cluster says that it made.
func (e evidence) told(made []state.Object) {
	for _, o := range made {
		e.cluster[keyOf(o)] = true
	}
}

// anchor is the kind of object that proves others to be ours: what hangs on it, or was made from it, goes with it.
func anchor(kind string) string {
	switch kind {
	case state.KindVolume, state.KindSnapshot:
		return state.KindInstance
	case state.KindVolumeSnapshot:
		return state.KindVolume
	case state.KindInstance, state.KindLoadBalancer:
		return state.KindInstancePool
	case state.KindAPIKey:
		return state.KindRole
	}
	return ""
}

// ours returns the objects that belong to the cluster, in their order, each with every proof.
func ours(objects []state.Object, who identity, e evidence) []Found {
	c := claims{who: who, evidence: e, byID: map[string]state.Object{}, proofs: map[key][]string{}}
	for _, o := range objects {
		c.byID[o.ID] = o
	}
	for _, o := range objects {
		c.claim(o, c.direct(o))
	}
	for c.spread(objects) { // what hangs on something that hangs on something of ours
	}
	var found []Found
	for _, o := range objects {
		if proofs := c.proofs[keyOf(o)]; len(proofs) > 0 {
			found = append(found, Found{Object: o, By: proofs})
		}
	}
	return found
}

// claims are the proofs collected so far.
type claims struct {
	who      identity
	evidence evidence
	byID     map[string]state.Object
	proofs   map[key][]string
}

// claim adds proofs and tells whether one of them is new.
func (c claims) claim(o state.Object, proofs []string) bool {
	if c.who.foreign(o) {
		return false
	}
	known := c.proofs[keyOf(o)]
	for _, proof := range proofs {
		if !slices.Contains(known, proof) {
			known = append(known, proof)
		}
	}
	fresh := len(known) > len(c.proofs[keyOf(o)])
	c.proofs[keyOf(o)] = known
	return fresh
}

// direct returns the proofs that need no look at other objects.
func (c claims) direct(o state.Object) []string {
	var proofs []string
	if c.who.labelled(o) {
		proofs = append(proofs, ByLabel)
	}
	if c.who.named(o) {
		proofs = append(proofs, ByName)
	}
	if c.evidence.journal[keyOf(o)] || o.Kind == state.KindTemplate && c.evidence.journal[intended(o.Name)] {
		proofs = append(proofs, ByJournal)
	}
	return proofs
}

// spread claims what is proven through other objects and tells whether there was anything new.
func (c claims) spread(objects []state.Object) bool {
	fresh := false
	for _, o := range objects {
		fresh = c.claim(o, c.indirect(o)) || fresh
	}
	return fresh
}

// indirect returns the proofs that do not count while the object hangs on something foreign: a volume may have moved on
// to another machine, a load balancer may be shared, and what a cluster says can be written by whoever may write there.
func (c claims) indirect(o state.Object) []string {
	anchors, all := c.anchors(o)
	if !all {
		return nil
	}
	var proofs []string
	if c.evidence.cluster[keyOf(o)] {
		proofs = append(proofs, ByCluster)
	}
	if anchors > 0 {
		proofs = append(proofs, ByAttached)
	}
	return append(proofs, c.evidence.remembered[keyOf(o)]...)
}

// anchors counts what proves an object, and tells whether all of it is ours.
func (c claims) anchors(o state.Object) (n int, all bool) {
	kind, all := anchor(o.Kind), true
	for _, id := range o.Uses {
		if used, there := c.byID[id]; there && used.Kind == kind {
			n++
			all = all && len(c.proofs[keyOf(used)]) > 0
		}
	}
	return n, all
}

// isNodeImage tells by the name what installations register templates as.
func isNodeImage(name string) bool {
	return strings.HasPrefix(name, "rhcos-") || strings.HasPrefix(name, "scos-")
}
