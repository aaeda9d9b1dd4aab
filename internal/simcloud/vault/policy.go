package vault

import (
	"slices"
	"strings"
)

// Engineer is the policy of people who install clusters, with all permissions on the secrets of clusters.
const Engineer = "engineer"

const (
	root          = "root"
	defaultPolicy = "default"
)

const clusterPolicy = "cluster/"

// FormatClusterPolicy returns the name of the policy of one cluster: it may read its own secrets and the shared ones.
func FormatClusterPolicy(tenant, cluster string) string {
	return clusterPolicy + tenant + "/" + cluster
}

// Rule allows operations on a path, e.g. "clusters/kv/data/t-demo/*"; a star at its end matches any suffix.
type Rule struct {
	Path         string
	Capabilities []string // create, read, update, patch, delete, list
}

func (rule Rule) isMatch(path string) bool {
	if prefix, ok := strings.CutSuffix(rule.Path, "*"); ok {
		return strings.HasPrefix(path, prefix)
	}
	return rule.Path == path
}

// policies are the policies of every simulated Vault, and those of the configuration.
type policies struct {
	mount string
	added map[string][]Rule
}

// listRules returns a policy's rules; an unknown one has none.
func (p policies) listRules(policy string) []Rule {
	all := []string{"create", "read", "update", "patch", "delete", "list"}
	if own, ok := strings.CutPrefix(policy, clusterPolicy); ok {
		return []Rule{
			{p.mount + "/data/" + own + "/*", []string{"read"}},
			{p.mount + "/data/__shared__/__shared__/*", []string{"read"}},
		}
	}
	switch policy {
	case root:
		return []Rule{{"*", append(all, "sudo")}}
	case Engineer:
		return []Rule{{p.mount + "/*", all}}
	}
	return p.added[policy]
}

// listCapabilities returns a token's capabilities on a path, sorted; "deny" if it has none.
func (p policies) listCapabilities(t token, path string) []string {
	if slices.Contains(t.Policies, root) {
		return []string{root}
	}
	var allowed []string
	for _, policy := range t.Policies {
		for _, rule := range p.listRules(policy) {
			if rule.isMatch(path) {
				allowed = append(allowed, rule.Capabilities...)
			}
		}
	}
	if len(allowed) == 0 {
		return []string{"deny"}
	}
	slices.Sort(allowed)
	return slices.Compact(allowed)
}

func (p policies) isAllowed(t token, path, operation string) bool {
	allowed := p.listCapabilities(t, path)
	return slices.Contains(allowed, root) || slices.Contains(allowed, operation)
}

// hasAnyAccess reports whether a token has any capability below the mount.
func (p policies) hasAnyAccess(t token) bool {
	for _, policy := range t.Policies {
		for _, rule := range p.listRules(policy) {
			if rule.Path == "*" || strings.HasPrefix(rule.Path, p.mount+"/") {
				return true
			}
		}
	}
	return false
}
