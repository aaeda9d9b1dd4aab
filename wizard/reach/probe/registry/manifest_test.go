package registry

import (
	"testing"
)

const (
	someDigest  = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	otherDigest = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

func TestParseManifest_SmallestLayer(t *testing.T) {
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

func TestParseManifest_NodeArchitecture(t *testing.T) {
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

func TestParseManifest_RefusesInvalid(t *testing.T) {
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
