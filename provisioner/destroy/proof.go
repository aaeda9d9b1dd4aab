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

func newKey(o state.Object) key { return key{o.Kind, o.ID} }

// proofSources is what proves that an object is ours, beside its label and name.
type proofSources struct {
	journal    map[key]bool
	intended   map[string]time.Time // templates whose registration was intended and never noted, by name
	claims     map[key][]state.Claim
	remembered map[key]Found
}

// readJournal returns what a journal proves: the IDs that were noted after a creation, until a deletion was, and the names
// of templates whose registration was intended and never noted; a template carries neither our label nor our name.
func readJournal(journal []state.Entry) proofSources {
	e := proofSources{journal: map[key]bool{}, intended: map[string]time.Time{}, claims: map[key][]state.Claim{}, remembered: map[key]Found{}}
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

// isJournaled tells whether the journal proves an object.
func (e proofSources) isJournaled(o state.Object) bool {
	if e.journal[newKey(o)] {
		return true
	}
	intended, open := e.intended[o.Name]
	return o.Kind == state.KindTemplate && open && !o.Created.Before(intended.Add(-clockSkew))
}

// storeProofs keeps the proofs that cannot be seen again: a dead cluster claims nothing, and what a proof came through may be
// gone. The others have to hold anew: whoever takes the label off an object takes it away from us.
func (e proofSources) storeProofs(found []Found) {
	for _, f := range found {
		if _, known := e.remembered[newKey(f.Object)]; !known && f.Proof != "" && (f.Proof == ByBothSides || f.Through != "") {
			e.remembered[newKey(f.Object)] = f
		}
	}
}

// addClaims keeps what the cluster says that it made.
func (e proofSources) addClaims(claims []state.Claim) {
	for _, c := range claims {
		id := key{c.Kind, c.ID}
		e.claims[id] = append(e.claims[id], c)
	}
}

// clockSkew is how far the clocks of the cloud, of the cluster and of this machine may be apart.
const clockSkew = 5 * time.Minute

// refuteClaim returns why the cloud does not confirm a claim, or "". The name holds a UID that the API server chose and that
// nobody can aim at an object of somebody else's. The age matters because the cloud controller manager gives its name to
// whatever load balancer a Service is annotated with.
func refuteClaim(claim state.Claim, o state.Object) string {
	switch {
	case claim.Name == "":
		return claim.By + " claims it, and what it was made for is not there"
	case o.Name != claim.Name:
		return fmt.Sprintf("%s claims it, but what is made for that is called %s", claim.By, claim.Name)
	case o.Created.Before(claim.Since.Add(-clockSkew)):
		return fmt.Sprintf("%s claims it, but it is older", claim.By)
	}
	return ""
}

// findHolderKind is the kind of objects that one hangs on. While one of them is not ours, no claim counts: a volume may have moved
// on to another machine, and a load balancer may be shared.
func findHolderKind(kind string) string {
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

// isDependentKind tells whether objects of a kind are part of what they hang on, or made from it, so that they go with it. A volume
// and a load balancer are not: a tenant can have somebody else's attached to a machine and led to a pool of ours.
func isDependentKind(kind string) bool {
	return kind != state.KindVolume && kind != state.KindLoadBalancer
}

// findOwned returns the objects that belong to the cluster, in their order, each with its proof.
func findOwned(objects []state.Object, who identity, e proofSources) []Found {
	s := newSearch(objects, who, e)
	var found []Found
	for _, o := range objects {
		if proof, ok := s.proven[newKey(o)]; ok {
			found = append(found, proof)
		}
	}
	return found
}

// proofSearch collects the proofs.
type proofSearch struct {
	identity identity
	sources  proofSources
	byID     map[string]state.Object
	clusters map[string]bool // that something carries the label of
	proven   map[key]Found
}

func newSearch(objects []state.Object, who identity, e proofSources) proofSearch {
	s := proofSearch{identity: who, sources: e, byID: map[string]state.Object{}, clusters: map[string]bool{}, proven: map[key]Found{}}
	for _, o := range objects {
		s.byID[o.ID] = o
		if o.Kind != state.KindBucket { // its mark may be wrong, as that of c-delta on a bucket of c-alpha
			s.clusters[o.Labels[state.LabelCluster]] = true
		}
	}
	for fresh := true; fresh; { // what hangs on something that hangs on something of ours
		fresh = false
		for _, o := range objects {
			if _, known := s.proven[newKey(o)]; known || who.isForeign(o) {
				continue
			}
			if proof, through := s.findProof(o); proof != "" {
				s.proven[newKey(o)], fresh = Found{Object: o, Proof: proof, Through: through}, true
			}
		}
	}
	return s
}

// findProof returns the first proof that there is for an object, and the object that it comes through.
func (s proofSearch) findProof(o state.Object) (proof, through string) {
	switch {
	case s.identity.hasLabel(o) && o.Kind == state.KindBucket:
		return ByOwnerMark, ""
	case s.identity.hasLabel(o):
		return ByLabel, ""
	case s.sources.isJournaled(o):
		return ByJournal, ""
	case s.identity.hasRecipeName(o) && !s.hasNamesake(o):
		return ByName, ""
	}
	held, own := s.findHolder(o)
	if !own {
		return "", ""
	}
	if s.isConfirmed(o) {
		return ByBothSides, ""
	}
	if held != nil && isDependentKind(o.Kind) {
		return held.Proof, cmp.Or(held.Through, Describe(held.Object))
	}
	remembered := s.sources.remembered[newKey(o)]
	return remembered.Proof, remembered.Through
}

// hasNamesake tells whether a bucket without a mark has the name that another cluster, which is there, gives to its own.
func (s proofSearch) hasNamesake(o state.Object) bool {
	return o.Kind == state.KindBucket && s.identity.prefix != s.identity.cluster && s.clusters[s.identity.prefix]
}

func (s proofSearch) isConfirmed(o state.Object) bool {
	return slices.ContainsFunc(s.sources.claims[newKey(o)], func(c state.Claim) bool { return refuteClaim(c, o) == "" })
}

// findHolder returns something of ours that an object hangs on, if there is anything, and tells whether all of it is ours.
func (s proofSearch) findHolder(o state.Object) (by *Found, own bool) {
	kind := findHolderKind(o.Kind)
	for _, id := range o.Uses {
		used, there := s.byID[id]
		if !there || used.Kind != kind {
			continue
		}
		proven, ok := s.proven[newKey(used)]
		if !ok {
			return nil, false
		}
		by = &proven
	}
	return by, true
}

// describeUnproven returns why an object that looks as if it were ours is not proven to be, or "" if it does not even look so.
func (s proofSearch) describeUnproven(o state.Object) string {
	claims := s.sources.claims[newKey(o)]
	switch {
	case s.identity.isForeign(o):
		return s.describeForeign(o)
	case s.identity.hasRecipeName(o) && s.hasNamesake(o):
		return fmt.Sprintf("it has no mark of its owner, and there is a cluster %s whose buckets are called like this", s.identity.prefix)
	case len(claims) > 0:
		if reason := refuteClaim(claims[0], o); reason != "" {
			return reason
		}
		return claims[0].By + " claims it, but it serves something that is not this cluster's"
	case s.identity.hasSimilarName(o):
		return "its name begins like those of this cluster, and no installation gives it"
	}
	if by, own := s.findHolder(o); by != nil && own {
		return fmt.Sprintf("it is attached to %s, and the cluster does not say that it made it", Describe(by.Object))
	}
	return ""
}

// describeForeign returns why something of another cluster is not ours although it looks so.
func (s proofSearch) describeForeign(o state.Object) string {
	label := o.Labels[state.LabelCluster]
	switch {
	case o.Kind == state.KindBucket && (s.identity.hasRecipeName(o) || s.sources.isJournaled(o)):
		return "it is marked as the property of cluster " + label
	case len(s.sources.claims[newKey(o)]) > 0, s.identity.hasRecipeName(o), s.identity.hasSimilarName(o), s.sources.isJournaled(o):
		return "it carries the label of cluster " + label
	}
	return ""
}

// isNodeImage tells by the name what installations register templates as.
func isNodeImage(name string) bool {
	return strings.HasPrefix(name, "rhcos-") || strings.HasPrefix(name, "scos-")
}
