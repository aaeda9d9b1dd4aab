package release

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"exoshift/internal/fault"
)

const (
	okd = "okd"

	// clientsDirectory is where OCP is published for the payload's architecture, whatever the host's.
	clientsDirectory = "https://mirror.openshift.com/pub/openshift-v4/" + payloadDirectory + "/clients/ocp/"
	okdDirectory     = "https://github.com/okd-project/okd/releases/download/"

	checksumName  = "sha256sum.txt"
	signatureName = "sha256sum.txt.gpg"
)

var okdTag = regexp.MustCompile(`^4\.(\d+)\.\d+-okd-scos\.[0-9A-Za-z.]+$`)

type publication struct {
	version   string
	directory string // URL, with a trailing slash
	archive   string // its name; it contains the version, which ties signed checksums to the version, but for FIPS
	fips      bool   // the build for clusters in FIPS mode
	key       releaseKey
	signed    bool // whether the checksums are signed; OKD's are not (signing of recent releases is not confirmed)
}

func (p publication) name() string { return programName + " " + p.version }

// toCacheEntry has a separate directory for each signer, and for unsigned programs one for each network, so that what one vouches
// for is never used under another.
func (p publication) toCacheEntry(cache string) cacheEntry {
	signer := p.key.fingerprint
	if !p.signed {
		signer = okd + strings.TrimSuffix("-"+p.key.scope, "-")
	}
	return cacheEntry{dir: filepath.Join(cache, programName, signer, p.version, p.formatHost())}
}

// findPublication returns where a version is published.
func (m mirror) findPublication(version string) (publication, error) {
	op := "choose " + programName + " " + version
	archive, err := resolveArchive(runtime.GOOS, runtime.GOARCH, version, m.choice.FIPS)
	if err != nil {
		return publication{}, fault.New(fault.Invalid, op, err).
			WithHint("run exoshift on Linux or macOS, or use a program of this version with --openshift-install")
	}
	key, err := loadReleaseKey(m.key)
	if err != nil {
		return publication{}, err
	}
	if err := checkDistribution(m.choice.Distribution, version); err != nil {
		return publication{}, err
	}
	p := publication{version: version, archive: archive, fips: m.choice.FIPS, key: key}
	p.directory, p.signed = clientsDirectory+version+"/", true
	if m.choice.Distribution == okd {
		p.directory, p.signed = okdDirectory+version+"/", false
	}
	return p, nil
}

// checkDistribution refuses a version of the other distribution, and releases of OKD that boot from Fedora CoreOS.
func checkDistribution(distribution, version string) error {
	op := "choose " + programName + " " + version
	tag := okdTag.FindStringSubmatch(version)
	switch {
	case distribution != okd && isOKD(version):
		return fault.Newf(fault.Invalid, op, "it is an OKD release, not of OpenShift Container Platform").
			WithHint("use distribution okd, or a version such as 4.20.5").WithField(versionField)
	case distribution != okd:
		return nil
	case tag == nil:
		return fault.Newf(fault.Invalid, op, "it is not a release of OKD on CentOS Stream CoreOS").
			WithHint("use a tag of OKD's releases, e.g. 4.20.0-okd-scos.11").WithField(versionField)
	}
	if minor, err := strconv.Atoi(tag[1]); err != nil || minor < 19 {
		return fault.Newf(fault.Invalid, op, "it boots from an image of Fedora CoreOS, which is not supported").
			WithHint("use 4.19 or later, which boots from CentOS Stream CoreOS").WithField(versionField)
	}
	return nil
}

func isOKD(version string) bool { return strings.Contains(version, okd) }

// payload is the architecture of the machines, in the words of the mirror, the stream metadata and Go. It determines the
// directory on the mirror; the host that runs openshift-install determines the file in there.
const (
	payloadDirectory = "x86_64"
	payloadGo        = "amd64"
)

// resolveArchive returns the name of a host's archive.
func resolveArchive(system, architecture, version string, fips bool) (string, error) {
	if fips && system+"/"+architecture != "linux/amd64" {
		return "", fmt.Errorf("the %s of clusters in FIPS mode is not published for %s/%s", programName, system, architecture)
	}
	if fips {
		return fipsArchive, nil
	}
	host, err := resolveHostSuffix(system, architecture)
	return programName + "-" + host + "-" + version + ".tar.gz", err
}

// resolveHostSuffix returns the end of the name of a host's archives. For Linux on arm64, OKD's is inferred from OCP's.
func resolveHostSuffix(system, architecture string) (string, error) {
	switch system + "/" + architecture {
	case "linux/amd64":
		return "linux", nil
	case "linux/arm64":
		return "linux-arm64", nil
	case "darwin/amd64":
		return "mac", nil
	case "darwin/arm64":
		return "mac-arm64", nil
	}
	return "", fmt.Errorf("%s is not published for %s/%s", programName, system, architecture)
}

func (p publication) formatHost() string {
	host := runtime.GOOS + "-" + runtime.GOARCH
	if p.fips {
		host += "-fips"
	}
	return host
}
