package destroy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

// How an object is proven to be the cluster's.
const (
	ByLabel     = "label"
	ByOwnerMark = "owner-mark"  // of a bucket
	ByJournal   = "journal"     // an installation noted that it made it
	ByName      = "recipe-name" // exactly a name that the recipe gives
	ByBothSides = "both-sides"  // the cluster says that it made it, and the cloud shows what only its controllers make
)

// Found is an object of ours with its proof.
type Found struct {
	state.Object
	Proof   string
	Through string // the object that the proof is of, if this one is only a part of it or was made from it; for people
}

// key tells an object from all others.
type key struct{ kind, id string }

func keyOf(o state.Object) key { return key{o.Kind, o.ID} }

// evidence is what proves that an object is ours, beside its label and name.
type evidence struct {
	journal    map[key]bool
	intended   map[string]time.Time // templates whose registration was intended and never noted, by name
	claims     map[key][]state.Claim
	remembered map[key]Found
}

// readJournal returns what a journal proves: the IDs that were noted after a creation, until a deletion was, and the names
// of templates whose registration was intended and never noted; a template carries neither our label nor our name.
func readJournal(journal []state.Entry) evidence {
	e := evidence{journal: map[key]bool{}, intended: map[string]time.Time{}, claims: map[key][]state.Claim{}, remembered: map[key]Found{}}
	for _, entry := range journal {
		if entry.Kind == state.KindTemplate {
			delete(e.intended, entry.Name)
			if entry.Action == "" {
				e.intended[entry.Name] = entry.Time
			}
		}
		switch {
		case entry.ID == "":
		case entry.Action == state.Created || entry.Action == state.Adopted:
			e.journal[key{entry.Kind, entry.ID}] = true
		case entry.Action == state.Deleted: // names of buckets and SSH keys can be given again
			delete(e.journal, key{entry.Kind, entry.ID})
		}
	}
	return e
}

// notes tells whether the journal proves an object.
func (e evidence) notes(o state.Object) bool {
	if e.journal[keyOf(o)] {
		return true
	}
	intended, open := e.intended[o.Name]
	return o.Kind == state.KindTemplate && open && !o.Created.Before(intended.Add(-skew))
}

// remember keeps the proofs that cannot be seen again: a dead cluster claims nothing, and what a proof came through may be
// gone. The others have to hold anew: whoever takes the label off an object takes it away from us.
func (e evidence) remember(found []Found) {
	for _, f := range found {
		if _, known := e.remembered[keyOf(f.Object)]; !known && f.Proof != "" && (f.Proof == ByBothSides || f.Through != "") {
			e.remembered[keyOf(f.Object)] = f
		}
	}
}

// claimed keeps what the cluster says that it made.
func (e evidence) claimed(claims []state.Claim) {
	for _, c := range claims {
		id := key{c.Kind, c.ID}
		e.claims[id] = append(e.claims[id], c)
	}
}

// skew is how far the clocks of the cloud, of the cluster and of this machine may be apart.
const skew = 5 * time.Minute

// refuteClaim returns why the cloud does not confirm a claim, or "". The name holds a UID that the API server chose and that
// nobody can aim at an object of somebody else's. The age matters because the cloud controller manager gives its name to
// whatever load balancer a Service is annotated with.
func refuteClaim(claim state.Claim, o state.Object) string {
	switch {
	case claim.Name == "":
		return claim.By + " claims it, and what it was made for is not there"
	case o.Name != claim.Name:
		return fmt.Sprintf("%s claims it, but what is made for that is called %s", claim.By, claim.Name)
	case o.Created.Before(claim.Since.Add(-skew)):
		return fmt.Sprintf("%s claims it, but it is older", claim.By)
	}
	return ""
}

