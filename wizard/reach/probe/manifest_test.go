package probe

import (
	"strings"
	"testing"
)

const (
	someDigest  = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	otherDigest = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

func TestTheSmallestLayerOfAnImageIsTaken(t *testing.T) {
	m, err := parseManifest([]byte(`{"layers":[{"digest":"` + otherDigest + `","size":900},{"digest":"` + someDigest + `","size":90}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if layer, err := m.findSmallestLayer(); err != nil || layer.Digest != someDigest {
		t.Errorf("%v, %v", layer, err)
	}
	if _, isList, _ := m.findImage(); isList {
		t.Error("an image is no list")
	}
}

func TestTheImageForTheNodesIsTakenFromAList(t *testing.T) {
	m, err := parseManifest([]byte(`{"manifests":[
		{"digest":"` + otherDigest + `","platform":{"os":"linux","architecture":"arm64"}},
		{"digest":"` + someDigest + `","platform":{"os":"linux","architecture":"amd64"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if digest, isList, err := m.findImage(); digest != someDigest || !isList || err != nil {
		t.Errorf("%s, %v, %v", digest, isList, err)
	}
}

func TestWhatIsNoManifestIsNotTakenForOne(t *testing.T) {
	for _, content := range []string{
		"<html>blocked</html>", `{}`, `[]`, `{"errors":[]}`, `{"layers":[{"digest":"../../x","size":1}]}`,
		`{"manifests":[{"digest":"` + someDigest + `","platform":{"os":"linux","architecture":"arm64"}}]}`,
		`{"manifests":[{"digest":"x","platform":{"os":"linux","architecture":"amd64"}}]}`,
	} {
		m, err := parseManifest([]byte(content))
		if err == nil {
			_, isList, listErr := m.findImage()
			if err = listErr; !isList {
				_, err = m.findSmallestLayer()
			}
		}
		if err == nil {
			t.Errorf("%s is taken for a manifest", content)
		}
	}
}

func TestAReleaseTextNamesVersionAndImage(t *testing.T) {
	text := "Client tools\n---\nName:           4.20.5\nDigest: " + someDigest + "\n\nPull From: quay.io/openshift-release-dev/ocp-release@" + someDigest + "\n"
	version, found, err := parseReleaseText([]byte(text))
	if version != "4.20.5" || found != (image{"openshift-release-dev/ocp-release", someDigest}) || err != nil {
		t.Errorf("%s, %v, %v", version, found, err)
	}
	for _, wrong := range []string{
		"", "<html>", "Name: 4.20.5\n", "Pull From: quay.io/a@" + someDigest, strings.ReplaceAll(text, "4.20.5", "../../x"),
		strings.ReplaceAll(text, "@sha256", ":sha256"), strings.ReplaceAll(text, "ocp-release@", "ocp?release@"),
	} {
		if version, found, err := parseReleaseText([]byte(wrong)); err == nil {
			t.Errorf("%q is %s, %v", wrong, version, found)
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(`{"layers":[{"digest":"` + someDigest + `","size":-1}]}`)
	f.Add(`{"manifests":[{"platform":null}]}`)
	f.Fuzz(func(t *testing.T, content string) {
		m, err := parseManifest([]byte(content))
		if err != nil {
			return
		}
		if digest, isList, err := m.findImage(); isList && err == nil && !contentDigest.MatchString(digest) {
			t.Errorf("%q", digest)
		}
		if layer, err := m.findSmallestLayer(); err == nil && !contentDigest.MatchString(layer.Digest) {
			t.Errorf("%q", layer.Digest)
		}
	})
}

func FuzzReleaseText(f *testing.F) {
	f.Add("Name: 4.20.5\nPull From: quay.io/a/b@" + someDigest)
	f.Fuzz(func(t *testing.T, content string) {
		if version, found, err := parseReleaseText([]byte(content)); err == nil && (!exactVersion.MatchString(version) || strings.ContainsAny(found.repository, "?#@ \n")) {
			t.Errorf("%q, %v", version, found)
		}
	})
}
