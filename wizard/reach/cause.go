package reach

import (
	"cmp"
	"fmt"
	"slices"
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
	cut := listSourcesWithout(report, func(l Layers) Layer { return l.TCP })
	nameless := listSourcesWithout(report, func(l Layers) Layer { return l.DNS })
	groups := map[[3]string]*Cause{}
	var found []*Cause
	for _, r := range report.Results {
		shared, known := getSharedEvidence(r, cut[r.Source], nameless[r.Source])
		if r.Verdict != Warn && r.Verdict != Fail || !known {
			continue
		}
		key := [3]string{r.Source, string(r.Class), shared}
		if groups[key] == nil {
			groups[key] = newCause(r)
			found = append(found, groups[key])
		}
		groups[key].IDs = append(groups[key].IDs, r.ID)
	}
	var causes []Cause
	for _, cause := range found {
		if len(cause.IDs) >= minSharedChecks {
			causes = append(causes, *cause)
		}
	}
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(len(b.IDs), len(a.IDs)) })
	return causes
}

// Explains reports whether a result comes from this cause.
func (c Cause) Explains(r Result) bool {
	return r.Source == c.First.Source && r.Class == c.First.Class && slices.Contains(c.IDs, r.ID)
}

// String returns the text of the cause and the number of its results.
func (c Cause) String() string {
	return fmt.Sprintf("one cause of %d problems: %s", len(c.IDs), c.Text)
}

// getSharedEvidence returns what results of one class with a common cause share. cut: from this source no connection was
// made at all; nameless: no name was resolved.
func getSharedEvidence(r Result, cut, nameless bool) (shared string, known bool) {
	e := r.Evidence
	switch r.Class {
	case ClockSkew, Captive, NoRoute:
		return "", true
	case ProxyAuth, ProxyRefused:
		return e[EvidenceProxy], true
	case Untrusted:
		return e[EvidenceIssuer], e[EvidenceIssuer] != ""
	case DNSTimeout, ServFail:
		return e[EvidenceResolver], true
	case SplitView:
		return e[EvidenceResolver] + " " + e[EvidenceAddresses], e[EvidenceAddresses] != ""
	case TCPTimeout, Refused:
		return "", cut
	case NXDomain:
		return e[EvidenceResolver], nameless
	}
	return "", false
}

// listSourcesWithout returns the sources from which a layer was tried and never reached.
func listSourcesWithout(report Report, layer func(Layers) Layer) map[string]bool {
	without := map[string]bool{}
	for _, r := range report.Results {
		if layer(r.Layers) == LayerFail {
			without[r.Source] = true
		}
	}
	for _, r := range report.Results {
		if layer(r.Layers) == LayerOK {
			delete(without, r.Source)
		}
	}
	return without
}

func newCause(r Result) *Cause {
	words := listCauseTexts()[r.Class]
	return &Cause{First: r, Text: expandHint(words[0], r), Hint: expandHint(words[1], r)}
}

// Per class the cause and the fix. Placeholders in braces come from the first result, see expandHint.
func listCauseTexts() map[Class][2]string {
	return map[Class][2]string{
		ClockSkew: {"the clock of {machine} is {how far behind or ahead}", "Set the clock of {machine}, preferably by NTP, and check again."},
		Captive: {"the network of {machine} requires a login",
			"Log in to the network of {machine} in a browser and check again: its captive portal answers instead of these services."},
		NoRoute: {"{machine} has no route to the internet",
			"Connect {machine} to a network, or ask your network team for internet access."},
		ProxyAuth: {"{proxy} requires authentication",
			"Set the user name and password of {proxy}, as in http://USER:PASSWORD@HOST:PORT, {where its proxy is set}."},
		ProxyRefused: {"{proxy} blocks the connections",
			"Check that the address of {proxy} is correct {where its proxy is set}, then ask its operator to allow these connections."},
		Untrusted: {"signed by {issuer}, not trusted by {machine}",
			"Most likely TLS inspection: ask to exempt these hosts, or trust {issuer}: {how that is done there}."},
		DNSTimeout: {"{resolver} does not answer DNS queries", "Allow {machine} to reach {resolver} on port 53, UDP and TCP."},
		ServFail: {"{resolver} fails to answer DNS queries",
			"Ask the operator of {resolver} why it returns SERVFAIL for these names; often its forwarder does not answer."},
		NXDomain: {"{resolver} does not resolve public names",
			"If a proxy resolves names here, set it {where its proxy is set}; otherwise ask the operator of {resolver} to resolve public names."},
		SplitView: {"{resolver} answers {addresses} for all of them",
			"Ask the operator of {resolver} to return the public addresses of these names."},
		TCPTimeout: {"all outgoing connections from {machine} time out",
			"Ask the network team to allow {machine} through the firewall, or set a proxy {where its proxy is set}."},
		Refused: {"all outgoing connections from {machine} are refused",
			"Ask the network team to allow {machine} through the firewall, or set a proxy {where its proxy is set}."},
	}
}
