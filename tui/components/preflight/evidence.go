package preflight

import (
	"maps"
	"slices"
	"strings"

	"exoshift/wizard/reach"
)

// The most significant evidence comes first.
func (p EndpointDetails) renderEvidence(r reach.Result) string {
	var parts []string
	shown := maps.Clone(shownElsewhere)
	for _, key := range append(listEvidenceKeys(), slices.Sorted(maps.Keys(r.Evidence))...) {
		value := r.Evidence[key]
		if key == reach.EvidenceTime {
			value = formatMillis(value)
		}
		if value != "" && !shown[key] {
			parts = append(parts, renderWords(p.Theme.Dim, describeEvidence(key))+" "+value)
		}
		shown[key] = true
	}
	return strings.Join(parts, " "+p.Theme.Dim.Render(p.Theme.Dot)+" ")
}

func listEvidenceKeys() []string {
	return []string{
		reach.EvidenceError, reach.EvidenceHost, reach.EvidenceStatus, reach.EvidenceProxy, reach.EvidenceAddress, reach.EvidenceAddresses,
		reach.EvidenceResolver, reach.EvidenceIPv4, reach.EvidenceIPv6, reach.EvidenceIssuer, reach.EvidenceSubject, reach.EvidenceExpires,
		reach.EvidenceSkew, reach.EvidenceHostKey,
	}
}

// shownElsewhere holds the keys that other lines show.
var shownElsewhere = map[string]bool{ //nolint:gochecknoglobals // a table that nothing changes
	reach.EvidenceSkipped: true, reach.EvidenceUntil: true, reach.EvidenceDNSTime: true, reach.EvidenceTCPTime: true, reach.EvidenceTLSTime: true,
	reach.EvidenceHTTPTime: true,
}

func describeEvidence(key string) string {
	switch key {
	case reach.EvidenceIPv4:
		return "IPv4"
	case reach.EvidenceIPv6:
		return "IPv6"
	case reach.EvidenceSkew:
		return "clock off by"
	case reach.EvidenceHostKey:
		return "host key"
	case reach.EvidenceTime:
		return "took"
	}
	return strings.ReplaceAll(key, "_", " ")
}
