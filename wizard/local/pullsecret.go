package local

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/label"
)

type pullSecret struct {
	Auths map[string]struct {
		Auth  string `json:"auth"`       // base64 of user:password
		Store string `json:"credsStore"` // in place of auth
	} `json:"auths"`
}

// A pull secret has to be what openshift-install accepts, with auths that the nodes can use, and for OpenShift Container
// Platform with the registries that an installation pulls from. Only names of registries are repeated.
func pullSecretOf(distribution string) func(text string) []wizard.Problem {
	allowed := "the JSON from https://console.redhat.com/openshift/install/pull-secret"
	if distribution == wizard.OKD {
		allowed = `{"auths": {"<registry>": {"auth": "<base64 of user:password>"}}}, or no openshift.pullSecret at all`
	}
	return func(text string) []wizard.Problem {
		secret, problem := readPullSecret(text)
		if problem != "" {
			return wizard.NewProblem(problem, allowed, "")
		}
		problems := secret.listBrokenAuths()
		if lacking := secret.listMissing("quay.io", "registry.redhat.io"); distribution != wizard.OKD && len(lacking) > 0 {
			problems = append(problems, fmt.Sprintf("the pull secret has no entry for %s, the registry of OpenShift's images", strings.Join(lacking, " and ")))
		}
		var faults []wizard.Problem
		for _, problem := range problems {
			faults = append(faults, wizard.NewProblem(problem, allowed, "")...)
		}
		return faults
	}
}

func readPullSecret(text string) (secret pullSecret, problem string) {
	err := json.Unmarshal([]byte(text), &secret)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return secret, fmt.Sprintf("the pull secret is not valid JSON at character %d", syntax.Offset)
	case err != nil:
		return secret, "the pull secret has an unexpected JSON structure"
	case len(secret.Auths) == 0:
		return secret, "the pull secret has no auths"
	}
	return secret, ""
}

func (s pullSecret) listBrokenAuths() (problems []string) {
	for _, registry := range slices.Sorted(maps.Keys(s.Auths)) {
		entry := s.Auths[registry]
		switch {
		case entry.Auth == "" && entry.Store == "":
			problems = append(problems, "the pull secret has no auth for "+wizard.Quote(registry))
		case entry.Auth != "" && !isAuth(entry.Auth):
			problems = append(problems, "the auth for "+wizard.Quote(registry)+" is not base64 of user:password")
		}
	}
	return problems
}

func isAuth(auth string) bool {
	decoded, err := base64.StdEncoding.DecodeString(auth)
	user, password, _ := strings.Cut(strings.TrimSpace(string(decoded)), ":")
	return err == nil && user != "" && password != ""
}

// A key may name a part of a registry.
func (s pullSecret) listMissing(registries ...string) []string {
	return slices.DeleteFunc(registries, func(registry string) bool {
		for name := range s.Auths {
			if host, _, _ := strings.Cut(name, "/"); host == registry {
				return true
			}
		}
		return false
	})
}

// checkPullSecret warns of missing entries that an installation does not need, and of entries that it should not have.
func checkPullSecret(spec state.Spec, text string) []wizard.Problem {
	secret, problem := readPullSecret(text)
	if problem != "" {
		return nil
	}
	if spec.OpenShift.Distribution == wizard.OKD {
		return secret.checkRedHat()
	}
	var faults []wizard.Problem
	for _, lacking := range secret.listMissing("cloud.openshift.com", "registry.connect.redhat.com") {
		without := map[string]string{
			"cloud.openshift.com":         "the cluster cannot report to Red Hat",
			"registry.connect.redhat.com": "certified operators, Cilium's among them, cannot be pulled",
		}[lacking]
		faults = append(faults, wizard.NewProblem("the pull secret has no entry for "+lacking+": "+without, "", "")...)
	}
	return wizard.WithField(wizard.PullSecretKey, faults)
}

// Red Hat's terms do not allow its pull secret for OKD, which needs none.
func (s pullSecret) checkRedHat() []wizard.Problem {
	if len(s.listMissing("registry.redhat.io", "cloud.openshift.com")) == 2 {
		return nil
	}
	return wizard.WithField(wizard.PullSecretKey, wizard.NewProblem("this is a Red Hat pull secret; OKD does not use one",
		"no openshift.pullSecret: OKD's images are public", ""))
}

// bullets masks a secret. The number of bullets is independent of its length.
const bullets = "••••••••"

// SummarizeSecret describes the secret that a field refers to, without any part of the secret.
func SummarizeSecret(key, text string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return ""
	case key == wizard.PullSecretKey:
		return SummarizePullSecret(text)
	}
	return bullets
}

// SummarizePullSecret describes the registries of a pull secret, those of an installation first, and marks those without
// a usable login: "4 registries: quay.io ok, registry.redhat.io ok, cloud.openshift.com ok and 1 more". Only valid names
// of registries are repeated.
func SummarizePullSecret(text string) string {
	secret, problem := readPullSecret(text)
	if problem != "" {
		return problem
	}
	const named = 3
	var parts []string
	for _, registry := range secret.listRegistries()[:min(named, len(secret.Auths))] {
		parts = append(parts, formatRegistry(registry)+" "+secret.describeAuth(registry))
	}
	summary := fmt.Sprintf("%s: %s", formatCount(len(secret.Auths), "registry", "registries"), strings.Join(parts, ", "))
	if rest := len(secret.Auths) - named; rest > 0 {
		summary += fmt.Sprintf(" and %d more", rest)
	}
	if broken := len(secret.listBrokenAuths()); broken > 0 {
		summary += fmt.Sprintf("; %d cannot be used", broken)
	}
	return summary
}

// The required ones come first.
func (s pullSecret) listRegistries() []string {
	first := []string{"quay.io", "registry.redhat.io", "cloud.openshift.com"}
	var names []string
	for _, name := range first {
		if _, has := s.Auths[name]; has {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Auths)) {
		if !slices.Contains(first, name) {
			names = append(names, name)
		}
	}
	return names
}

func (s pullSecret) describeAuth(registry string) string {
	entry := s.Auths[registry]
	if entry.Store != "" || isAuth(entry.Auth) {
		return "ok"
	}
	return "unusable"
}

// formatRegistry hides what is no name of a registry: it may be a secret.
func formatRegistry(name string) string {
	host, _, _ := strings.Cut(name, "/")
	host, _, _ = strings.Cut(host, ":")
	if len(name) > wizard.MaxShown || !label.IsDomain(strings.ToLower(host)) || wizard.ValidatePrintable(name) != nil {
		return "one without a name"
	}
	return name
}

func formatCount(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
