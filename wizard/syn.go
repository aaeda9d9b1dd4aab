package wizard

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"exoshift/internal/text/similar"
	"exoshift/state"
	"exoshift/wizard/label"
	"exoshift/wizard/profile"
	"exoshift/wizard/recognize"
)

// validateHTTPSURL never repeats the value: it may hold a password.
func validateHTTPSURL(value string) []Problem {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Scheme != "https" || u.Hostname() == "":
		return NewProblem("the value is not an https URL", "https://host/…", "")
	case u.User != nil:
		return NewProblem("the URL contains credentials, which would be stored in plain text", "https://host/…", "")
	}
	return ValidatePrintable(value)
}

// The value has to be the exact base URL: tokens are stored by it, and paths are appended to it.
func validateServiceURL(value string) []Problem {
	if faults := validateHTTPSURL(value); faults != nil {
		return faults
	}
	const allowed = "https://host, without a path"
	switch bare := strings.TrimRight(value, "/"); {
	case strings.ContainsAny(value, "?#"):
		return NewProblem("the URL contains more than an address", allowed, "")
	case bare != value:
		return NewProblem("the URL has a trailing slash", allowed, bare)
	}
	return nil
}

var mountPattern = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$`)

func validateVaultMount(value string) []Problem {
	if mountPattern.MatchString(value) {
		return nil
	}
	suggestion := strings.Trim(value, "/")
	if !mountPattern.MatchString(suggestion) {
		suggestion = ""
	}
	return NewProblem(Quote(value)+" is not the path of a store in Vault", "e.g. "+state.DefaultVaultMount+", without a slash at either end", suggestion)
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
	if len(suggestion) > length || !label.IsDNS(suggestion) {
		suggestion = ""
	}
	return NewProblem(Quote(id)+" does not start with "+prefix+", as required for the ID of a "+whose+" in Lieutenant", "e.g. "+prefix+"demo", suggestion)
}

var factName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$`)

func validateFact(item string) []Problem {
	key, value, _ := strings.Cut(item, "=")
	if !factName.MatchString(key) {
		return NewProblem(Quote(key)+" is not a valid fact name", "letters, digits, '_', '-' and '.'", "")
	}
	return ValidatePrintable(value)
}

func checkSyn(spec state.Spec) []Problem {
	if !hasLieutenant(spec) {
		return nil
	}
	var faults []Problem
	if id := spec.Cluster.ID; validateLabel(maxID)(id) == nil {
		faults = WithField("cluster.id", validatePrefixed(id, clusterPrefix, maxID, "clusters"))
	}
	return append(faults, checkContradictions(spec)...)
}

// checkACME warns of DNS records that are left out although the certificates of a catalog wait for them, at the end of the
// installation. A catalog that is compiled later is assumed to request some, as those of every profile do. An installation that has
// not begun refuses that, a cluster that has its certificates does not need them.
func checkACME(spec state.Spec) []Problem {
	if spec.DNS.ACME || !hasLieutenant(spec) || spec.Syn.CatalogDir != "" {
		return nil
	}
	return WithField("dns.acme", NewProblem("the catalog requests ACME certificates, but no DNS records would be created for them",
		"true; or a compiled catalog that requests none, as syn.catalogDir", "true"))
}

func checkWithoutSyn(spec state.Spec) []Problem {
	if hasLieutenant(spec) {
		return append(checkUnusualFacts(spec), checkACME(spec)...)
	}
	var faults []Problem
	for _, field := range listSynFields() {
		if field.when != nil && field.Get(spec) != "" {
			faults = append(faults, WithField(field.Key, NewProblem("no effect: the cluster is not connected to Project Syn", "", ""))...)
		}
	}
	if spec.DNS.ACME {
		faults = append(faults, WithField("dns.acme", NewProblem("ACME certificates require Project Syn",
			"syn.lieutenantURL, or add certificates yourself", ""))...)
	}
	return faults
}

// checkProfile: without Project Syn nothing brings what the profile relies on.
func checkProfile(spec state.Spec) []Problem {
	if spec.Cluster.Profile != state.ProfileAPPUiO || hasLieutenant(spec) {
		return nil
	}
	return WithField(profile.Key, NewProblem("the profile appuio requires Project Syn", "appuio with syn.lieutenantURL, or plain", state.ProfilePlain))
}

