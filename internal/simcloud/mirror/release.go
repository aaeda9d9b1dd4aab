package mirror

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"exoshift/internal/simcloud/payload"
)

// Release is one build of OpenShift for one architecture.
type Release struct {
	Version      string // x.y.z, or x.y.z-okd-scos.n
	Architecture string // as in "release architecture": amd64, arm64, ppc64le, s390x or multi
}

// amd64 is the architecture of the simulated zone's machines.
const amd64 = "amd64"

// IsOKD reports whether it is a community build on CentOS Stream CoreOS.
func (r Release) IsOKD() bool { return strings.Contains(r.Version, "-okd-") }

// Digest returns the digest of the payload: "sha256:" and hex.
func (r Release) Digest() string { return r.buildPayload(payload.NewBuilder()).Digest() }

// Image returns the pull specification of the payload.
func (r Release) Image() string {
	if r.IsOKD() {
		return "quay.io/" + OKDRepository + "@" + r.Digest()
	}
	return "quay.io/" + Repository + "@" + r.Digest()
}

// Forms of existing versions: a patch of three digits does not exist. The latest versions of channels are invented.
var (
	exactVersion = regexp.MustCompile(`^4\.[12]\d\.(\d{1,2}|0-(rc|ec)\.\d)$`)
	okdTag       = regexp.MustCompile(`^4\.(19|20|21)\.0-okd-scos\.\d{1,2}$`)
	channelName  = regexp.MustCompile(`^(stable|fast|candidate|latest)-(4\.\d{1,2})$`)
)

func resolve(name string) (string, bool) {
	if exactVersion.MatchString(name) {
		return name, true
	}
	channel := channelName.FindStringSubmatch(name)
	if channel == nil {
		return "", false
	}
	patch, ok := map[string]int{"4.18": 24, "4.19": 15, "4.20": 5, "4.21": 2}[channel[2]]
	patch += map[string]int{"stable": 0, "fast": 1, "latest": 1, "candidate": 2}[channel[1]]
	return fmt.Sprintf("%s.%d", channel[2], patch), ok
}

// lookupArchitecture returns the programs' name of an architecture's directory; false if there is none.
func lookupArchitecture(directory string) (string, bool) {
	switch directory {
	case "", "x86_64", amd64:
		return amd64, true
	case "aarch64", "arm64":
		return "arm64", true
	}
	return directory, slices.Contains([]string{"ppc64le", "s390x", multi}, directory)
}

func renderReleaseText(r Release) string {
	kubernetes := "1.33.5"
	var minor int
	if _, err := fmt.Sscanf(r.Version, "4.%d.", &minor); err == nil {
		kubernetes = fmt.Sprintf("1.%d.5", minor+13)
	}
	return fmt.Sprintf(`Client tools for OpenShift
--------------------------

These archives contain the client tooling for [OpenShift](https://docs.openshift.com).

To verify the contents of this directory, use the 'gpg' and 'shasum' tools to
ensure the archives you have downloaded match those published from this location.

The openshift-install binary has been preconfigured to install the following release:

---

Name:           %[1]s
Digest:         %[2]s
Created:        2026-01-01T00:00:00Z
OS/Arch:        linux/%[3]s
Manifests:      758
Metadata files: 1

Pull From: %[4]s

Release Metadata:
  Version:  %[1]s
  Upgrades: 4.17.40, 4.17.41
  Metadata:
    url: https://access.redhat.com/errata/RHBA-2026:0001

Component Versions:
  kubectl          %[5]s
  kubernetes       %[5]s
  kubernetes-tests %[5]s
  machine-os       %[6]s Red Hat Enterprise Linux CoreOS
  rhel-coreos      %[6]s Red Hat Enterprise Linux CoreOS

Images:
  NAME             PULL SPEC
  installer        quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:%[7]s
  rhel-coreos      quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:%[8]s
`, r.Version, r.Digest(), r.Architecture, r.Image(), kubernetes, ImageName(r.Version),
		hashSHA256([]byte("installer "+r.Version)), hashSHA256([]byte("rhel-coreos "+r.Version)))
}

func hashSHA256(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
