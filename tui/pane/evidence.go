package pane

import (
	"maps"
	"slices"
	"strings"

	"exoshift/wizard/reach"
)

// evidence says what was seen, one thing after the other, what tells most first.
func (p EndpointDetails) evidence(r reach.Result) string {
	var parts []string
	shown := shownElsewhere()
	for _, key := range append(evidenceOrder(), slices.Sorted(maps.Keys(r.Evidence))...) {
		value := r.Evidence[key]
		if key == reach.EvidenceTime {
			value = took(value)
		}
		if value != "" && !shown[key] {
			parts = append(parts, words(p.Theme.Dim, evidenceWords(key))+" "+value)
		}
		shown[key] = true
	}
	return strings.Join(parts, " "+p.Theme.Dim.Render(p.Theme.Dot)+" ")
}

func evidenceOrder() []string {
	return []string{
		reach.EvidenceError, reach.EvidenceHost, reach.EvidenceStatus, reach.EvidenceProxy, reach.EvidenceAddress, reach.EvidenceAddresses,
		reach.EvidenceResolver, reach.EvidenceIPv4, reach.EvidenceIPv6, reach.EvidenceIssuer, reach.EvidenceSubject, reach.EvidenceExpires,
		reach.EvidenceSkew, reach.EvidenceFinger,
	}
}

// shownElsewhere are the keys that other lines tell.
func shownElsewhere() map[string]bool {
	return map[string]bool{
		reach.EvidenceSkipped: true, reach.EvidenceUntil: true, reach.EvidenceDNSTime: true, reach.EvidenceTCPTime: true, reach.EvidenceTLSTime: true,
		reach.EvidenceHTTPTime: true,
	}
}

func evidenceWords(key string) string {
	switch key {
	case reach.EvidenceIPv4:
		return "IPv4"
	case reach.EvidenceIPv6:
		return "IPv6"
	case reach.EvidenceSkew:
		return "clock off by"
	case reach.EvidenceFinger:
		return "host key"
	case reach.EvidenceTime:
		return "took"
	}
	return strings.ReplaceAll(key, "_", " ")
}