func listSynFields() []Field {
	return []Field{
		{Key: lieutenantKey, Title: "Lieutenant", Example: "https://api.syn.example.net", rule: validateServiceURL,
			Screen: Syn, Effect: ByHand, typable: isAddressRune,
			Help:   "URL of the Project Syn API. Empty: the cluster is not connected.",
			Why:    "Project Syn manages the configuration of many clusters centrally; the cluster registers there and gets its configuration from it. Without it, the cluster is standalone.",
			Source: "Your Project Syn operator. Leave it empty without Project Syn.",
			value:  bindText(func(s *state.Spec) *string { return &s.Syn.LieutenantURL })},
		{Key: tenantKey, Title: "Tenant", Example: "t-demo", rule: validateTenantID,
			Screen: Syn, Effect: ByHand, typable: isLabelRune, when: hasLieutenant, Required: true, optionalWhen: hasNoLieutenant,
			Help:   "The ID of the tenant in Lieutenant.",
			Why:    "A cluster belongs to one tenant and inherits its configuration.",
			Source: "Your Project Syn operator. After sign-in, your tenants are listed here.",
			value:  bindText(func(s *state.Spec) *string { return &s.Syn.Tenant })},
		{Key: FactsKey, Title: "All facts", Example: "service_level=guaranteed-availability, access_policy=regular", rule: validateFact,
			Screen: Syn, Advanced: true, Effect: Adds, when: hasLieutenant,
			Help:   "The cluster's facts in Lieutenant: the usual ones and any others. Distribution, cloud and region are set automatically.",
			Why:    "The cluster's configuration may depend on these facts.",
			Source: "Your Project Syn operator. Keep it unless they request other facts.",
			value:  bindTable(func(s *state.Spec) *map[string]string { return &s.Syn.Facts })},
		{Key: catalogKey, Title: "Catalog directory", Example: "./catalog", rule: ValidatePrintable,
			Screen: Syn, Advanced: true, Effect: NoEffect,
			Help:   "Local compiled catalog whose manifests are installed with the cluster. Empty: with Lieutenant it is compiled and fetched.",
			Why:    "For what the cluster needs before Project Syn runs, such as the Cilium network plugin.",
			Source: "A clone of the cluster's catalog repository, compiled by Commodore. Leave it empty if a pipeline compiles it.",
			value:  bindText(func(s *state.Spec) *string { return &s.Syn.CatalogDir })},
		{Key: "syn.vaultAddress", Title: "Vault", Example: "https://vault.example.net", rule: validateServiceURL,
			Screen: Syn, Advanced: true, Effect: Applied, typable: isAddressRune, when: hasLieutenant,
			Help:   "URL of the Vault server with the cluster's secrets. Empty: the one Lieutenant names.",
			Why:    "Project Syn's configuration only references secrets; the values are in Vault.",
			Source: "Your Project Syn operator. Usually provided by Lieutenant.",
			value:  bindText(func(s *state.Spec) *string { return &s.Syn.VaultAddress })},
		{Key: vaultMountKey, Title: "KV mount", Example: state.DefaultVaultMount, rule: validateVaultMount,
			Screen: Syn, Advanced: true, Effect: Applied, when: hasLieutenant,
			Help:   "The path of the KV store in Vault. Empty: " + state.DefaultVaultMount + ".",
			Why:    "The secrets of all clusters are in one KV store of version 2; the catalog's references name it.",
			Source: "Your Project Syn operator. Leave it empty unless clusters' secrets are in another store.",
			value:  bindText(func(s *state.Spec) *string { return &s.Syn.VaultMount })},
		{Key: GitTokenKey, Title: "Git token", Example: "env:GITLAB_TOKEN", Secret: true,
			Screen: Syn, Advanced: true, Effect: NoEffect, rule: ValidateReference, when: hasLieutenant,
			Help:   "Reference to the Git host's token. Empty: Git over SSH with the keys of your SSH agent.",
			Why:    "The cluster's configuration is pushed to its tenant's repository; with a token, the compile pipeline can be followed.",
			Source: "The Git host: a personal access token with the scope api.",
			value:  bindReference(func(s *state.Spec) *state.SecretRef { return &s.Syn.GitToken })},
	}
}

