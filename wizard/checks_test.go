package wizard_test

import (
	"fmt"
	"strings"
	"testing"

	"exoshift/assets"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
	"exoshift/wizard/reach"
)

func TestParse_LocatesEndpointProblems(t *testing.T) {
	for answers, want := range map[string]string{
		"checks: {endpoints: [example.net, 10.9.0.5, 'tcp://[2001:db8::1]:5000']}\n":  "",
		"checks: {endpoints: [example.net, htp://example.net]}\n":                     `f:9:35  checks.endpoints[1]  unsupported scheme "htp"  allowed: one of https, http, tcp, tls, registry, release, acme, graph, vault, lieutenant, oidc, s3, ssh, ntp, dns, zone, closed, proxy  did you mean http://example.net?`,
		"checks: {endpoints: ['https://u:s3cret@example.net']}\n":                     `f:9:22  checks.endpoints[0]  contains credentials, which would be stored in plain text  allowed: e.g. https://registry.example.net/v2/, tcp://10.9.0.5:5000, host or host:port`,
		"checks: {endpoints: [EXAMPLE.net, a.example.net, 'https://example.net/']}\n": `f:9:50  checks.endpoints[2]  is the same as checks.endpoints[0]  allowed: each endpoint once`,
		"checks: {endpoints: [17]}\n":                                                 `f:9:22  checks.endpoints[0]  is a whole number, not text`,
		"checks: {endpoint: []}\n":                                                    `f:9:10  checks.endpoint  unknown key  allowed: one of endpoints, skip  did you mean endpoints?`,
		"checks: {skip: {net-rh-022: ticket 17 until 2027-01-31}}\n":                  "",
		"checks: {skip: {NET-RH-22: ticket 17 until 2027-01-31}}\n":                   `f:9:28  checks.skip.NET-RH-22  no check has this ID`,
		"checks: {skip: {NET-RH-022: ticket 17}}\n":                                   `f:9:29  checks.skip.NET-RH-022  the end date of the skip is missing  allowed: <reason> until <YYYY-MM-DD>`,
		"checks: {skip: {NET-RH-022: until 2027-01-31}}\n":                            `f:9:29  checks.skip.NET-RH-022  the reason is missing`,
		"checks: {skip: {NET-RH-022: x until 2027-02-31}}\n":                          `f:9:29  checks.skip.NET-RH-022  "2027-02-31" is not a valid date`,
	} {
		_, faults := answersfile.Parse("f", []byte(minimal+answers))
		got := lines(faults)
		if !strings.HasPrefix(got, want) || want == "" && got != "" || strings.Contains(got, "s3cret") || strings.Count(got, "\n") > 1 {
			t.Errorf("%swant %s\ngot  %s", answers, want, got)
		}
	}
}

func TestCheck_SuggestsMistypedID(t *testing.T) {
	spec := valid()
	spec.Checks.Skip = map[string]string{"NET-RH-22": "x until 2027-01-31"}
	if faults := wizard.Check(spec); len(faults) != 1 || faults[0].Suggestion != "NET-RH-022" {
		t.Errorf("%s", lines(faults))
	}
}

func TestCheck_SkipOwnEndpoints(t *testing.T) {
	spec := valid()
	spec.Checks.Endpoints = []string{"tcp://10.9.0.5:5000"}
	ids := reach.ListIDs(nil, spec.Checks.Endpoints)
	spec.Checks.Skip = map[string]string{ids[0]: "it is built later until 2027-01-31"}
	if faults := wizard.Check(spec); len(faults) > 0 {
		t.Errorf("%s", lines(faults))
	}
	spec.Checks.Endpoints = nil
	if faults := wizard.Check(spec); len(faults) != 1 {
		t.Errorf("what is skipped is gone, and yet %s", lines(faults))
	}
}

func TestCheckWarnings_ExpiredSkip(t *testing.T) {
	spec := valid()
	spec.Checks.Skip = map[string]string{"NET-RH-022": "x until 2020-01-31", "NET-RH-021": "x until 9999-01-31"}
	want := "checks.skip.NET-RH-022  the end date has passed: the check runs again\n"
	if got := lines(local.CheckWarnings(spec, wizard.Secrets{})); got != want {
		t.Errorf("got %s", got)
	}
}

func TestSet_EndpointLimit(t *testing.T) {
	many := func(n int) []string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("tcp://10.9.%d.%d:5000", i/250, i%250))
		}
		return all
	}
	answers := wizard.NewAnswers()
	if err := answers.Set("checks.endpoints", strings.Join(many(500), ", "), wizard.Typed); err != nil || len(answers.Spec.Checks.Endpoints) != 500 {
		t.Error(err)
	}
	if err := answers.Set("checks.endpoints", strings.Join(many(501), ", "), wizard.Typed); err == nil || !strings.Contains(err.Error(), "has 501 items  allowed: at most 500") {
		t.Error(err)
	}
	yaml := minimal + "checks: {endpoints: ['" + strings.Join(many(501), "', '") + "']}\n"
	if _, faults := answersfile.Parse("f", []byte(yaml)); !strings.Contains(lines(faults), "checks.endpoints  has 501 items") {
		t.Errorf("%s", lines(faults))
	}
}

func TestSelectChecks_NewestChannelByDefault(t *testing.T) {
	catalogue, err := assets.ReadEndpoints()
	if err != nil {
		t.Fatal(err)
	}
	checks, err := reach.SelectChecks(catalogue, reach.Scope{Spec: state.Default(), Partial: true, Only: []string{"NET-RH-025"}})
	newest := field(t, "openshift.version").Suggestion(valid())
	if err != nil || len(checks) != 1 || !strings.Contains(checks[0].URL, "channel="+newest+"&") {
		t.Errorf("%v, %v, want %s", checks, err, newest)
	}
}
