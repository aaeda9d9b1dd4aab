package reach

import (
	"cmp"
	"fmt"
	"slices"

	"exoshift/internal/stable"
)

// Cause is one common cause of several failed checks: without it, all of them succeed.
type Cause struct {
	First Result   // one of the failed checks
	IDs   []string // of the failed checks, in the order of the report
	Text  string   // what it is, without a full stop: "the clock of this workstation is about 17 minutes behind"
	Hint  string   // what to do about it
}

// Fewer failed checks are not grouped by their cause.
const minSharedChecks = 3

// CommonCauses returns the causes of several results of a report, the one with the most results first.
func CommonCauses(report Report) []Cause {
	bySource := countOutcomes(report)
	groups := map[shared]*Cause{}
	var found []shared
	for _, r := range report.Results {
		key, known := bySource[r.Source].findShared(r)
		if r.Verdict != Warn && r.Verdict != Fail || !known {
			continue
		}
		key.source = r.Source
		switch {
		case groups[key] == nil:
			groups[key] = &Cause{First: r}
			found = append(found, key)
		case r.Class == key.class && groups[key].First.Class != key.class:
			groups[key].First = r
		}
		groups[key].IDs = append(groups[key].IDs, r.ID)
	}
	var causes []Cause
	for _, key := range found {
		cause := *groups[key]
		if len(cause.IDs) >= minSharedChecks {
			cause.Text, cause.Hint = bySource[key.source].describeCause(key, cause.First)
			causes = append(causes, cause)
		}
	}
	stable.Sort(causes, func(a, b Cause) int { return cmp.Compare(len(b.IDs), len(a.IDs)) })
	return causes
}

// Explains reports whether a result comes from this cause.
func (c Cause) Explains(r Result) bool {
	alike := r.Class == c.First.Class || r.Class == TCPTimeout && c.First.Class == Prohibited // see outcomeCounts.mapClass
	return r.Source == c.First.Source && alike && slices.Contains(c.IDs, r.ID)
}

// String returns the text of the cause and the number of its results.
func (c Cause) String() string {
	return fmt.Sprintf("one cause of %d problems: %s", len(c.IDs), c.Text)
}

// shared is what results with a common cause have in common.
type shared struct {
	source   string
	class    Class
	evidence string // e.g. the resolver
	domain   string // "" if the cause is not about the hosts of one domain
}

// findShared returns what results of one class with a common cause share. Where the evidence does not name a culprit, most
// of what was tried has to fail alike, or several hosts of one domain.
func (c *outcomeCounts) findShared(r Result) (key shared, known bool) {
	r.Class = c.mapClass(r.Class)
	key, known = c.findEvidence(r)
	key.class = r.Class
	return key, known
}

func (c *outcomeCounts) findEvidence(r Result) (key shared, known bool) {
	e := r.Evidence
	switch r.Class {
	case "":
		return shared{}, false
	case ClockSkew, Captive, NoIPv4, MTU, Unstable, Loss, NoResolver:
		return shared{}, true
	case ProxyAuth, ProxyRefused, ProxyPassword, ProxyUnknown, ProxySilent, ProxyPort:
		return shared{evidence: e[EvidenceProxy]}, true
	case Inspected:
		return shared{evidence: e[EvidenceAuthority]}, true
	case Untrusted, Expired, SharedIssuer:
		if issuer := e[EvidenceIssuer]; issuer != "" || r.Class == Untrusted {
			return shared{evidence: issuer}, issuer != ""
		}
	case WrongHostname:
		if subject := e[EvidenceSubject]; subject != "" {
			return shared{evidence: subject}, true
		}
	case DNSTimeout, DNSRefused, ServFail:
		return shared{evidence: e[EvidenceResolver]}, true
	case SplitView:
		return shared{evidence: e[EvidenceResolver] + " " + e[EvidenceAddresses]}, e[EvidenceAddresses] != ""
	case Unauthorized, Credentials, Missing, HostKey, Exposed, Slow:
		return shared{}, false // each is about its service alone
	}
	if c.isCommon(r.Class) {
		evidence := e[EvidenceProxy]
		if r.Class == NXDomain {
			evidence = e[EvidenceResolver]
		}
		return shared{evidence: evidence}, true
	}
	domain := findDomain(cmp.Or(parseHost(e[EvidenceHost]), parseHost(r.Target)))
	return shared{domain: domain}, domain != ""
}
