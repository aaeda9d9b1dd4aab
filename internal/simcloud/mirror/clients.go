package mirror

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// listPlatforms returns the hosts that openshift-install is built for, as in file names. The program is a script, and the same
// for all of them.
func listPlatforms() []string { return []string{"linux", "linux-arm64", "mac", "mac-arm64"} }

type downloads struct {
	words []string
	key   Key
	cache *cache
}

func (d downloads) getArchive(release Release) ([]byte, error) {
	return d.cache.get(release.Image(), func() ([]byte, error) { return buildArchive("openshift-install", d.words, release) })
}

func (d downloads) serveClient(w http.ResponseWriter, r *http.Request) {
	version, known := resolve(r.PathValue("version"))
	arch, exists := lookupArchitecture(r.PathValue("arch"))
	if !known || !exists {
		http.NotFound(w, r)
		return
	}
	release := Release{Version: version, Architecture: arch}
	switch file := r.PathValue("file"); file {
	case "release.txt":
		serve(w, r, []byte(renderReleaseText(release)), nil)
	case sumsFile:
		sums, err := d.renderSums(release)
		serve(w, r, sums, err)
	case sumsFile + ".gpg":
		signed, err := d.signSums(release)
		serve(w, r, signed, err)
	case fipsArchive:
		content, err := d.getFIPSArchive(release)
		serve(w, r, content, err)
	default:
		if !isProgram(file, version) {
			http.NotFound(w, r)
			return
		}
		content, err := d.getArchive(release)
		serve(w, r, content, err)
	}
}

// fipsArchive is the build for clusters in FIPS mode; its name has no version.
const fipsArchive = "openshift-install-rhel9-amd64.tar.gz"

func (d downloads) getFIPSArchive(release Release) ([]byte, error) {
	return d.cache.get("fips "+release.Image(), func() ([]byte, error) {
		return buildArchive("openshift-install-fips", append(slices.Clone(d.words), "--fips"), release)
	})
}

func isProgram(file, version string) bool {
	for _, platform := range listPlatforms() {
		if name := "openshift-install-" + platform; file == name+".tar.gz" || file == name+"-"+version+".tar.gz" {
			return true
		}
	}
	return false
}

func (d downloads) renderSums(release Release) ([]byte, error) {
	content, err := d.getArchive(release)
	if err != nil {
		return nil, err
	}
	fips, err := d.getFIPSArchive(release)
	if err != nil {
		return nil, err
	}
	var list strings.Builder
	fmt.Fprintf(&list, "%s  %s\n", hashSHA256(fips), fipsArchive)
	for _, platform := range listPlatforms() {
		for _, ending := range []string{"-" + release.Version, ""} {
			fmt.Fprintf(&list, "%s  openshift-install-%s%s.tar.gz\n", hashSHA256(content), platform, ending)
		}
	}
	fmt.Fprintf(&list, "%s  release.txt\n", hashSHA256([]byte(renderReleaseText(release))))
	return []byte(list.String()), nil
}

// signSums returns a detached signature; for the versions 4.19 a message which contains the signed list.
func (d downloads) signSums(release Release) ([]byte, error) {
	sums, err := d.renderSums(release)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(release.Version, "4.19.") {
		return d.key.SignMessage(sums, time.Now())
	}
	return d.key.signDetached(sums, time.Now())
}