// The fields of Lieutenant, the tenant, the catalog and the Git host's token.
const (
	lieutenantKey = "syn.lieutenantURL"
	tenantKey     = "syn.tenant"
	catalogKey    = "syn.catalogDir"
	vaultMountKey = "syn.vaultMount"
	GitTokenKey   = "syn.gitToken"
)

func hasLieutenant(spec state.Spec) bool { return spec.Syn.LieutenantURL != "" }

func hasNoLieutenant(spec state.Spec) bool { return !hasLieutenant(spec) }

// FactsKey is the key of all facts about the cluster.
const FactsKey = "syn.facts"

// fact is a property that Lieutenant stores about customers' clusters, and that their configuration may depend on.
type fact struct {
	name, title, example string
	help, why, source    string
	known                []Choice       // usual values
	form                 *regexp.Regexp // of usual values, if they have a form only
	several              bool           // of the values, with commas
	when                 func(state.Spec) bool
}

var salesOrder = regexp.MustCompile(`^S[0-9]+$`)

// The values are those of Project Syn at VSHN.
func listKnownFacts() []fact {
	return []fact{
		{name: "sales_order", title: "Sales order", example: "S10000", form: salesOrder,
			help: "Number of the cluster's sales order.", why: "Used for billing.",
			source: "The sales team. Leave it empty for a cluster that is not billed."},
		{name: "service_level", title: "Service level", example: "guaranteed-availability",
			known: []Choice{{"guaranteed-availability", "24/7 support"}},
			help:  "Support level for incidents of the cluster.", why: "Alert routing depends on it.",
			source: "The cluster's contract."},
		{name: "access_policy", title: "Access policy", example: "regular",
			known: []Choice{{"regular", "all engineers"}, {"swissonly", "engineers in Switzerland only"}},
			help:  "Which engineers may access the cluster.", why: "Permissions in the cluster depend on it.",
			source: "The cluster's contract."},
		{name: "release_channel", title: "Release channel", example: "stable",
			known: []Choice{{"stable", "configuration tested on other clusters first"}},
			help:  "The release channel of the shared configuration.",
			why:   "Changes to the shared configuration are rolled out by channel.", source: "Your choice. Most clusters use stable."},
		{name: "maintenance_window", title: "Maintenance window", example: "tuesday-1000",
			known: []Choice{
				{"monday-1400", "Mondays at 14:00, for test clusters"}, {"tuesday-1000", "Tuesdays at 10:00, for production"},
				{"custom", "custom, set in the cluster's configuration"},
			},
			help: "Time of the weekly cluster update.", why: "Nodes restart during maintenance, starting with the first window.",
			source: "Agree on it with the cluster's users."},
		{name: "cilium_addons", title: "Cilium add-ons", example: "advanced_networking", several: true, when: hasCilium,
			known: []Choice{
				{"NONE", "Cilium only"}, {"advanced_networking", "egress gateways and more"}, {"tetragon", "runtime observability"},
			},
			help: "Cilium features beyond networking; comma-separated.",
			why:  "Each add-on requires a subscription.", source: "The cluster's contract."},
	}
}

func hasCilium(spec state.Spec) bool { return hasLieutenant(spec) && spec.Network.CNI == cilium }

// FactFields returns the fields of known facts, one for each; the file has them below syn.facts.
func FactFields() []Field {
	var fields []Field
	for _, f := range listKnownFacts() {
		when := f.when
		if when == nil {
			when = hasLieutenant
		}
		fields = append(fields, Field{
			Key: FactsKey + "." + f.name, Title: f.title, Example: f.example, Offered: f.known,
			Screen: Syn, Effect: Adds, when: when, Help: f.help, Why: f.why, Source: f.source, value: bindFact(f.name),
		})
	}
	return fields
}

func bindFact(name string) binding {
	return binding{
		shape: Text,
		load:  func(s *state.Spec) string { return s.Syn.Facts[name] },
		store: func(s *state.Spec, value string) error {
			if faults := validateFact(name + "=" + value); faults != nil {
				return errors.New(faults[0].Message)
			}
			facts := maps.Clone(s.Syn.Facts)
			if facts == nil {
				facts = map[string]string{}
			}
			if facts[name] = value; value == "" {
				delete(facts, name)
			}
			s.Syn.Facts = facts
			return nil
		},
	}
}

