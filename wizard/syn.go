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

func listSynFields() []Field {
	return []Field{
		{Key: lieutenantKey, Title: "Lieutenant", Example: "https://api.syn.example.net", rule: validateServiceURL,
			Screen: Syn, Effect: ByHand, typable: isAddressRune,
			Help:   "The API of Project Syn; empty: the cluster is not connected.",
			Why:    "Project Syn keeps the configuration of many clusters in one place, and this one is registered there and takes its own from it. Without it the cluster stands on its own.",
			Source: "Those who run Project Syn for you. Leave it empty if nobody does.",
			value:  bindText(func(s *state.Spec) *string { return &s.Syn.LieutenantURL })},
		{Key: tenantKey, Title: "Tenant", Example: "t-demo", rule: validateTenantID,
			Screen: Syn, Effect: ByHand, typable: isLabelRune, when: hasLieutenant, Required: true, optionalWhen: hasNoLieutenant,
			Help:   "The ID of the tenant in Lieutenant.",
			Why:    "A cluster belongs to one tenant, whose configuration it shares.",
			Source: "Those who run Project Syn for you. Once you are signed in, the list of your tenants is offered here.",
			value:  bindText(func(s *state.Spec) *string { return &s.Syn.Tenant })},
		{Key: factsKey, Title: "All facts", Example: "service_level=guaranteed-availability, access_policy=regular", rule: validateFact,
			Screen: Syn, Advanced: true, Effect: Adds, when: hasLieutenant,
			Help:   "What Lieutenant is told about the cluster: the facts that customers' clusters usually have, and any others. It is told distribution, cloud and region without you.",
			Why:    "The configuration of the cluster may depend on these facts.",
			Source: "Those who run Project Syn for you. Leave it as it is unless they name other facts.",
			value:  bindTable(func(s *state.Spec) *map[string]string { return &s.Syn.Facts })},
		{Key: catalogKey, Title: "Catalog directory", Example: "./catalog", rule: validatePrintable,
			Screen: Syn, Advanced: true, Effect: NoEffect,
			Help:   "A compiled catalog on this machine, whose manifests are installed with the cluster. Empty: with Lieutenant it is compiled and fetched.",
			Why:    "What the cluster needs from its first minute on, such as the network plugin Cilium, has to be there before Project Syn runs.",
			Source: "A clone of the cluster's catalog repository, after Commodore has compiled it. Leave it empty unless nothing can compile it for you.",
			value:  bindText(func(s *state.Spec) *string { return &s.Syn.CatalogDir })},
		{Key: "syn.vaultAddress", Title: "Vault", Example: "https://vault.example.net", rule: validateServiceURL,
			Screen: Syn, Advanced: true, Effect: Applied, typable: isAddressRune, when: hasLieutenant,
			Help:   "The server that keeps the cluster's secrets for Project Syn. Empty: what Lieutenant says.",
			Why:    "The configuration of Project Syn holds no secrets, only where they are in Vault.",
			Source: "Those who run Project Syn for you. Usually Lieutenant knows it.",
			value:  bindText(func(s *state.Spec) *string { return &s.Syn.VaultAddress })},
		{Key: gitTokenKey, Title: "Git token", Example: "env:GITLAB_TOKEN", Secret: true,
			Screen: Syn, Advanced: true, Effect: NoEffect, rule: validateReference, when: hasLieutenant,
			Help:   "Where the token of the Git host is found. Empty: Git is reached by SSH, with the keys of your SSH agent.",
			Why:    "The cluster's configuration is written to its tenant's repository, and with a token the pipeline that compiles it can be followed.",
			Source: "The Git host: a personal access token with the scope api.",
			value:  bindReference(func(s *state.Spec) *state.SecretRef { return &s.Syn.GitToken })},
	}
}

// The fields of Lieutenant, the tenant, the catalog and the Git host's token.
const (
	lieutenantKey = "syn.lieutenantURL"
	tenantKey     = "syn.tenant"
	catalogKey    = "syn.catalogDir"
	gitTokenKey   = "syn.gitToken"
)

func hasLieutenant(spec state.Spec) bool { return spec.Syn.LieutenantURL != "" }

func hasNoLieutenant(spec state.Spec) bool { return !hasLieutenant(spec) }
