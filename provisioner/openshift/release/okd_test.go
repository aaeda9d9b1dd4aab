package release_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/release"
)

const okdTag = "4.20.0-okd-scos.11"

// publishOKD adds a release of OKD to the mirror, as GitHub's redirect target.
func (m *mirror) publishOKD(t *testing.T) {
	t.Helper()
	const store = "/release-assets/"
	script := strings.ReplaceAll(strings.ReplaceAll(versionScript, "4.20.5", okdTag), "quay.io/openshift-release-dev/ocp-release", "quay.io/okd/scos-release")
	m.publishAs(t, store, okdTag, script)
	for _, name := range []string{archiveName(okdTag), "sha256sum.txt"} {
		m.files[okdDirectory+okdTag+"/"+name] = &file{leads: "https://release-assets.githubusercontent.com" + store + name + "?sig=signed-for-one"}
	}
}

func TestFetch_OKDChecksumOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publishOKD(t)
		choice := release.Choice{Distribution: "okd", Version: okdTag}
		got, err := m.choose(choice).Fetch(t.Context(), "", func(string) {})
		if err != nil || got.Version != okdTag || !m.said("OKD publishes no signatures") {
			t.Fatalf("%+v, %v, said %q", got, err, m.logged)
		}
		// A network with its own key has a separate directory from the real one.
		place := filepath.Join(m.cache, "openshift-install", "okd-"+fingerprint(m.signer), okdTag, runtime.GOOS+"-"+runtime.GOARCH)
		if _, err := os.Stat(filepath.Join(place, "openshift-install")); err != nil {
			t.Error(err)
		}
	})
}

func TestFetch_RefusesWrongOKDArchive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publishOKD(t)
		m.files["/release-assets/"+archiveName(okdTag)].content = pack(t, map[string]string{"openshift-install": "#!/bin/sh\n"})
		_, err := m.choose(release.Choice{Distribution: "okd", Version: okdTag}).Fetch(t.Context(), "", func(string) {})
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "sha256") || len(m.cached(t)) > 0 {
			t.Errorf("%v, left %v", err, m.cached(t))
		}
	})
}

func TestFetch_ErrorNamesAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publishOKD(t)
		delete(m.files, "/release-assets/sha256sum.txt")
		_, err := m.choose(release.Choice{Distribution: "okd", Version: okdTag}).Fetch(t.Context(), "", func(string) {})
		if !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "https://github.com"+okdDirectory+okdTag+"/sha256sum.txt") || strings.Contains(err.Error(), "sig=") {
			t.Errorf("got %v", err)
		}
	})
}
