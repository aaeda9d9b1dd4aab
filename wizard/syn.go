package wizard

import (
	"net/url"
	"regexp"
	"strings"

	"exoshift/state"
)

// validateHTTPSURL never repeats the value: it may hold a password.
func validateHTTPSURL(value string) []Problem {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Scheme != "https" || u.Hostname() == "":
		return newProblem("the value is no https URL", "https://host/…", "")
	case u.User != nil:
		return newProblem("the URL holds credentials, which would be kept in the open", "https://host/…", "")
	}
	return validatePrintable(value)
}

// The value has to be the exact base URL: tokens are stored by it, and paths are appended to it.
func validateServiceURL(value string) []Problem {
	if faults := validateHTTPSURL(value); faults != nil {
		return faults
	}
	const allowed = "https://host, without anything behind it"
	switch bare := strings.TrimRight(value, "/"); {
	case strings.ContainsAny(value, "?#"):
		return newProblem("the URL holds more than an address", allowed, "")
	case bare != value:
		return newProblem("the URL ends with a slash", allowed, bare)
	}
	return nil
}

// Prefixes of the IDs of Project Syn.
const (
	tenantPrefix  = "t-"
	clusterPrefix = "c-"
)

func validateTenantID(value string) []Problem {
	if faults := validateLabel(63)(value); faults != nil {
		return faults
	}
	return validatePrefixed(value, tenantPrefix, 63, "tenants")
}

func validatePrefixed(id, prefix string, length int, whose string) []Problem {
	if len(id) > len(prefix) && strings.HasPrefix(id, prefix) {
		return nil
	}
	suggestion := prefix + id
	if len(suggestion) > length || !isLabel(suggestion) {
		suggestion = ""
	}
	return newProblem(quote(id)+" does not begin with "+prefix+", as the IDs of "+whose+" do in Lieutenant", "e.g. "+prefix+"demo", suggestion)
}

func validateFact(item string) []Problem {
	key, value, _ := strings.Cut(item, "=")
	if !regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$`).MatchString(key) {
		return newProblem(quote(key)+" is no name of a fact", "letters, digits, '_', '-' and '.'", "")
	}
	return validatePrintable(value)
}

func checkSyn(spec state.Spec) []Problem {
	if !hasLieutenant(spec) {
		return nil
	}
	var faults []Problem
	if id := spec.Cluster.ID; validateLabel(maxID)(id) == nil {
		faults = withField("cluster.id", validatePrefixed(id, clusterPrefix, maxID, "clusters"))
	}
	return append(faults, checkContradictions(spec)...)
}

// checkACME warns that a catalog with certificates needs DNS records which nothing creates.
func checkACME(spec state.Spec) []Problem {
	if spec.DNS.ACME {
		return nil
	}
	return withField("dns.acme", newProblem("catalogs usually ask for certificates by ACME, and would wait for their DNS records in vain",
		"true, unless the tenant's configuration asks for none", "true"))
}

func checkWithoutSyn(spec state.Spec) []Problem {
	if hasLieutenant(spec) {
		return append(checkUnusualFacts(spec), checkACME(spec)...)
	}
	var faults []Problem
	for _, field := range listSynFields() {
		if field.when != nil && field.Get(spec) != "" {
			faults = append(faults, withField(field.Key, newProblem("the cluster is not connected to Project Syn: the answer is kept only", "", ""))...)
		}
	}
	if spec.DNS.ACME {
		faults = append(faults, withField("dns.acme", newProblem("the cluster makes no certificates without Project Syn",
			"an answer to syn.lieutenantURL, or certificates that you add yourself", ""))...)
	}
	return faults
}
