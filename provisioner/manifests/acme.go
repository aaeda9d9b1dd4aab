package manifests

import (
	"io/fs"
	"path/filepath"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/state"
)

// acmeRegistration is the name of the Job that registers a cluster at acme-dns. Its certificates wait for DNS records that the
// installation creates with dns.acme only.
const acmeRegistration = "acme-dns-register"

// CheckACME refuses a catalog that asks for certificates by ACME for a connected cluster whose answers ask for none. One that is
// compiled later, catalogDir being "", is assumed to ask for some, as those of every profile do.
func CheckACME(spec state.Spec, catalogDir string) error {
	if spec.DNS.ACME || spec.Syn.LieutenantURL == "" {
		return nil
	}
	if catalogDir == "" {
		return fault.Newf(fault.Invalid, op, "the catalog that will be compiled requests ACME certificates, but dns.acme is false: their DNS records would not be created").
			WithHint("set dns.acme to true; or set syn.catalogDir to a compiled catalog that requests none").WithField("dns.acme")
	}
	path, err := findACMERegistration(filepath.Join(catalogDir, "manifests", "cert-manager"))
	if err != nil || path == "" {
		return err
	}
	return fault.Newf(fault.Invalid, op, "%s registers the cluster at acme-dns, but dns.acme is false: the DNS records for its certificates would not be created", path).
		WithHint("set dns.acme to true; or remove %s from the cluster's configuration", acmeRegistration).WithField("dns.acme")
}

// findACMERegistration returns the file that has the Job, or "" if none does.
func findACMERegistration(dir string) (found string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, failure error) error {
		if failure != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // a catalog without the component asks for nothing
		}
		content, err := fileread.Text(path, maxSize)
		if err == nil && strings.Contains(string(content), "name: "+acmeRegistration) {
			found = path
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}
