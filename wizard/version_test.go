package wizard_test

import (
	"strings"
	"testing"

	"exoshift/wizard"
)

func TestVersion_AcceptsReleasesAndChannels(t *testing.T) {
	for distribution, versions := range map[string][]string{
		"ocp": {"4.18.0", "4.20.5", "4.21.33", "stable-4.20", "fast-4.18", "candidate-4.21", "latest-4.19"},
		"okd": {"4.19.0-okd-scos.0", "4.20.0-okd-scos.11", "4.21.0-okd-scos.1"},
	} {
		for _, version := range versions {
			spec := valid()
			spec.OpenShift.Distribution, spec.OpenShift.Version = distribution, version
			if faults := wizard.Check(spec); len(faults) > 0 {
				t.Errorf("%s of %s:\n%s", version, distribution, lines(faults))
			}
		}
	}
}

func TestVersion_RefusesWithSuggestion(t *testing.T) {
	const (
		exact = "allowed: x.y.z with x.y one of 4.18, 4.19, 4.20, 4.21"
		tag   = "x.y.z-okd-scos.n with x.y one of 4.19, 4.20, 4.21"
		every = exact + "; stable-x.y, fast-x.y, candidate-x.y, latest-x.y; of OKD " + tag
		none  = " is not a valid version  " + every
	)
	for version, want := range map[string]string{
		"4.17.40":            " is not supported  " + exact,
		"4.22.0":             " is not supported  " + exact,
		"stable-4.17":        " is not supported  allowed: stable-x.y with x.y one of 4.18, 4.19, 4.20, 4.21",
		"4.18.0-okd-scos.9":  " is not supported: before 4.19, OKD uses Fedora CoreOS  allowed: " + tag,
		"4.22.0-okd-scos.0":  " is not supported  allowed: " + tag,
		"4.20":               none + "  did you mean stable-4.20?",
		"4.17":               none,
		"v4.20.1":            none + "  did you mean 4.20.1?",
		"Stable-4.20":        none + "  did you mean stable-4.20?",
		"stabel-4.20":        none + "  did you mean stable-4.20?",
		"4.20-fast":          none + "  did you mean fast-4.20?",
		"candidate 4.21":     none + "  did you mean candidate-4.21?",
		"eus-4.20":           none,
		"latest":             none,
		"4.20.05":            none,
		"4.020.5":            " is not supported  " + exact,
		"4.21.0-rc.1":        none,
		"4.20.0-okd-scos11":  none + "  did you mean 4.20.0-okd-scos.11?",
		"4.20.0-okd.11":      none + "  did you mean 4.20.0-okd-scos.11?",
		"4.20.0-okd-scos.ec": none,
		"4.20.5\n":           "the value" + none + "  did you mean 4.20.5?",
	} {
		if !strings.HasPrefix(want, "the value") {
			want = `"` + version + `"` + want
		}
		for _, distribution := range []string{"ocp", "okd"} {
			spec := valid()
			spec.OpenShift.Distribution, spec.OpenShift.Version = distribution, version
			if got := lines(wizard.Check(spec)); got != "openshift.version  "+want+"\n" {
				t.Errorf("%q of %s:\nwant %s\ngot  %s", version, distribution, want, got)
			}
		}
	}
}

func TestVersion_MatchesDistribution(t *testing.T) {
	for _, c := range []struct{ distribution, version, want string }{
		{"ocp", "4.20.0-okd-scos.11", `"4.20.0-okd-scos.11" is an OKD release, but openshift.distribution is ocp` +
			`  allowed: x.y.z, or a channel such as stable-4.20  did you mean openshift.distribution: okd?`},
		{"okd", "4.20.5", `"4.20.5" is an OpenShift Container Platform release, but openshift.distribution is okd` +
			`  allowed: x.y.z-okd-scos.n with x.y one of 4.19, 4.20, 4.21  did you mean openshift.distribution: ocp?`},
		{"okd", "stable-4.20", `"stable-4.20" is a channel; OKD has no channels  allowed: x.y.z-okd-scos.n with x.y one of 4.19, 4.20, 4.21`},
	} {
		spec := valid()
		spec.OpenShift.Distribution, spec.OpenShift.Version = c.distribution, c.version
		if got := lines(wizard.Check(spec)); got != "openshift.version  "+c.want+"\n" {
			t.Errorf("want %s\ngot  %s", c.want, got)
		}
	}
	spec := valid()
	spec.OpenShift.Distribution, spec.OpenShift.Version = "odk", "4.20.0-okd-scos.11"
	if faults := wizard.Check(spec); len(faults) != 1 || faults[0].Field != "openshift.distribution" {
		t.Errorf("an unknown distribution is one fault, got:\n%s", lines(faults))
	}
}
