package wizard

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"exoshift/state"
)

// validateHTTPSURL never repeats the value: it may hold a password.
func validateHTTPSURL(value string) []Problem {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Scheme != "https" || u.Hostname() == "":
		return NewProblem("the value is no https URL", "https://host/…", "")
	case u.User != nil:
		return NewProblem("the URL holds credentials, which would be kept in the open", "https://host/…", "")
	}
	return ValidatePrintable(value)
}

// The value has to be the exact base URL: tokens are stored by it, and paths are appended to it.
func validateServiceURL(value string) []Problem {
	if faults := validateHTTPSURL(value); faults != nil {
		return faults
	}
	const allowed = "https://host, without anything behind it"
	switch bare := strings.TrimRight(value, "/"); {
	case strings.ContainsAny(value, "?#"):
		return NewProblem("the URL holds more than an address", allowed, "")
	case bare != value:
		return NewProblem("the URL ends with a slash", allowed, bare)
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
	return NewProblem(Quote(id)+" does not begin with "+prefix+", as the IDs of "+whose+" do in Lieutenant", "e.g. "+prefix+"demo", suggestion)
}

func validateFact(item string) []Problem {
	key, value, _ := strings.Cut(item, "=")
	if !regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$`).MatchString(key) {
		return NewProblem(Quote(key)+" is no name of a fact", "letters, digits, '_', '-' and '.'", "")
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

// checkACME warns that a catalog with certificates needs DNS records which nothing creates.
func checkACME(spec state.Spec) []Problem {
	if spec.DNS.ACME {
		return nil
	}
	return WithField("dns.acme", NewProblem("catalogs usually ask for certificates by ACME, and would wait for their DNS records in vain",
		"true, unless the tenant's configuration asks for none", "true"))
}

func checkWithoutSyn(spec state.Spec) []Problem {
	if hasLieutenant(spec) {
		return append(checkUnusualFacts(spec), checkACME(spec)...)
	}
	var faults []Problem
	for _, field := range listSynFields() {
		if field.when != nil && field.Get(spec) != "" {
			faults = append(faults, WithField(field.Key, NewProblem("the cluster is not connected to Project Syn: the answer is kept only", "", ""))...)
		}
	}
	if spec.DNS.ACME {
		faults = append(faults, WithField("dns.acme", NewProblem("the cluster makes no certificates without Project Syn",
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
		{Key: FactsKey, Title: "All facts", Example: "service_level=guaranteed-availability, access_policy=regular", rule: validateFact,
			Screen: Syn, Advanced: true, Effect: Adds, when: hasLieutenant,
			Help:   "What Lieutenant is told about the cluster: the facts that customers' clusters usually have, and any others. It is told distribution, cloud and region without you.",
			Why:    "The configuration of the cluster may depend on these facts.",
			Source: "Those who run Project Syn for you. Leave it as it is unless they name other facts.",
			value:  bindTable(func(s *state.Spec) *map[string]string { return &s.Syn.Facts })},
		{Key: catalogKey, Title: "Catalog directory", Example: "./catalog", rule: ValidatePrintable,
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
		{Key: GitTokenKey, Title: "Git token", Example: "env:GITLAB_TOKEN", Secret: true,
			Screen: Syn, Advanced: true, Effect: NoEffect, rule: ValidateReference, when: hasLieutenant,
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
	known                []Choice // usual values
	form                 string   // regular expression of usual values, if they have a form only
	several              bool     // of the values, with commas
	when                 func(state.Spec) bool
}

// The values are those of Project Syn at VSHN.
func listKnownFacts() []fact {
	return []fact{
		{name: "sales_order", title: "Sales order", example: "S10000", form: `^S[0-9]+$`,
			help: "The number of the order that the cluster belongs to.", why: "The cluster is accounted for by it.",
			source: "Those who sold the cluster. Leave it empty for a cluster that nobody pays for."},
		{name: "service_level", title: "Service level", example: "guaranteed-availability",
			known: []Choice{{"guaranteed-availability", "the cluster is looked after at any hour"}},
			help:  "How quickly somebody comes if the cluster is in trouble.", why: "Alerts of the cluster reach people by it.",
			source: "The contract about the cluster."},
		{name: "access_policy", title: "Access policy", example: "regular",
			known: []Choice{{"regular", "all engineers"}, {"swissonly", "only those in Switzerland"}},
			help:  "Which engineers may reach the cluster.", why: "Permissions inside of the cluster follow from it.",
			source: "The contract about the cluster."},
		{name: "release_channel", title: "Release channel", example: "stable",
			known: []Choice{{"stable", "configuration that others have tried first"}},
			help:  "Which releases of the shared configuration the cluster follows.",
			why:   "Changes of the shared configuration arrive by this channel.", source: "You choose it. Nearly all clusters follow stable."},
		{name: "maintenance_window", title: "Maintenance window", example: "tuesday-1000",
			known: []Choice{
				{"monday-1400", "Mondays at 14:00, for clusters to test with"}, {"tuesday-1000", "Tuesdays at 10:00, for production"},
				{"custom", "one of the cluster's own, in its configuration"},
			},
			help: "When the cluster is updated every week.", why: "The first maintenance takes its settings, and nodes restart at that time.",
			source: "Agree on it with those who use the cluster."},
		{name: "cilium_addons", title: "Additions of Cilium", example: "advanced_networking", several: true, when: hasCilium,
			known: []Choice{
				{"NONE", "Cilium alone"}, {"advanced_networking", "egress gateways and more"}, {"tetragon", "watches what programs do"},
			},
			help: "What is run of Cilium beyond the network itself; several have commas between them.",
			why:  "Each addition needs a subscription.", source: "The contract about the cluster."},
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
		if said, given := spec.Syn.Facts[name]; given && made[name] != "" && said != made[name] {
			faults = append(faults, WithField(FactsKey+"."+name, NewProblem(
				fmt.Sprintf("%s contradicts the other answers, from which this fact is made", Quote(said)),
				made[name]+", or leave the fact out", ""))...)
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
		switch alike := Nearest(name, names); {
		case at >= 0:
			faults = append(faults, WithField(FactsKey+"."+name, known[at].checkValue(spec.Syn.Facts[name]))...)
		case alike != "" && alike != name:
			faults = append(faults, WithField(FactsKey+"."+name, NewProblem("nothing is known to depend on a fact of that name", "the name "+alike+", if that is meant", ""))...)
		}
	}
	return faults
}

func (f fact) checkValue(value string) []Problem {
	if f.form != "" && !regexp.MustCompile(f.form).MatchString(value) {
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
			return NewProblem(Quote(one)+" is none of the usual values: the cluster's configuration has to know it", FormatChoices(names), Nearest(one, names))
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
		Help: "A fact that Lieutenant is told about the cluster.", value: bindFact(name),
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
	if spec.LoadBalancer.ProxyProtocol && spec.IsRoundRobin() {
		faults = append(faults, WithField("loadBalancer.proxyProtocol", NewProblem("without load balancers nobody speaks the PROXY protocol: the answer is kept only", "", ""))...)
	}
	if apps := spec.DNS.AppsDomain; apps != "" && !strings.HasSuffix(apps, "."+spec.Domain()) {
		faults = append(faults, WithField("dns.appsDomain", NewProblem("it is outside of the cluster's zone: you lead *."+apps+" to ingress."+spec.Domain()+" yourself, and the installation waits for that: the console is there", "", ""))...)
	}
	return faults
}
