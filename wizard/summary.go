package wizard

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// bullets masks a secret. The number of bullets is independent of its length.
const bullets = "••••••••"

// SummarizeSecret describes the secret that a field refers to, without any part of the secret.
func SummarizeSecret(key, text string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return ""
	case key == pullSecretKey:
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
	if len(name) > maxShown || !isDomain(strings.ToLower(host)) || validatePrintable(name) != nil {
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
