package reach

import (
	"slices"
	"strings"
)

// minIssuerDomains is for how many registered domains one issuer has to sign until that is worth a warning: the operators of
// the catalogue's services have their certificates from many issuers, some of them from their own.
const minIssuerDomains = 5

// sharedIssuer is an issuer below a public authority that signs for nearly every service, however unrelated: most likely
// somebody opens the TLS traffic with a certificate that every machine trusts.
type sharedIssuer struct {
	name   string
	places []int // of the results whose services it signs for
}

// findSharedIssuer returns the issuer of at least four in five domains of public services. Authorities that sign for services
// themselves are left out: public ones never do, and have intermediate ones for it.
func findSharedIssuer(results []Result) (sharedIssuer, bool) {
	places, domains := map[string][]int{}, map[string]map[string]bool{}
	all := map[string]bool{}
	for i, r := range results {
		issuer, domain := r.Evidence[EvidenceIssuer], findDomain(parseHost(r.Target))
		if r.Verdict != OK || issuer == "" || domain == "" || r.Evidence[EvidenceRoot] == "" {
			continue
		}
		if domains[issuer] == nil {
			domains[issuer] = map[string]bool{}
		}
		all[domain], domains[issuer][domain] = true, true
		places[issuer] = append(places[issuer], i)
	}
	for issuer, signed := range domains {
		if len(signed) >= minIssuerDomains && 5*len(signed) >= 4*len(all) {
			return sharedIssuer{issuer, places[issuer]}, true
		}
	}
	return sharedIssuer{}, false
}

// markSharedIssuer turns the results of services with a shared issuer into warnings, which are emitted once more: no result
// by itself shows it.
func (s *progress) markSharedIssuer() {
	found, shared := findSharedIssuer(s.results)
	if !shared {
		return
	}
	for _, i := range found.places {
		r := s.results[i]
		s.finish(i, newResult(s.task.Source, s.task.Checks[i], Finding{Class: SharedIssuer, Degraded: true, Layers: r.Layers, Evidence: r.Evidence}))
	}
}

// formatAuthorities returns the issuer with the authority above it.
func formatAuthorities(evidence map[string]string) string {
	names := slices.DeleteFunc([]string{evidence[EvidenceIssuer], evidence[EvidenceRoot]}, func(name string) bool { return name == "" })
	if len(names) == 0 {
		return "one issuer"
	}
	return strings.Join(names, ", below ")
}
