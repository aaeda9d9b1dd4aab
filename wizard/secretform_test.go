package wizard_test

import (
	"errors"
	"strings"
	"testing"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// Two of the forms that recognize knows, of one line and of several; its own tests have them all.
func listSecrets() []string {
	return []string{"EXO0123456789abcdef01234567", "-----BEGIN RSA PRIVATE KEY-----\nMIIE"}
}

func TestCheckNoSecrets(t *testing.T) {
	if err := answersfile.CheckNoSecrets(valid()); err != nil {
		t.Fatal(err)
	}
	for _, secret := range listSecrets() {
		for key, change := range map[string]func(*state.Spec){
			"cluster.displayName":  func(s *state.Spec) { s.Cluster.DisplayName = "of " + secret },
			"openshift.pullSecret": func(s *state.Spec) { s.OpenShift.PullSecret = state.SecretRef{File: secret} },
			"exoscale.apiSecret":   func(s *state.Spec) { s.Exoscale.APISecret = state.SecretRef{Exo: secret} },
			"checks.skip":          func(s *state.Spec) { s.Checks.Skip = map[string]string{"NET-RH-001": secret} },
		} {
			spec := valid()
			change(&spec)
			var problem wizard.Problem
			if err := answersfile.CheckNoSecrets(spec); !errors.As(err, &problem) || problem.Field != key || strings.Contains(err.Error(), secret) {
				t.Errorf("%q in %s: %v", secret, key, err)
			}
		}
	}
}

func TestField_RefusesSecret(t *testing.T) {
	for _, secret := range listSecrets() {
		spec := valid()
		err := field(t, "cluster.displayName").Set(&spec, secret)
		if err == nil || strings.Contains(err.Error(), secret) || spec.Cluster.DisplayName != valid().Cluster.DisplayName {
			t.Errorf("%q: %v", secret, err)
		}
	}
}

// From a secret nothing is derived, as it would be in the open then; nor is it warned of by its text.
func TestField_DerivesNothingFromSecret(t *testing.T) {
	for _, secret := range []string{"eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ5b3UifQ.c2lnbmF0dXJl", "https://you:s3cret@git.example.net/customer", "glpat-0123456789abcdefghij"} {
		for _, key := range []string{"cluster.id", "cluster.baseDomain", "dns.appsDomain", "syn.tenant", "syn.lieutenantURL"} {
			spec := valid()
			var problem wizard.Problem
			if err := field(t, key).Set(&spec, secret); !errors.As(err, &problem) || problem.Suggestion != "" || strings.Contains(err.Error(), secret) {
				t.Errorf("%s in %s: %v", secret, key, err)
			}
		}
		spec := valid()
		spec.DNS.AppsDomain = secret
		for _, warning := range wizard.CheckUnusedAnswers(spec) {
			if strings.Contains(warning.String(), secret) {
				t.Errorf("the warning %s", warning)
			}
		}
	}
}

func TestField_SuggestsWhatWasMeant(t *testing.T) {
	for _, c := range []struct{ key, given, meant string }{
		{"cluster.baseDomain", "https://example.net/", "example.net"},
		{"cluster.baseDomain", "http://user@Example.NET:8443/path?q", "example.net"},
		{"cluster.baseDomain", "example.net/path", "example.net"},
		{"cluster.baseDomain", "*.example.net", "example.net"},
		{"cluster.baseDomain", "two words", ""},
		{"network.hostPrefix", "10.4.0.0/14", "14"},
		{"network.hostPrefix", "/23", "23"},
		{"network.hostPrefix", "23 or 24", ""},
		{"network.hostPrefix", "/64", ""},
		{"sizing.workers.count", "5 machines", "5"},
		{"network.podCIDR", "10.128.0.0 / 14", "10.128.0.0/14"},
	} {
		spec := valid()
		var problem wizard.Problem
		if err := field(t, c.key).Set(&spec, c.given); !errors.As(err, &problem) || problem.Suggestion != c.meant {
			t.Errorf("%s: %q suggests %q, %v", c.key, c.given, problem.Suggestion, err)
		}
	}
}
