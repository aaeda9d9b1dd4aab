package mirror

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
)

func TestFind_ByPayloadDigest(t *testing.T) {
	for _, release := range []Release{
		{"4.20.5", "amd64"}, {"4.18.99", "arm64"}, {"4.21.0-rc.3", "amd64"}, {"4.20.0-okd-scos.11", "amd64"}, {"4.12.3", "multi"},
	} {
		if found, ok := Find(release.Digest()); !ok || found != release {
			t.Errorf("%v: found %v, %v", release, found, ok)
		}
	}
	if found, ok := Find("sha256:" + hashSHA256([]byte("something else"))); ok {
		t.Errorf("found %v for a digest that nothing has", found)
	}
}

func TestParseTag_Releases(t *testing.T) {
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
		if found, ok := ParseTag(repository, name); ok != (want != Release{}) || ok && found != want {
			t.Errorf("%s: found %v, %v", tag, found, ok)
		}
	}
}

func TestReleases_AreSigned(t *testing.T) {
	handler, key := mirrorOf(t, "true")
	store := "https://mirror.openshift.com" + signaturesPath + "sha256="
	digest := Release{"4.20.5", "amd64"}.Digest()
	signed := must(t, handler, store+strings.TrimPrefix(digest, "sha256:")+"/signature-1")
	ring, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(key.ExportPublic()))
	if err != nil {
		t.Fatal(err)
	}
	message, err := openpgp.ReadMessage(bytes.NewReader(signed), ring, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(message.UnverifiedBody); err != nil || message.SignatureError != nil || !strings.Contains(string(content), digest) {
		t.Errorf("%v, %v: %s", err, message.SignatureError, content)
	}
	for _, release := range []Release{{"4.20.0-okd-scos.11", "amd64"}, {"4.20.100", "amd64"}} {
		if code, _ := get(t, handler, store+strings.TrimPrefix(release.Digest(), "sha256:")+"/signature-1"); code != 404 {
			t.Errorf("%v is signed: %d", release, code)
		}
	}
}

func TestListVersions_ServedOnly(t *testing.T) {
	for _, version := range listVersions(amd64) {
		if !exactVersion.MatchString(version) && !okdTag.MatchString(version) {
			t.Errorf("%s is found and does not exist", version)
		}
	}
}
