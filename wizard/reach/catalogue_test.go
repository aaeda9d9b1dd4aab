package reach

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"exoshift/assets"
)

func catalogue(t *testing.T) []assets.Endpoint {
	t.Helper()
	endpoints, err := assets.ReadEndpoints()
	if err != nil {
		t.Fatal(err)
	}
	return endpoints
}

func TestCatalogue_IsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range catalogue(t) {
		kind, _, _ := strings.Cut(e.URL, "://")
		for what, right := range map[string]bool{
			"an ID of its own":              !seen[e.ID],
			"an ID of its group":            regexp.MustCompile("^NET-" + prefixes()[e.Group] + `-\d{3}$`).MatchString(e.ID),
			"a title of a few words":        e.Title != "" && len(e.Title) <= 40,
			"a severity":                    slices.Contains([]string{"must", "should", "may"}, e.Severity),
			"a phase":                       slices.Contains(phases(), e.Phase),
			"an owner":                      slices.Contains([]string{"network", "dns", "exoscale", "vshn", "redhat", "vendor", "customer"}, e.Owner),
			"a place it is needed from":     len(e.From) > 0 && !slices.ContainsFunc(e.From, unknownPlace),
			"a reason of whole sentences":   strings.HasSuffix(e.Reason, ".") && len(e.Reason) < 200,
			"a hint of whole sentences":     e.Hint == "" || strings.HasSuffix(e.Hint, ".") && len(e.Hint) < 200,
			"needs that stand above":        !slices.ContainsFunc(e.Needs, func(id string) bool { return !seen[id] }),
			"conditions that are known":     !slices.ContainsFunc(e.When, unknownCondition),
			"a kind of probe that is known": slices.Contains(listSchemes(), kind),
			"placeholders that are known":   !unknownPlaceholder(e.URL),
			"statuses where there are any":  len(e.Expect) == 0 || strings.HasPrefix(e.URL, "http"),
		} {
			if !right {
				t.Errorf("%s lacks %s: %+v", e.ID, what, e)
			}
		}
		seen[e.ID] = true
	}
}

func prefixes() map[string]string {
	return map[string]string{"exoscale": "EXO", "redhat": "RH", "third-party": "3RD", "vshn": "VSHN", "cluster": "CLU"}
}

func phases() []string {
	return []string{"preflight", "infrastructure", "bootstrap", "control-plane", "nodes", "operators", "syn", "operation", "decommission"}
}

func unknownPlace(from string) bool {
	return !slices.Contains([]string{"installer", "nodes", "load-balancers"}, from)
}

func unknownCondition(names string) bool {
	return slices.ContainsFunc(strings.Split(names, "|"), func(name string) bool { _, known := listConditions()[name]; return !known })
}

func unknownPlaceholder(address string) bool {
	for _, found := range regexp.MustCompile(`\{([^}]*)\}`).FindAllStringSubmatch(address, -1) {
		if _, known := listPlaceholders()[found[1]]; !known {
			return true
		}
	}
	return false
}

func TestCatalogue_UsesConditionsAndPlaceholders(t *testing.T) {
	var all strings.Builder
	for _, e := range catalogue(t) {
		all.WriteString(" |" + strings.Join(e.When, "|") + "| " + e.URL)
	}
	for name := range listConditions() {
		if !strings.Contains(all.String(), "|"+name+"|") {
			t.Errorf("nothing depends on the condition %s", name)
		}
	}
	for name := range listPlaceholders() {
		if !strings.Contains(all.String(), "{"+name+"}") {
			t.Errorf("nothing depends on the placeholder %s", name)
		}
	}
}

// The hosts that documentation and experience name, written down a second time.
func TestCatalogue_HasEveryKnownHost(t *testing.T) {
	scope := everything()
	var ids []string
	for _, e := range catalogue(t) {
		ids = append(ids, e.ID)
	}
	scope.Only = ids
	var known []string
	for _, check := range choose(t, scope) {
		u, err := url.Parse(check.URL)
		if err != nil {
			t.Fatal(err)
		}
		known = append(known, u.Host)
	}
	for host := range strings.FieldsSeq(`
		api.syn.vshn.net id.vshn.net vault-prod.syn.vshn.net git.vshn.net:22 git.vshn.net control.vshn.net acme-dns-api.vshn.net
		metrics-receive.appuio.net master.puppet.vshn.net:8140 management2.corp.vshn.net:22 master8.puppet.vshn.net:22
		master3.prod.monitoring.vshn.net:22 monitoring.vshn.net kb.vshn.ch api-int.syn.vshn.net
		api-de-fra-1.exoscale.com sos-de-fra-1.exo.io portal.exoscale.com 169.254.169.254 159.100.247.115:53 159.100.253.158:53
		registry.redhat.io registry.access.redhat.com access.redhat.com quay.io cdn.quay.io cdn01.quay.io cdn02.quay.io cdn03.quay.io
		cdn04.quay.io cdn05.quay.io cdn06.quay.io quayio-production-s3.s3.amazonaws.com registry.connect.redhat.com sso.redhat.com
		console.redhat.com cert-api.access.redhat.com api.access.redhat.com infogw.api.openshift.com api.openshift.com
		mirror.openshift.com rhcos.mirror.openshift.com storage.googleapis.com icr.io cp.icr.io oauth-openshift.apps.c-1.example.net:443
		console-openshift-console.apps.c-1.example.net:443 canary-openshift-ingress-canary.apps.c-1.example.net:443
		1.rhel.pool.ntp.org:123 2.rhel.pool.ntp.org:123 3.rhel.pool.ntp.org:123
		acme-v02.api.letsencrypt.org acme-staging-v02.api.letsencrypt.org api.opsgenie.com cloud.passbolt.com registry-1.docker.io
		auth.docker.io production.cloudflare.docker.com ghcr.io pkg-containers.githubusercontent.com gcr.io registry.k8s.io
		1.1.1.1:53 github.com raw.githubusercontent.com charts.jetstack.io helm.cilium.io pypi.org registry.gitlab.com
		registry.terraform.io releases.hashicorp.com apt.puppetlabs.com archive.ubuntu.com release-assets.githubusercontent.com
		api.c-1.example.net:6443 api.c-1.example.net:22623 console-openshift-console.apps.c-1.example.net:80`) {
		if !slices.Contains(known, host) {
			t.Errorf("the catalogue lacks %s", host)
		}
	}
}

func TestCatalogue_AddressesAreValid(t *testing.T) {
	scope := everything()
	for _, e := range catalogue(t) {
		address, unknown := scope.expandURL(e.URL)
		if unknown != "" {
			t.Errorf("%s: %s is not known", e.ID, unknown)
		}
		if read, err := ParseEndpoint(address); err != nil {
			t.Errorf("%s: %s: %v", e.ID, read, err)
		}
	}
}
