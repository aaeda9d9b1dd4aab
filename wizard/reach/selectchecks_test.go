package reach

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/assets"
	"exoshift/state"
)

func demo() state.Spec {
	spec := state.Default()
	spec.Cluster.ID, spec.Cluster.BaseDomain = "c-1", "example.net"
	spec.Exoscale.Zone, spec.OpenShift.Version = "de-fra-1", "4.20.5"
	return spec
}

// everything is a scope in which all is known.
func everything() Scope {
	spec := demo()
	spec.Syn.LieutenantURL = "https://api.syn.vshn.net"
	spec.OpenShift.Version = "4.20.0-okd-scos.1"
	spec.OpenShift.Proxy = state.ProxySpec{HTTP: "http://proxy.example.net", HTTPS: "http://proxy.example.net:3128"}
	return Scope{Spec: spec, Discovery: Discovery{OIDC: "https://id.vshn.net/realm/.well-known/openid-configuration"}}
}

func choose(t *testing.T, scope Scope) []Check {
	t.Helper()
	checks, err := SelectChecks(catalogue(t), scope)
	if err != nil {
		t.Fatal(err)
	}
	return checks
}

func has(checks []Check, id string) (Check, bool) {
	i := slices.IndexFunc(checks, func(c Check) bool { return c.ID == id })
	if i < 0 {
		return Check{}, false
	}
	return checks[i], true
}

func expect(t *testing.T, checks []Check, with, without string) {
	t.Helper()
	for id := range strings.FieldsSeq(with) {
		if _, chosen := has(checks, id); !chosen {
			t.Errorf("%s is not chosen", id)
		}
	}
	for id := range strings.FieldsSeq(without) {
		if check, chosen := has(checks, id); chosen {
			t.Errorf("%s is chosen: %s", id, check.URL)
		}
	}
}

func TestSelectChecks_OpenShiftWithoutSyn(t *testing.T) {
	checks := choose(t, Scope{Spec: demo()})
	expect(t, checks, "NET-EXO-001 NET-EXO-002 NET-RH-001 NET-RH-002 NET-RH-003 NET-RH-016 NET-RH-025 NET-RH-030 NET-RH-031 NET-RH-043 NET-3RD-010 NET-3RD-011 NET-3RD-012 NET-3RD-016 NET-3RD-023 NET-CLU-010",
		"NET-RH-006 NET-RH-034 NET-3RD-003 NET-3RD-005 NET-3RD-013 NET-3RD-020 NET-3RD-021 NET-3RD-040 NET-EXO-003 NET-EXO-004 NET-EXO-005 NET-EXO-007 NET-CLU-001 NET-CLU-002 NET-CLU-011")
	for _, check := range checks {
		if check.Group == "vshn" || strings.ContainsAny(check.URL, "{}") {
			t.Errorf("%s %s", check.ID, check.URL)
		}
	}
}

// The catalog decides which driver a connected cluster has.
func TestSelectChecks_StorageDriverOfACatalog(t *testing.T) {
	scope := Scope{Spec: demo()}
	scope.Spec.Syn.CatalogDir = "catalog"
	expect(t, choose(t, scope), "", "NET-3RD-010 NET-3RD-016")
}

func TestSelectChecks_FillsPlaceholders(t *testing.T) {
	scope := everything()
	scope.Spec.OpenShift.Version = "4.20.5"
	scope.Installed = true
	checks := choose(t, scope)
	got := map[string]string{}
	for _, check := range checks {
		got[check.ID] = check.URL
	}
	for id, want := range map[string]string{
		"NET-EXO-001":  "https://api-de-fra-1.exoscale.com/v2/zone",
		"NET-EXO-007":  "zone://c-1.example.net",
		"NET-RH-025":   "graph://api.openshift.com/api/upgrades_info/v1/graph?channel=stable-4.20&arch=amd64",
		"NET-RH-030":   "https://mirror.openshift.com/pub/openshift-v4/x86_64/clients/ocp/4.20.5/sha256sum.txt",
		"NET-VSHN-001": "lieutenant://api.syn.vshn.net",
		"NET-VSHN-002": "oidc://id.vshn.net/realm/.well-known/openid-configuration",
		"NET-VSHN-004": "vault://vault-prod.syn.vshn.net",
		"NET-CLU-001":  "https://api.c-1.example.net:6443/version",
		"NET-CLU-002":  "closed://api.c-1.example.net:22623",
		"NET-CLU-004":  "tcp://console-openshift-console.apps.c-1.example.net:443",
		"NET-CLU-010":  "zone://example.net",
		"NET-CLU-011":  "proxy://proxy.example.net:3128/api-de-fra-1.exoscale.com:443",
		"NET-CLU-012":  "proxy://proxy.example.net:80/api-de-fra-1.exoscale.com:443",
	} {
		if got[id] != want {
			t.Errorf("%s: %s, want %s", id, got[id], want)
		}
	}
}

