package release

import (
	"strings"
	"testing"

	"exoshift/wizard/reach/probe/registry"
)

const releaseDigest = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

func TestParseReleaseText_VersionAndImage(t *testing.T) {
	text := "Client tools\n---\nName:           4.20.5\nDigest: " + releaseDigest + "\n\nPull From: quay.io/openshift-release-dev/ocp-release@" + releaseDigest + "\n"
	version, found, err := parseReleaseText([]byte(text))
	if version != "4.20.5" || found != (registry.Image{Repository: "openshift-release-dev/ocp-release", Reference: releaseDigest}) || err != nil {
		t.Errorf("%s, %v, %v", version, found, err)
	}
	for _, wrong := range []string{
		"", "<html>", "Name: 4.20.5\n", "Pull From: quay.io/a@" + releaseDigest, strings.ReplaceAll(text, "4.20.5", "../../x"),
		strings.ReplaceAll(text, "@sha256", ":sha256"), strings.ReplaceAll(text, "ocp-release@", "ocp?release@"),
	} {
		if version, found, err := parseReleaseText([]byte(wrong)); err == nil {
			t.Errorf("%q is %s, %v", wrong, version, found)
		}
	}
}

func FuzzReleaseText(f *testing.F) {
	f.Add("Name: 4.20.5\nPull From: quay.io/a/b@" + releaseDigest)
	f.Fuzz(func(t *testing.T, content string) {
		if version, found, err := parseReleaseText([]byte(content)); err == nil && (!exactVersion.MatchString(version) || strings.ContainsAny(found.Repository, "?#@ \n")) {
			t.Errorf("%q, %v", version, found)
		}
	})
}
