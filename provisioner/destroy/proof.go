package destroy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

// Proofs that an object is the cluster's.
const (
	ByLabel     = "label"
	ByOwnerMark = "owner-mark"  // of a bucket
	ByJournal   = "journal"     // the journal has its creation
	ByName      = "recipe-name" // exactly a name that the installation gives
	ByBothSides = "both-sides"  // the cluster claims it, and the cloud object is as only its controllers create it
)

// Found is an object of the cluster with its proof.
type Found struct {
	state.Object
	Proof   string
	Through string // the object with the direct proof, if this one is only a part of it or was made from it; for humans
}

type key struct{ kind, id string }

func newKey(o state.Object) key { return key{o.Kind, o.ID} }

type proofSources struct {
	journal    map[key]bool
	intended   map[string]time.Time // templates with an intent to register but no result, by name
	claims     map[key][]state.Claim
	remembered map[key]Found
}

// A journal proves the IDs that were recorded after a creation, until a deletion was, and the names of templates with an
// intent but no result; a template has neither our label nor our name.
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
		case entry.Action == state.Deleted: // names of buckets and SSH keys can be reused
			delete(e.journal, key{entry.Kind, entry.ID})
		}
	}
	return e
}

func (e proofSources) isJournaled(o state.Object) bool {
	if e.journal[newKey(o)] {
		return true
	}
	intended, open := e.intended[o.Name]
	return o.Kind == state.KindTemplate && open && !o.Created.Before(intended.Add(-clockSkew))
}

// storeProofs stores the proofs that cannot be repeated: a dead cluster has no claims, and the object of an indirect
// proof may be deleted. The others are evaluated anew: whoever removes the label from an object removes it from the
// cluster.
func (e proofSources) storeProofs(found []Found) {
	for _, f := range found {
		if _, known := e.remembered[newKey(f.Object)]; !known && f.Proof != "" && (f.Proof == ByBothSides || f.Through != "") {
			e.remembered[newKey(f.Object)] = f
		}
	}
}

func (e proofSources) addClaims(claims []state.Claim) {
	for _, c := range claims {
		id := key{c.Kind, c.ID}
		e.claims[id] = append(e.claims[id], c)
	}
}

// The maximum difference between the clocks of the cloud, of the cluster and of this machine.
const clockSkew = 5 * time.Minute

// refuteClaim returns why the cloud object does not confirm a claim, or "". The name includes a UID that the API server
// chose, so nobody can choose it to match a foreign object. The age matters because the cloud controller manager gives
// its name to any load balancer that a Service's annotation names.
func refuteClaim(claim state.Claim, o state.Object) string {
	switch {
	case claim.Name == "":
		return claim.By + " claims it, but the object it belongs to does not exist"
	case o.Name != claim.Name:
		return fmt.Sprintf("%s claims it, but its name would be %s", claim.By, claim.Name)
	case o.Created.Before(claim.Since.Add(-clockSkew)):
		return fmt.Sprintf("%s claims it, but it is older", claim.By)
	}
	return ""
}

// findHolderKind returns the kind of objects that one is attached to. Unless all of them are ours, no claim counts: a
// volume may be attached to another machine now, and a load balancer may be shared.
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

// Objects of these kinds are part of another object, or made from it, and are deleted with it. A volume and a load
// balancer are not: a tenant can attach a foreign volume to a machine, or point a foreign load balancer to our pool.
func isDependentKind(kind string) bool {
	return kind != state.KindVolume && kind != state.KindLoadBalancer
}

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

type proofSearch struct {
	identity identity
	sources  proofSources
	byID     map[string]state.Object
	clusters map[string]bool // clusters with a label on some object
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
	for fresh := true; fresh; { // objects of objects of ours
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

// A bucket without a mark may have the name that another existing cluster gives to its own.
func (s proofSearch) hasNamesake(o state.Object) bool {
	return o.Kind == state.KindBucket && s.identity.prefix != s.identity.cluster && s.clusters[s.identity.prefix]
}

func (s proofSearch) isConfirmed(o state.Object) bool {
	return slices.ContainsFunc(s.sources.claims[newKey(o)], func(c state.Claim) bool { return refuteClaim(c, o) == "" })
}

// findHolder returns an object of ours that this one is attached to, and whether all of them are ours.
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

// describeUnproven returns why a candidate is not proven, or "" for an object that is no candidate.
func (s proofSearch) describeUnproven(o state.Object) string {
	claims := s.sources.claims[newKey(o)]
	switch {
	case s.identity.isForeign(o):
		return s.describeForeign(o)
	case s.identity.hasRecipeName(o) && s.hasNamesake(o):
		return fmt.Sprintf("it has no owner mark, and there is a cluster %s with the same bucket names", s.identity.prefix)
	case len(claims) > 0:
		if reason := refuteClaim(claims[0], o); reason != "" {
			return reason
		}
		return claims[0].By + " claims it, but it serves objects of others"
	case s.identity.hasSimilarName(o):
		return "its name has the prefix of this cluster, but no installation creates it"
	}
	if by, own := s.findHolder(o); by != nil && own {
		return fmt.Sprintf("it is attached to %s, but the cluster does not claim it", Describe(by.Object))
	}
	return ""
}

func (s proofSearch) describeForeign(o state.Object) string {
	label := o.Labels[state.LabelCluster]
	switch {
	case o.Kind == state.KindBucket && (s.identity.hasRecipeName(o) || s.sources.isJournaled(o)):
		return "it is marked as owned by cluster " + label
	case len(s.sources.claims[newKey(o)]) > 0, s.identity.hasRecipeName(o), s.identity.hasSimilarName(o), s.sources.isJournaled(o):
		return "it has the label of cluster " + label
	}
	return ""
}

func isNodeImage(name string) bool {
	return strings.HasPrefix(name, "rhcos-") || strings.HasPrefix(name, "scos-")
}
