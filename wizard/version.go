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

// minors are the minor versions of OpenShift 4 whose installation is known.
func minors() []string { return []string{"4.18", "4.19", "4.20", "4.21"} }

// okdMinors are those of OKD. Up to 4.18 its machines start from Fedora CoreOS and change to CentOS Stream CoreOS later.
func okdMinors() []string { return []string{"4.19", "4.20", "4.21"} }

// channels are those that the mirror has a directory of for each minor version.
func channels() []string { return []string{"stable", "fast", "candidate", "latest"} }

// versionForm tells the ways to name a release.
type versionForm string

const (
	exact   versionForm = "x.y.z"
	tag     versionForm = "x.y.z-okd-scos.n" // of OKD
	channel versionForm = "stable-x.y"       // the mirror says which release that is today
)

// formOf returns how a version is written and its minor version, or "" for what is none.
func formOf(version string) (form versionForm, minor string) {
	const number = `(?:0|[1-9]\d*)`
	for form, pattern := range map[versionForm]string{
		exact:   `^(\d+\.\d+)\.` + number + `$`,
		tag:     `^(\d+\.\d+)\.` + number + `-okd-scos\.` + number + `$`,
		channel: `^(?:` + strings.Join(channels(), "|") + `)-(\d+\.\d+)$`,
	} {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(version); found != nil {
			return form, found[1]
		}
	}
	return "", ""
}

// supported says what is allowed of one form.
func supported(form versionForm) string {
	if form == tag {
		return string(form) + " with x.y " + oneOf(okdMinors())
	}
	return string(form) + " with x.y " + oneOf(minors())
}

func version(value string) []Fault {
	form, minor := formOf(value)
	switch {
	case form == "":
		return wrong(quote(value)+" is no version",
			supported(exact)+"; "+strings.Join(channels(), "-x.y, ")+"-x.y; of OKD "+supported(tag), meantVersion(value))
	case form == tag && slices.Contains([]string{"4.16", "4.17", "4.18"}, minor):
		return wrong(quote(value)+" is not supported: before 4.19, the machines of OKD start from Fedora CoreOS", supported(form), "")
	case form == tag && !slices.Contains(okdMinors(), minor), form != tag && !slices.Contains(minors(), minor):
		return wrong(quote(value)+" is not supported", supported(form), "")
	}
	return nil
}

// meantVersion mends the usual mistakes, or returns "".
func meantVersion(value string) string {
	if len(value) > shown {
		return ""
	}
	value = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(value)), "v")
	mended := value
	parts := func(pattern string) []string { return regexp.MustCompile(pattern).FindStringSubmatch(value) }
	if found := parts(`^(\d+\.\d+\.\d+)[-._]?okd[-._]?(?:scos)?[-._]?(\d+)$`); found != nil {
		mended = found[1] + "-okd-scos." + found[2]
	} else if found := parts(`^([a-z]*)[-._ ]?(\d+\.\d+)$`); found != nil {
		mended = meantChannel(found[1]) + "-" + found[2]
	} else if found := parts(`^(\d+\.\d+)[-._ ]?([a-z]+)$`); found != nil {
		mended = meantChannel(found[2]) + "-" + found[1]
	}
	if form, _ := formOf(mended); form == "" || version(mended) != nil {
		return ""
	}
	return mended
}

func meantChannel(word string) string {
	if word == "" {
		return "stable"
	}
	return nearest(word, channels())
}

// versionOfDistribution wants a release of the distribution that is chosen.
func versionOfDistribution(spec state.Spec) []Fault {
	value := spec.OpenShift.Version
	form, _ := formOf(value)
	if version(value) != nil {
		return nil
	}
	switch chosen := spec.OpenShift.Distribution; {
	case chosen == ocp && form == tag:
		return of(versionKey, wrong(quote(value)+" is a release of OKD, and openshift.distribution is ocp",
			"x.y.z, or a channel such as stable-4.20", "openshift.distribution: okd"))
	case chosen == okd && form == channel:
		return of(versionKey, wrong(quote(value)+" is a channel, and OKD has none", supported(tag), ""))
	case chosen == okd && form == exact:
		return of(versionKey, wrong(quote(value)+" is a release of OpenShift Container Platform, and openshift.distribution is okd",
			supported(tag), "openshift.distribution: ocp"))
	}
	return nil
}
