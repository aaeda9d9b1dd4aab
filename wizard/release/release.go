// Package release knows the versions of OpenShift and OKD that can be answered, and their forms.
package release

import (
	"regexp"
	"slices"
)

// ListMinors returns the versions of OpenShift 4 whose installation is supported.
func ListMinors() []string { return []string{"4.18", "4.19", "4.20", "4.21"} }

// ListOKDMinors returns those of OKD: up to 4.18 its machines start from Fedora CoreOS and change to CentOS Stream CoreOS later.
func ListOKDMinors() []string { return []string{"4.19", "4.20", "4.21"} }

// ListChannels returns the channels: the mirror has a directory of each for every minor version.
func ListChannels() []string { return []string{"stable", "fast", "candidate", "latest"} }

// Form is the form of a version.
type Form string

// The forms of versions.
const (
	Exact   Form = "x.y.z"
	Tag     Form = "x.y.z-okd-scos.n" // of OKD
	Channel Form = "stable-x.y"       // the mirror resolves it to a release
)

var (
	exactVersion   = regexp.MustCompile(`^(\d+\.\d+)\.(?:0|[1-9]\d*)$`)
	okdVersion     = regexp.MustCompile(`^(\d+\.\d+)\.(?:0|[1-9]\d*)-okd-scos\.(?:0|[1-9]\d*)$`)
	channelVersion = regexp.MustCompile(`^([a-z]+)-(\d+\.\d+)$`)
)

// Parse returns the form of a version and its minor version, e.g. "4.20"; "" for an invalid one.
func Parse(version string) (form Form, minor string) {
	if found := exactVersion.FindStringSubmatch(version); found != nil {
		return Exact, found[1]
	}
	if found := okdVersion.FindStringSubmatch(version); found != nil {
		return Tag, found[1]
	}
	if found := channelVersion.FindStringSubmatch(version); found != nil && slices.Contains(ListChannels(), found[1]) {
		return Channel, found[2]
	}
	return "", ""
}