func TestResolveChannel_UpdateChannels(t *testing.T) {
	for version, want := range map[string]string{
		"4.20.5": "stable-4.20", "candidate-4.19": "candidate-4.19", "latest-4.18": "fast-4.18", "": defaultChannel,
	} {
		spec := demo()
		spec.OpenShift.Version = version
		if got := resolveChannel(spec); got != want {
			t.Errorf("%q: %s, want %s", version, got, want)
		}
	}
}

func TestSelectChecks_SynAndACME(t *testing.T) {
	spec := demo()
	spec.Syn.LieutenantURL, spec.DNS.ACME = "https://api.syn.vshn.net", true
	checks := choose(t, Scope{Spec: spec})
	expect(t, checks, "NET-VSHN-001 NET-VSHN-003 NET-VSHN-004 NET-VSHN-005 NET-VSHN-008 NET-3RD-001 NET-3RD-003 NET-3RD-005 NET-3RD-010 NET-3RD-016",
		"NET-VSHN-002 NET-VSHN-007 NET-VSHN-010 NET-VSHN-015 NET-3RD-030")
}

func TestSelectChecks_OtherLieutenantVault(t *testing.T) {
	spec := demo()
	spec.Syn.LieutenantURL, spec.DNS.ACME = "https://lieutenant.example.org/api/", true
	expect(t, choose(t, Scope{Spec: spec}), "NET-VSHN-001 NET-3RD-010 NET-3RD-003", "NET-VSHN-002 NET-VSHN-003 NET-VSHN-004 NET-VSHN-005 NET-VSHN-008 NET-3RD-001")
	checks := choose(t, Scope{Spec: spec, Discovery: Discovery{OIDC: "https://sso.example.org/o", Vault: "https://vault.example.org:8200"}})
	for id, want := range map[string]string{
		"NET-VSHN-001": "lieutenant://lieutenant.example.org/api", "NET-VSHN-002": "oidc://sso.example.org/o", "NET-VSHN-004": "vault://vault.example.org:8200",
	} {
		if check, _ := has(checks, id); check.URL != want {
			t.Errorf("%s: %q, want %s", id, check.URL, want)
		}
	}
	spec.Syn.VaultAddress = "https://other.example.org"
	if check, _ := has(choose(t, Scope{Spec: spec, Discovery: Discovery{Vault: "https://vault.example.org"}}), "NET-VSHN-004"); check.URL != "vault://other.example.org" {
		t.Errorf("the answers count for less than Lieutenant: %s", check.URL)
	}
	spec.Syn.LieutenantURL, spec.Syn.VaultAddress = "https://api-int.syn.vshn.net", ""
	expect(t, choose(t, Scope{Spec: spec}), "NET-VSHN-003", "NET-VSHN-004") // the Vault of tests is not that of production
	spec.Syn.LieutenantURL = "https://api.syn.evilvshn.net"
	expect(t, choose(t, Scope{Spec: spec}), "NET-VSHN-001", "NET-VSHN-003 NET-VSHN-005")
}

func TestSelectChecks_OKD(t *testing.T) {
	spec := demo()
	spec.OpenShift.Distribution, spec.OpenShift.Version = "okd", "4.20.0-okd-scos.11"
	checks := choose(t, Scope{Spec: spec})
	expect(t, checks, "NET-RH-001 NET-RH-010 NET-RH-031 NET-3RD-020 NET-3RD-021", "NET-RH-002 NET-RH-003 NET-RH-020 NET-RH-025 NET-RH-030 NET-3RD-022")
	if check, _ := has(checks, "NET-3RD-020"); check.URL != "https://github.com/okd-project/okd/releases/download/4.20.0-okd-scos.11/sha256sum.txt" {
		t.Error(check.URL)
	}
	spec.OpenShift.Version = "4.19.0-okd-scos.3"
	expect(t, choose(t, Scope{Spec: spec}), "NET-3RD-022", "NET-RH-031")
}

func TestSelectChecks_CiliumAndCloudController(t *testing.T) {
	spec := demo()
	spec.Network.CNI, spec.OpenShift.CloudControllerManager = "Cilium", "External"
	checks := choose(t, Scope{Spec: spec})
	expect(t, checks, "NET-RH-006 NET-3RD-010 NET-3RD-011 NET-3RD-012", "NET-3RD-013")
	if check, _ := has(checks, "NET-RH-006"); check.Severity != Must {
		t.Errorf("%+v", check)
	}
}

