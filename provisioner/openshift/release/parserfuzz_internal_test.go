package release

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"exoshift/internal/fault"
)

func FuzzSumOf(f *testing.F) {
	sum := strings.Repeat("0a", 32)
	for _, seed := range []string{"", sum + "  openshift-install-linux.tar.gz\n", sum + " *a\r\n", "zz  a\n" + sum + "  b", "\x00\xff  \n"} {
		f.Add([]byte(seed), "openshift-install-linux.tar.gz")
	}
	f.Fuzz(func(t *testing.T, list []byte, name string) {
		got, found := parseChecksum(list, name)
		if !found {
			return
		}
		if raw, err := hex.DecodeString(got); err != nil || len(raw) != 32 {
			t.Fatalf("%q is no sha256", got)
		}
		if !bytes.Contains(bytes.ToLower(list), []byte(strings.ToLower(got))) || !bytes.Contains(list, []byte(name)) {
			t.Fatalf("%q of %q is not in the list", got, name)
		}
	})
}

func FuzzParseVersion(f *testing.F) {
	digest := strings.Repeat("0a", 32)
	f.Add("openshift-install 4.21.2\nbuilt from commit abc\nrelease image quay.io/a/b@sha256:" + digest + "\nrelease architecture amd64\n")
	f.Add("/a path/openshift-install 4.21.2\r\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, output string) {
		release, _ := parseVersion(output)
		if release.Version != "" && (!exactVersion.MatchString(release.Version) || !strings.Contains(output, release.Version)) {
			t.Fatalf("%q is the version of %q", release.Version, output)
		}
	})
}

func FuzzParseReleaseKey(f *testing.F) {
	f.Add([]byte("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQ==\n=abcd\n-----END PGP PUBLIC KEY BLOCK-----\n"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, content []byte) {
		if _, err := parseReleaseKey(content); err != nil && fault.HintOf(err) == "" && strings.TrimSpace(err.Error()) == "" {
			t.Fatal("the error says nothing")
		}
	})
}

func FuzzParseReleaseName(f *testing.F) {
	for _, seed := range []string{"", "Name:           4.20.5\n", "Name:", "  Name: a\r\nName: b", "name: 4.20.5", strings.Repeat("a", 1<<17) + "\nName: 4.20.5\n", "Name: \x1b[2J"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		name, found := parseReleaseName(content)
		if found && (name != strings.TrimSpace(name) || !bytes.Contains(content, []byte(name))) || !found && name != "" {
			t.Fatalf("%q is the name in %q", name, content)
		}
	})
}
