package wizard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

// auth is demo:s3cret.
const auth = `{"auth": "ZGVtbzpzM2NyZXQ="}`

func resolved(distribution, text string) (wizard.Secrets, []wizard.Problem) {
	spec := valid()
	spec.OpenShift.Distribution = distribution
	return local.ResolveSecrets(spec, environment(map[string]string{
		"EXOSCALE_API_KEY": "k", "EXOSCALE_API_SECRET": "s", "PULL_SECRET": text,
	}))
}

func problems(faults []wizard.Problem) string {
	var all []string
	for _, f := range faults {
		all = append(all, f.Message)
	}
	return strings.Join(all, "; ")
}

func TestPullSecret_RefusesUnusable(t *testing.T) {
	const complete = `"quay.io": ` + auth + `, "registry.redhat.io": ` + auth
	whole := `{"auths": {` + complete + `}}`
	for text, want := range map[string]string{
		`s3cret`:                            "the pull secret is not valid JSON at character 1",
		strings.TrimSuffix(whole, "}"):      fmt.Sprintf("the pull secret is not valid JSON at character %d", len(whole)-1),
		whole + "}":                         fmt.Sprintf("the pull secret is not valid JSON at character %d", len(whole)+1),
		`{"auths": "s3cret"}`:               "the pull secret has an unexpected JSON structure",
		`["s3cret"]`:                        "the pull secret has an unexpected JSON structure",
		`{"s3cret": 1}`:                     "the pull secret has no auths",
		`{"auths": {}}`:                     "the pull secret has no auths",
		whole:                               "",
		`{"auths": {"quay.io": {}}}`:        `the pull secret has no auth for "quay.io"; the pull secret has no entry for registry.redhat.io, the registry of OpenShift's images`,
		`{"auths": {"fake": ` + auth + `}}`: "the pull secret has no entry for quay.io and registry.redhat.io, the registry of OpenShift's images",
		`{"auths": {"a": {"auth": ""}, "b": {"auth": "s3cret"}, "c": {"auth": "czNjcmV0"}, "d": {"auth": "OnMzY3JldA=="}, "e": {"auth": "ZGVtbzo="}, "f": {"auth": "ZGVtbzpzM2NyZXQ=s"}, ` + complete + `}}`: `the pull secret has no auth for "a"; ` +
			`the auth for "b" is not base64 of user:password; the auth for "c" is not base64 of user:password; the auth for "d" is not base64 of user:password; ` +
			`the auth for "e" is not base64 of user:password; the auth for "f" is not base64 of user:password`,
		`{"auths": {"quay.io": {"credsStore": "store"}, "registry.redhat.io": {"credsStore": "store"}}}`:   "",
		`{"auths": {"quay.io/openshift-release-dev": ` + auth + `, "registry.redhat.io": ` + auth + `}}`:   "",
		`{"auths": {"quay.io.example.net": ` + auth + `, "example.net/registry.redhat.io": ` + auth + `}}`: "the pull secret has no entry for quay.io and registry.redhat.io, the registry of OpenShift's images",
	} {
		secrets, faults := resolved("ocp", text)
		if problems(faults) != want || (secrets.PullSecret == text) != (want == "") {
			t.Errorf("%s:\nwant %q\ngot  %q", text, want, problems(faults))
		}
		if content := lines(faults); strings.Contains(content, "s3cret") || strings.Contains(content, "czNjcmV0") {
			t.Errorf("%s: a fault repeats a value:\n%s", text, content)
		}
	}
}

func TestPullSecret_OptionalForOKD(t *testing.T) {
	spec := valid()
	spec.OpenShift.Distribution, spec.OpenShift.Version, spec.OpenShift.PullSecret = "okd", "4.20.0-okd-scos.11", state.SecretRef{}
	if faults := wizard.Check(spec); len(faults) > 0 {
		t.Errorf("faults:\n%s", lines(faults))
	}
	secrets, faults := local.ResolveSecrets(spec, environment(map[string]string{"EXOSCALE_API_KEY": "k", "EXOSCALE_API_SECRET": "s"}))
	if len(faults) > 0 || secrets.PullSecret != "" {
		t.Errorf("want no pull secret; faults:\n%s", lines(faults))
	}
	if warnings := local.CheckWarnings(spec, secrets); len(warnings) > 0 {
		t.Errorf("warnings without a reason:\n%s", lines(warnings))
	}
	for _, need := range answersfile.FindMissing(spec, nil, environment(nil)) {
		if need.Field == "openshift.pullSecret" {
			t.Error("the pull secret is said to be missing")
		}
	}
	const own = `{"auths": {"registry.example.net": ` + auth + `}}`
	if secrets, faults := resolved("okd", own); len(faults) > 0 || secrets.PullSecret != own {
		t.Errorf("want the pull secret that is given; faults:\n%s", lines(faults))
	}
	if _, faults := resolved("okd", `{"auths": {"registry.example.net": {}}}`); problems(faults) != `the pull secret has no auth for "registry.example.net"` {
		t.Errorf("a broken pull secret is broken for OKD, too; got:\n%s", lines(faults))
	}
}

func TestPullSecret_RequiredForOCP(t *testing.T) {
	spec := valid()
	spec.OpenShift.PullSecret = state.SecretRef{}
	_, faults := local.ResolveSecrets(spec, environment(map[string]string{"EXOSCALE_API_KEY": "k", "EXOSCALE_API_SECRET": "s"}))
	want := "openshift.pullSecret  is missing  allowed: {env: NAME} or {file: PATH}\n"
	if diff := cmp.Diff(want+want, lines(wizard.Check(spec))+lines(faults)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPullSecret_Warnings(t *testing.T) {
	const needed = `"quay.io": ` + auth + `, "registry.redhat.io": ` + auth
	const redHat = "this is a Red Hat pull secret; OKD does not use one"
	for _, c := range []struct{ distribution, text, want string }{
		{"ocp", pullSecret, ""},
		{"ocp", `{"auths": {` + needed + `}}`, "the pull secret has no entry for cloud.openshift.com: the cluster cannot report to Red Hat; " +
			"the pull secret has no entry for registry.connect.redhat.com: certified operators, Cilium's among them, cannot be pulled"},
		{"okd", pullSecret, redHat},
		{"okd", `{"auths": {"cloud.openshift.com": ` + auth + `}}`, redHat},
		{"okd", `{"auths": {"quay.io": ` + auth + `}}`, ""},
	} {
		secrets, faults := resolved(c.distribution, c.text)
		spec := valid()
		spec.OpenShift.Distribution = c.distribution
		warnings := local.CheckWarnings(spec, secrets)
		if len(faults) > 0 || problems(warnings) != c.want {
			t.Errorf("%s, %s:\nwant %q\ngot  %q\n%s", c.distribution, c.text, c.want, problems(warnings), lines(faults))
		}
		if strings.Contains(lines(warnings), "ZGVt") {
			t.Errorf("%s: a warning repeats a value", c.text)
		}
	}
}
