package wizard

import (
	"net/url"
	"regexp"
	"strings"

	"exoshift/state"
)

// httpsURL never repeats the value: it may hold a password.
func httpsURL(value string) []Fault {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Scheme != "https" || u.Hostname() == "":
		return wrong("the value is no https URL", "https://host/…", "")
	case u.User != nil:
		return wrong("the URL holds credentials, which would be kept in the open", "https://host/…", "")
	}
	return printable(value)
}

// serviceURL wants the address of a service itself: tokens are kept by it, letter by letter, and paths are added to it.
func serviceURL(value string) []Fault {
	if faults := httpsURL(value); faults != nil {
		return faults
	}
	const allowed = "https://host, without anything behind it"
	switch bare := strings.TrimRight(value, "/"); {
	case strings.ContainsAny(value, "?#"):
		return wrong("the URL holds more than an address", allowed, "")
	case bare != value:
		return wrong("the URL ends with a slash", allowed, bare)
	}
	return nil
}

// Beginnings of the IDs of Project Syn.
const (
	tenantPrefix  = "t-"
	clusterPrefix = "c-"
)

func tenantID(value string) []Fault {
	if faults := label(63)(value); faults != nil {
		return faults
	}
	return prefixed(value, tenantPrefix, 63, "tenants")
}

// prefixed wants an ID to begin as Lieutenant has them begin.
func prefixed(id, prefix string, length int, whose string) []Fault {
	if len(id) > len(prefix) && strings.HasPrefix(id, prefix) {
		return nil
	}
	suggestion := prefix + id
	if len(suggestion) > length || !isLabel(suggestion) {
		suggestion = ""
	}
	return wrong(quote(id)+" does not begin with "+prefix+", as the IDs of "+whose+" do in Lieutenant", "e.g. "+prefix+"demo", suggestion)
}

func factRule(item string) []Fault {
	key, value, _ := strings.Cut(item, "=")
	if !regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$`).MatchString(key) {
		return wrong(quote(key)+" is no name of a fact", "letters, digits, '_', '-' and '.'", "")
	}
	return printable(value)
}

// synRules hold across the fields of Project Syn.
func synRules(spec state.Spec) []Fault {
	if !hasLieutenant(spec) {
		return nil
	}
	var faults []Fault
	if id := spec.Cluster.ID; label(maxID)(id) == nil {
		faults = of("cluster.id", prefixed(id, clusterPrefix, maxID, "clusters"))
	}
	return append(faults, contradictions(spec)...)
}

// unproved points out that a catalog with certificates waits for records which nobody makes.
func unproved(spec state.Spec) []Fault {
	if spec.DNS.ACME {
		return nil
	}
	return of("dns.acme", wrong("catalogs usually ask for certificates by ACME, and would wait for their DNS records in vain",
		"true, unless the tenant's configuration asks for none", "true"))
}

// withoutSyn points out answers that mean something to a cluster of Project Syn only.
func withoutSyn(spec state.Spec) []Fault {
	if hasLieutenant(spec) {
		return append(unusualFacts(spec), unproved(spec)...)
	}
	var faults []Fault
	for _, field := range synFields() {
		if field.when != nil && field.Get(spec) != "" {
			faults = append(faults, of(field.Key, wrong("the cluster is not connected to Project Syn: the answer is kept only", "", ""))...)
		}
	}
	if spec.DNS.ACME {
		faults = append(faults, of("dns.acme", wrong("the cluster makes no certificates without Project Syn",
			"an answer to syn.lieutenantURL, or certificates that you add yourself", ""))...)
	}
	return faults
}
