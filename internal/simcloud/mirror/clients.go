package mirror

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// platforms are the hosts that openshift-install is built for, as they stand in file names. The program is a script,
// and the same for all of them.
func platforms() []string { return []string{"linux", "linux-arm64", "mac", "mac-arm64"} }

// downloads serves the programs of releases.
type downloads struct {
	words []string
	key   Key
	made  *shop
}

func (d downloads) archive(release Release) ([]byte, error) {
	return d.made.get(release.Image(), func() ([]byte, error) { return archive(d.words, release) })
}

// client serves a file of a version's or a channel's directory.
func (d downloads) client(w http.ResponseWriter, r *http.Request) {
	version, known := resolve(r.PathValue("version"))
	arch, exists := architecture(r.PathValue("arch"))
	if !known || !exists {
		http.NotFound(w, r)
		return
	}
	release := Release{Version: version, Architecture: arch}
	switch file := r.PathValue("file"); file {
	case "release.txt":
		serve(w, r, []byte(about(release)), nil)
	case sumsFile:
		sums, err := d.sums(release)
		serve(w, r, sums, err)
	case sumsFile + ".gpg":
		signed, err := d.signature(release)
		serve(w, r, signed, err)
	default:
		if !isProgram(file, version) {
			http.NotFound(w, r)
			return
		}
		content, err := d.archive(release)
		serve(w, r, content, err)
	}
}

func isProgram(file, version string) bool {
	for _, platform := range platforms() {
		if name := "openshift-install-" + platform; file == name+".tar.gz" || file == name+"-"+version+".tar.gz" {
			return true
		}
	}
	return false
}

// sums lists the checksums of a directory in the format of sha256sum.
func (d downloads) sums(release Release) ([]byte, error) {
	content, err := d.archive(release)
	if err != nil {
		return nil, err
	}
	var list strings.Builder
	for _, platform := range platforms() {
		for _, ending := range []string{"-" + release.Version, ""} {
			fmt.Fprintf(&list, "%s  openshift-install-%s%s.tar.gz\n", checksum(content), platform, ending)
		}
	}
	fmt.Fprintf(&list, "%s  release.txt\n", checksum([]byte(about(release))))
	return []byte(list.String()), nil
}

// signature is detached; that of the versions 4.19 is a message which holds the signed list.
func (d downloads) signature(release Release) ([]byte, error) {
	sums, err := d.sums(release)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(release.Version, "4.19.") {
		return d.key.Message(sums, time.Now())
	}
	return d.key.Detached(sums, time.Now())
}
