package wizard

import (
	"regexp"
	"slices"
	"strings"

	"exoshift/state"
)

// Distributions of OpenShift.
const (
	ocp = "ocp"
	okd = "okd"
)

// The versions of OpenShift 4 whose installation is supported.
func listMinors() []string { return []string{"4.18", "4.19", "4.20", "4.21"} }

// Up to 4.18 OKD's machines start from Fedora CoreOS and change to CentOS Stream CoreOS later.
func listOKDMinors() []string { return []string{"4.19", "4.20", "4.21"} }

// The mirror has a directory of each for every minor version.
func listChannels() []string { return []string{"stable", "fast", "candidate", "latest"} }

type versionForm string

const (
	exact   versionForm = "x.y.z"
	tag     versionForm = "x.y.z-okd-scos.n" // of OKD
	channel versionForm = "stable-x.y"       // the mirror resolves it to a release
)

// parseVersion returns "" for an invalid version.
func parseVersion(version string) (form versionForm, minor string) {
	const number = `(?:0|[1-9]\d*)`
	for form, pattern := range map[versionForm]string{
		exact:   `^(\d+\.\d+)\.` + number + `$`,
		tag:     `^(\d+\.\d+)\.` + number + `-okd-scos\.` + number + `$`,
		channel: `^(?:` + strings.Join(listChannels(), "|") + `)-(\d+\.\d+)$`,
	} {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(version); found != nil {
			return form, found[1]
		}
	}
	return "", ""
}

func formatSupported(form versionForm) string {
	if form == tag {
		return string(form) + " with x.y " + formatChoices(listOKDMinors())
	}
	return string(form) + " with x.y " + formatChoices(listMinors())
}

func validateVersion(value string) []Problem {
	form, minor := parseVersion(value)
	switch {
	case form == "":
		return newProblem(quote(value)+" is no version",
			formatSupported(exact)+"; "+strings.Join(listChannels(), "-x.y, ")+"-x.y; of OKD "+formatSupported(tag), suggestVersionFor(value))
	case form == tag && slices.Contains([]string{"4.16", "4.17", "4.18"}, minor):
		return newProblem(quote(value)+" is not supported: before 4.19, the machines of OKD start from Fedora CoreOS", formatSupported(form), "")
	case form == tag && !slices.Contains(listOKDMinors(), minor), form != tag && !slices.Contains(listMinors(), minor):
		return newProblem(quote(value)+" is not supported", formatSupported(form), "")
	}
	return nil
}

func suggestVersionFor(value string) string {
	if len(value) > maxShown {
		return ""
	}
	value = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(value)), "v")
	mended := value
	parts := func(pattern string) []string { return regexp.MustCompile(pattern).FindStringSubmatch(value) }
	if found := parts(`^(\d+\.\d+\.\d+)[-._]?okd[-._]?(?:scos)?[-._]?(\d+)$`); found != nil {
		mended = found[1] + "-okd-scos." + found[2]
	} else if found := parts(`^([a-z]*)[-._ ]?(\d+\.\d+)$`); found != nil {
		mended = findChannel(found[1]) + "-" + found[2]
	} else if found := parts(`^(\d+\.\d+)[-._ ]?([a-z]+)$`); found != nil {
		mended = findChannel(found[2]) + "-" + found[1]
	}
	if form, _ := parseVersion(mended); form == "" || validateVersion(mended) != nil {
		return ""
	}
	return mended
}

func findChannel(word string) string {
	if word == "" {
		return "stable"
	}
	return findNearest(word, listChannels())
}

func checkDistribution(spec state.Spec) []Problem {
	value := spec.OpenShift.Version
	form, _ := parseVersion(value)
	if validateVersion(value) != nil {
		return nil
	}
	switch chosen := spec.OpenShift.Distribution; {
	case chosen == ocp && form == tag:
		return withField(versionKey, newProblem(quote(value)+" is a release of OKD, and openshift.distribution is ocp",
			"x.y.z, or a channel such as stable-4.20", "openshift.distribution: okd"))
	case chosen == okd && form == channel:
		return withField(versionKey, newProblem(quote(value)+" is a channel, and OKD has none", formatSupported(tag), ""))
	case chosen == okd && form == exact:
		return withField(versionKey, newProblem(quote(value)+" is a release of OpenShift Container Platform, and openshift.distribution is okd",
			formatSupported(tag), "openshift.distribution: ocp"))
	}
	return nil
}