// holders is the kind of objects that one hangs on. While one of them is not ours, no claim counts: a volume may have moved
// on to another machine, and a load balancer may be shared.
func holders(kind string) string {
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

// follows tells whether objects of a kind are part of what they hang on, or made from it, so that they go with it. A volume
// and a load balancer are not: a tenant can have somebody else's attached to a machine and led to a pool of ours.
func follows(kind string) bool { return kind != state.KindVolume && kind != state.KindLoadBalancer }

// ours returns the objects that belong to the cluster, in their order, each with its proof.
func ours(objects []state.Object, who identity, e evidence) []Found {
	s := newSearch(objects, who, e)
	var found []Found
	for _, o := range objects {
		if proof, ok := s.proven[keyOf(o)]; ok {
			found = append(found, proof)
		}
	}
	return found
}

// search collects the proofs.
type search struct {
	who      identity
	evidence evidence
	byID     map[string]state.Object
	clusters map[string]bool // that something carries the label of
	proven   map[key]Found
}

func newSearch(objects []state.Object, who identity, e evidence) search {
	s := search{who: who, evidence: e, byID: map[string]state.Object{}, clusters: map[string]bool{}, proven: map[key]Found{}}
	for _, o := range objects {
		s.byID[o.ID] = o
		if o.Kind != state.KindBucket { // its mark may be wrong, as that of c-delta on a bucket of c-alpha
			s.clusters[o.Labels[state.LabelCluster]] = true
		}
	}
	for fresh := true; fresh; { // what hangs on something that hangs on something of ours
		fresh = false
		for _, o := range objects {
			if _, known := s.proven[keyOf(o)]; known || who.foreign(o) {
				continue
			}
			if proof, through := s.prove(o); proof != "" {
				s.proven[keyOf(o)], fresh = Found{Object: o, Proof: proof, Through: through}, true
			}
		}
	}
	return s
}

// prove returns the first proof that there is for an object, and the object that it comes through.
func (s search) prove(o state.Object) (proof, through string) {
	switch {
	case s.who.labelled(o) && o.Kind == state.KindBucket:
		return ByOwnerMark, ""
	case s.who.labelled(o):
		return ByLabel, ""
	case s.evidence.notes(o):
		return ByJournal, ""
	case s.who.named(o) && !s.namesake(o):
		return ByName, ""
	}
	held, own := s.held(o)
	if !own {
		return "", ""
	}
	if s.confirmed(o) {
		return ByBothSides, ""
	}
	if held != nil && follows(o.Kind) {
		return held.Proof, cmp.Or(held.Through, Describe(held.Object))
	}
	remembered := s.evidence.remembered[keyOf(o)]
	return remembered.Proof, remembered.Through
}

// namesake tells whether a bucket without a mark has the name that another cluster, which is there, gives to its own.
func (s search) namesake(o state.Object) bool {
	return o.Kind == state.KindBucket && s.who.prefix != s.who.cluster && s.clusters[s.who.prefix]
}

func (s search) confirmed(o state.Object) bool {
	return slices.ContainsFunc(s.evidence.claims[keyOf(o)], func(c state.Claim) bool { return refuteClaim(c, o) == "" })
}

// held returns something of ours that an object hangs on, if there is anything, and tells whether all of it is ours.
func (s search) held(o state.Object) (by *Found, own bool) {
	kind := holders(o.Kind)
	for _, id := range o.Uses {
		used, there := s.byID[id]
		if !there || used.Kind != kind {
			continue
		}
		proven, ok := s.proven[keyOf(used)]
		if !ok {
			return nil, false
		}
		by = &proven
	}
	return by, true
}

// suspicion returns why an object that looks as if it were ours is not proven to be, or "" if it does not even look so.
func (s search) suspicion(o state.Object) string {
	claims := s.evidence.claims[keyOf(o)]
	switch {
	case s.who.foreign(o):
		return s.ofAnother(o)
	case s.who.named(o) && s.namesake(o):
		return fmt.Sprintf("it has no mark of its owner, and there is a cluster %s whose buckets are called like this", s.who.prefix)
	case len(claims) > 0:
		if reason := refuteClaim(claims[0], o); reason != "" {
			return reason
		}
		return claims[0].By + " claims it, but it serves something that is not this cluster's"
	case s.who.alike(o):
		return "its name begins like those of this cluster, and no installation gives it"
	}
	if by, own := s.held(o); by != nil && own {
		return fmt.Sprintf("it is attached to %s, and the cluster does not say that it made it", Describe(by.Object))
	}
	return ""
}

// ofAnother returns why something of another cluster is not ours although it looks so.
func (s search) ofAnother(o state.Object) string {
	label := o.Labels[state.LabelCluster]
	switch {
	case o.Kind == state.KindBucket && (s.who.named(o) || s.evidence.notes(o)):
		return "it is marked as the property of cluster " + label
	case len(s.evidence.claims[keyOf(o)]) > 0, s.who.named(o), s.who.alike(o), s.evidence.notes(o):
		return "it carries the label of cluster " + label
	}
	return ""
}

// isNodeImage tells by the name what installations register templates as.
func isNodeImage(name string) bool {
	return strings.HasPrefix(name, "rhcos-") || strings.HasPrefix(name, "scos-")
}
