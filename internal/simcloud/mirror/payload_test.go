package mirror

import (
	"strings"
	"testing"
)

func TestAReleaseIsFoundByTheDigestOfItsPayload(t *testing.T) {
	for _, release := range []Release{
		{"4.20.5", "amd64"}, {"4.18.99", "arm64"}, {"4.21.0-rc.3", "amd64"}, {"4.20.0-okd-scos.11", "amd64"}, {"4.12.3", "multi"},
	} {
		if found, ok := Find(release.Digest()); !ok || found != release {
			t.Errorf("%v: found %v, %v", release, found, ok)
		}
	}
	if found, ok := Find("sha256:" + checksum([]byte("something else"))); ok {
		t.Errorf("found %v for a digest that nothing has", found)
	}
}

func TestAReleaseIsFoundByItsTag(t *testing.T) {
	for tag, want := range map[string]Release{
		Repository + ":4.20.5-x86_64":         {"4.20.5", "amd64"},
		Repository + ":4.20.5-multi":          {"4.20.5", "multi"},
		OKDRepository + ":4.20.0-okd-scos.11": {"4.20.0-okd-scos.11", "amd64"},
		Repository + ":4.20.100-x86_64":       {},
		Repository + ":4.20.5":                {},
		OKDRepository + ":4.20.5-x86_64":      {},
		"somebody/else:4.20.5-x86_64":         {},
	} {
		repository, name, _ := strings.Cut(tag, ":")
		if found, ok := Tagged(repository, name); ok != (want != Release{}) || ok && found != want {
			t.Errorf("%s: found %v, %v", tag, found, ok)
		}
	}
}
