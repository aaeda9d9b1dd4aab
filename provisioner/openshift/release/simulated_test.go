package release_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	served "exoshift/internal/simcloud/mirror"
	"exoshift/provisioner/openshift/release"
)

func simulatedMirror(t *testing.T) *mirror {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	key, err := served.NewKey(time.Now().Add(-time.Hour), 0)
	if err != nil {
		t.Fatal(err)
	}
	m := newMirror(t)
	m.others = served.New([]string{"env", prompt, posing + "=1", binary}, key)
	m.net.ReleaseKey = key.ExportPublic()
	return m
}

func TestFetch_SimulatedMirror(t *testing.T) {
	m := simulatedMirror(t)
	for _, test := range []struct {
		distribution, asked, version, image, host string
		signed                                    bool
	}{
		{"ocp", "4.20.5", "4.20.5", "quay.io/openshift-release-dev/ocp-release@", "https://rhcos.mirror.openshift.com/", true},
		{"ocp", "4.19.15", "4.19.15", "quay.io/openshift-release-dev/ocp-release@", "https://rhcos.mirror.openshift.com/", true},
		{"ocp", "stable-4.21", "4.21.2", "quay.io/openshift-release-dev/ocp-release@", "https://rhcos.mirror.openshift.com/", true},
		{"ocp", "candidate-4.19", "4.19.17", "quay.io/openshift-release-dev/ocp-release@", "https://rhcos.mirror.openshift.com/", true},
		{"okd", "4.21.0-okd-scos.11", "4.21.0-okd-scos.11", "quay.io/okd/scos-release@", "https://rhcos.mirror.openshift.com/", false},
	} {
		t.Run(test.asked, func(t *testing.T) {
			m.logged = nil
			i := m.choose(release.Choice{Distribution: test.distribution, Version: test.asked})
			got, err := i.Fetch(t.Context(), "", func(string) {})
			if err != nil || got.Version != test.version || !strings.HasPrefix(got.Image, test.image) {
				t.Fatalf("%+v, %v", got, err)
			}
			if m.said("checksums are signed by") != test.signed || m.said("publishes no signatures") == test.signed {
				t.Errorf("said %q", m.logged)
			}
			image, err := i.FindBootImage(t.Context())
			if err != nil || !strings.HasPrefix(image.URL, test.host) || !strings.HasSuffix(image.URL, "-openstack.x86_64.qcow2.gz") {
				t.Errorf("%+v, %v", image, err)
			}
		})
	}
}

// The program of clusters in FIPS mode is another one of the same release, and the two do not share a place in the cache.
func TestFetch_FIPSBuild(t *testing.T) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("it is published for Linux on x86_64 only")
	}
	m := simulatedMirror(t)
	for _, fips := range []bool{false, true} {
		i := m.choose(release.Choice{Distribution: "ocp", Version: "4.20.5", FIPS: fips})
		if got, err := i.Fetch(t.Context(), "", func(string) {}); err != nil || got.Version != "4.20.5" {
			t.Fatalf("FIPS %v: %+v, %v", fips, got, err)
		}
		if served := m.served[directory+"openshift-install-rhel9-amd64.tar.gz"] > 0; served != fips {
			t.Errorf("FIPS %v: the build for it was downloaded: %v", fips, served)
		}
	}
}
