package redact

import (
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// name is a candidate for a DNS name. It is resolved after all files were added.
const name Kind = "name"

func findRegistrable(name string) (string, bool) {
	labels := strings.Split(name, ".")
	last := labels[len(labels)-1]
	if len(labels) < 2 || strings.Trim(last, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "", false
	}
	if slices.Contains([]string{"local", "internal", "intranet", "lan", "corp", "localdomain"}, last) {
		return strings.Join(labels[len(labels)-2:], "."), true
	}
	if suffix, listed := publicsuffix.PublicSuffix(name); !listed && !strings.Contains(suffix, ".") {
		return "", false // no such top-level domain: bootkube.service, v1.node
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(name)
	return domain, err == nil
}

// isCommonTLD reports whether names with this top-level domain are more often domain names than files, object fields or
// functions, unlike bootkube.sh or metadata.id.
func isCommonTLD(domain string) bool {
	top := domain[strings.LastIndexByte(domain, '.')+1:]
	if len(top) == 2 {
		return !slices.Contains([]string{"sh", "py", "md", "rs", "pl", "ps", "so", "cc", "mk", "id", "tf", "st", "my"}, top)
	}
	return slices.Contains([]string{
		"com", "net", "org", "info", "biz", "dev", "app", "cloud", "swiss", "tech", "online", "bank", "edu", "gov", "mil",
		"local", "internal", "intranet", "lan", "corp", "localdomain",
	}, top)
}

// isCommonDomain reports whether a domain does not identify its user: domains of vendors, and API groups of Kubernetes.
func isCommonDomain(domain string) bool {
	return slices.Contains([]string{
		"exoscale.com", "exoscale.ch", "exoscale.io", "exoscale.net", "exo.io", "openshift.com", "openshift.io", "redhat.com", "redhat.io", "quay.io",
		"okd.io", "coreos.com", "k8s.io", "kubernetes.io", "x-k8s.io", "cncf.io", "ovn.org", "cilium.io", "metal3.io",
		"gcr.io", "ghcr.io", "docker.io", "docker.com", "github.com", "githubusercontent.com", "golang.org", "fedoraproject.org",
		"cloudflare-dns.com", "cloudfront.net", "amazonaws.com", "akamai.net", "cluster.local", "localhost.localdomain",
		"ntp.org", "letsencrypt.org",
	}, domain)
}

func (r *Redactor) addDomain(content []byte, s span) {
	domain, ok := findRegistrable(s.value)
	if !ok || isCommonDomain(domain) {
		return
	}
	before := string(content[max(0, s.start-3):s.start])
	if s.value != domain && isCommonTLD(domain) || strings.HasSuffix(before, "://") || strings.HasSuffix(before, "@") {
		r.domains[domain] = true
	}
}

// resolveNames returns the spans of names to replace, and all other spans. In a foreign domain, the domain and its subdomains
// get separate tokens; names of the cluster's domains are found by findIdentities.
func (r *Redactor) resolveNames(spans []span) []span {
	var found []span
	for _, s := range spans {
		if s.kind != name {
			found = append(found, s)
			continue
		}
		domain, ok := findRegistrable(s.value)
		if !ok || isCommonDomain(domain) || !isCommonTLD(domain) && !r.domains[domain] || r.isClusterName(s.value) {
			continue
		}
		at := s.end - len(domain)
		found = append(found, span{at, s.end, Domain, domain})
		if at > s.start {
			found = append(found, span{s.start, at - len("."), Host, s.value})
		}
	}
	return found
}

func (r *Redactor) isClusterName(name string) bool {
	return slices.ContainsFunc(r.own, func(domain string) bool {
		return name == domain || strings.HasSuffix(name, "."+domain)
	})
}

// matchMailbox accepts mailboxes of people: core@ is a system user, and tty1@.service is not a host.
func matchMailbox(text string) (string, bool) {
	local, host, _ := strings.Cut(toLower(text), "@")
	domain, ok := findRegistrable(host)
	return toLower(text), ok && isCommonTLD(domain) && !isSystemUser(local)
}

// toLower changes ASCII letters only, so that the length of the text stays the same.
func toLower(text string) string { return string(toLowerBytes([]byte(text))) }

func toLowerBytes(text []byte) []byte {
	small := slices.Clone(text)
	for i, b := range small {
		if 'A' <= b && b <= 'Z' {
			small[i] = b + 'a' - 'A'
		}
	}
	return small
}