func computeFacts(spec state.Spec) map[string]string {
	return map[string]string{"distribution": "openshift4", "cloud": "exoscale", "region": spec.Exoscale.Zone}
}

func checkContradictions(spec state.Spec) []Problem {
	var faults []Problem
	made := computeFacts(spec)
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if stated, given := spec.Syn.Facts[name]; given && made[name] != "" && stated != made[name] {
			faults = append(faults, WithField(FactsKey+"."+name, NewProblem(
				fmt.Sprintf("%s contradicts the other answers, which determine this fact", Quote(stated)),
				made[name]+", or omit the fact", ""))...)
		}
	}
	return faults
}

// checkUnusualFacts warns of probable typing mistakes: unknown names and values.
func checkUnusualFacts(spec state.Spec) []Problem {
	names := slices.Collect(maps.Keys(computeFacts(spec)))
	known := listKnownFacts()
	for _, f := range known {
		names = append(names, f.name)
	}
	slices.Sort(names)
	var faults []Problem
	for _, name := range slices.Sorted(maps.Keys(spec.Syn.Facts)) {
		at := slices.IndexFunc(known, func(f fact) bool { return f.name == name })
		switch alike := similar.FindNearest(name, names); {
		case at >= 0:
			faults = append(faults, WithField(FactsKey+"."+name, known[at].checkValue(spec.Syn.Facts[name]))...)
		case alike != "" && alike != name:
			faults = append(faults, WithField(FactsKey+"."+name, NewProblem("no known configuration uses a fact with this name", "the name "+alike+", if intended", ""))...)
		}
	}
	return faults
}

func (f fact) checkValue(value string) []Problem {
	if f.form != nil && !f.form.MatchString(value) {
		return NewProblem(Quote(value)+" does not look like one", "e.g. "+f.example, "")
	}
	var names []string
	for _, choice := range f.known {
		names = append(names, choice.Value)
	}
	values := []string{value}
	if f.several {
		values = strings.Split(value, ",")
	}
	for _, one := range values {
		if len(names) > 0 && !slices.Contains(names, strings.TrimSpace(one)) {
			return NewProblem(Quote(one)+" is not one of the usual values; the cluster's configuration must support it", FormatChoices(names), similar.FindNearest(one, names))
		}
	}
	return nil
}

// FindFact returns the field of a single fact, known or not.
func FindFact(key string) (Field, bool) {
	name, is := strings.CutPrefix(key, FactsKey+".")
	if !is || name == "" {
		return Field{}, false
	}
	if known, found := Find(FactFields(), key); found {
		return known, true
	}
	return Field{
		Key: ToPrefix(FactsKey) + FormatPath(name), Title: "Another fact", Screen: Syn, Effect: Adds, when: hasLieutenant,
		Help: "A custom fact of the cluster in Lieutenant.", value: bindFact(name),
	}, true
}

// RecordFactOrigin sets the origin of a single fact. That of all facts together names each source once.
func (a *Answers) RecordFactOrigin(key, origin string) {
	a.Origins[key] = origin
	sources := strings.Split(a.Origins[FactsKey], ", ")
	if sources[0] == "" {
		sources = nil
	}
	if !slices.Contains(sources, origin) {
		a.Origins[FactsKey] = strings.Join(append(sources, origin), ", ")
	}
}

func (a *Answers) clearOrigin(key string) {
	maps.DeleteFunc(a.Origins, func(known, _ string) bool { return known == key || strings.HasPrefix(known, ToPrefix(key)) })
}

// CheckUnusedAnswers warns of answers without an effect, and of tasks that are left to the operator.
func CheckUnusedAnswers(spec state.Spec) []Problem {
	faults := checkWithoutSyn(spec)
	if apps := spec.DNS.AppsDomain; label.IsDomain(apps) && recognize.Secret(apps) == "" && !strings.HasSuffix(apps, "."+spec.Domain()) {
		faults = append(faults, WithField("dns.appsDomain", NewProblem("it is outside the cluster's zone: point *."+apps+" to ingress."+spec.Domain()+" yourself; the installation waits for it to reach the console", "", ""))...)
	}
	return faults
}