func TestSelectChecks_NodeProxiesOnce(t *testing.T) {
	spec := demo()
	spec.OpenShift.Proxy = state.ProxySpec{HTTP: "http://10.9.0.1:3128", HTTPS: "http://10.9.0.1:3128"}
	expect(t, choose(t, Scope{Spec: spec}), "NET-CLU-011", "NET-CLU-012")
	spec.OpenShift.Proxy.HTTP = "http://user:s3cret@[2001:db8::1]:8080" // a password is refused elsewhere; here it must not appear
	checks := choose(t, Scope{Spec: spec})
	if check, _ := has(checks, "NET-CLU-012"); check.URL != "proxy://[2001:db8::1]:8080/api-de-fra-1.exoscale.com:443" {
		t.Error(check.URL)
	}
}

func TestSelectChecks_ZoneOnlyWarns(t *testing.T) {
	spec := state.Default()
	spec.Exoscale.Zone = "ch-gva-2"
	checks := choose(t, Scope{Spec: spec, Partial: true})
	expect(t, checks, "NET-EXO-001 NET-RH-001 NET-RH-030 NET-3RD-003 NET-3RD-021 NET-VSHN-003 NET-VSHN-005",
		"NET-VSHN-001 NET-VSHN-002 NET-VSHN-004 NET-VSHN-007 NET-3RD-020 NET-3RD-040 NET-CLU-001 NET-CLU-010 NET-CLU-011 NET-EXO-004 NET-EXO-007")
	for _, c := range catalogue(t) {
		check, chosen := has(checks, c.ID)
		answered := slices.ContainsFunc(c.When, func(name string) bool { return name != "installed" })
		switch {
		case chosen && answered && check.Severity == Must:
			t.Errorf("%s must be reached, and nobody knows whether it is needed", c.ID)
		case chosen && !answered && string(check.Severity) != c.Severity:
			t.Errorf("%s is needed by any cluster, and is only %s", c.ID, check.Severity)
		}
	}
	if len(choose(t, Scope{Spec: spec})) >= len(checks) {
		t.Error("with the zone alone, as little is chosen as with default answers")
	}
}

func TestSelectChecks_InstalledCluster(t *testing.T) {
	checks := choose(t, Scope{Spec: demo(), Installed: true})
	expect(t, checks, "NET-CLU-001 NET-CLU-002 NET-CLU-003 NET-CLU-004 NET-CLU-005 NET-CLU-006 NET-EXO-007", "NET-EXO-004")
}

func TestSelectChecks_FromZone(t *testing.T) {
	checks := choose(t, Scope{Spec: demo(), Installed: true, Source: Zone})
	expect(t, checks, "NET-EXO-001 NET-EXO-004 NET-RH-001 NET-3RD-023 NET-CLU-001", "NET-RH-030 NET-RH-031 NET-CLU-002 NET-EXO-007")
	release, _ := has(checks, "NET-RH-002")
	if diff := cmp.Diff([]string{"NET-RH-001"}, release.Needs); diff != "" {
		t.Errorf("it waits for what is not checked: %s", diff)
	}
}

func TestSelectChecks_ByName(t *testing.T) {
	spec := demo()
	spec.Checks.Endpoints = []string{"registry.example.net", "tcp://10.9.0.5:5000"}
	own := generateCustomerIDs([]string{"https://registry.example.net"})[0]
	checks := choose(t, Scope{Spec: spec, Only: []string{"net-vshn-010", " NET-RH-002 ", own}})
	var ids []string
	for _, check := range checks {
		ids = append(ids, check.ID)
	}
	if diff := cmp.Diff([]string{"NET-RH-002", "NET-VSHN-010", own}, ids); diff != "" {
		t.Error(diff)
	}
	if len(checks[0].Needs) > 0 {
		t.Errorf("it waits for what was not asked for: %v", checks[0].Needs)
	}
}

func TestSelectChecks_UnknownNameSuggestion(t *testing.T) {
	for only, want := range map[string]string{
		"NET-RH-01":                 `unknown check "NET-RH-01"; did you mean NET-RH-001?`,
		"quay":                      `unknown check "quay"; IDs look like NET-EXO-001`,
		strings.Repeat("x", 100000): "IDs look like",
		"\x1b[2J":                   `"\x1b[2J"`,
		"NET-VSHN-001":              "syn.lieutenantURL",
		"NET-VSHN-004":              "syn.vaultAddress",
	} {
		_, err := SelectChecks(catalogue(t), Scope{Spec: demo(), Only: []string{only}})
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%.20q: %v, want %s", only, err, want)
		}
	}
}

func TestSelectChecks_UnknownCondition(t *testing.T) {
	_, err := SelectChecks([]assets.Endpoint{{ID: "A", URL: "https://example.net", When: []string{"sunny"}}}, Scope{})
	if err == nil || !strings.Contains(err.Error(), `"sunny"`) {
		t.Error(err)
	}
}
