package mirror

import (
	"fmt"
	"strings"

	"exoshift/internal/simcloud/payload"
)

// The repositories of releases at quay.io.
const (
	Repository    = "openshift-release-dev/ocp-release"
	OKDRepository = "okd/scos-release"
)

const multi = "multi"

func listArchitectures() []string { return []string{amd64, "arm64", "ppc64le", "s390x"} }

// BuildPayload returns the release image.
func (r Release) BuildPayload() payload.Image { return r.buildPayload(payload.NewBuilder()) }

func (r Release) buildPayload(b *payload.Builder) payload.Image {
	if r.Architecture == multi {
		return b.List("release "+r.Version, listArchitectures()...)
	}
	return b.BuildImage("release "+r.Version, r.Architecture)
}

// ParseTag parses a tag in a repository, e.g. "4.20.5-x86_64" or "4.20.0-okd-scos.11"; false if there is none.
func ParseTag(repository, tag string) (Release, bool) {
	if repository == OKDRepository {
		return Release{Version: tag, Architecture: amd64}, okdTag.MatchString(tag)
	}
	at := strings.LastIndex(tag, "-")
	if repository != Repository || at < 0 || !exactVersion.MatchString(tag[:at]) {
		return Release{}, false
	}
	arch, known := lookupArchitecture(tag[at+1:])
	return Release{Version: tag[:at], Architecture: arch}, known
}

// Find returns the release of a digest by computing those of all releases; false if there is none.
func Find(digest string) (Release, bool) {
	b := payload.NewBuilder()
	for _, arch := range append(listArchitectures(), multi) {
		for _, version := range listVersions(arch) {
			if r := (Release{Version: version, Architecture: arch}); r.buildPayload(b).Digest() == digest {
				return r, true
			}
		}
	}
	return Release{}, false
}

// listVersions returns every version of an architecture, the most used first.
func listVersions(arch string) []string {
	var list []string
	for _, minor := range listMinors() {
		list = append(list, Patches(minor)...)
	}
	if arch != amd64 {
		return list // candidates exist for amd64 only
	}
	for _, minor := range listMinors() {
		for n := range 10 {
			list = append(list, fmt.Sprintf("4.%d.0-rc.%d", minor, n), fmt.Sprintf("4.%d.0-ec.%d", minor, n))
		}
	}
	for _, minor := range []int{19, 20, 21} { // of OKD
		for n := range 100 {
			list = append(list, fmt.Sprintf("4.%d.0-okd-scos.%d", minor, n))
		}
	}
	return list
}

// Patches returns the releases of a minor version, oldest first.
func Patches(minor int) []string {
	list := make([]string, 100)
	for patch := range list {
		list[patch] = fmt.Sprintf("4.%d.%d", minor, patch)
	}
	return list
}

func listMinors() []int {
	list := []int{20, 21, 19, 18}
	for minor := 10; minor < 30; minor++ {
		if minor < 18 || minor > 21 {
			list = append(list, minor)
		}
	}
	return list
}
