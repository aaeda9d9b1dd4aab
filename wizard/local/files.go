package local

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"exoshift/internal/fileread"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/label"
	"exoshift/wizard/support"
)

// In bytes; all authorities of an operating system are a quarter.
const maxBundle = 1 << 20

type bundledCertificate struct {
	*x509.Certificate
	line int
}

func readBundle(path string) ([]bundledCertificate, []wizard.Problem) {
	const allowed = "a PEM file that contains only certificates"
	content, faults := readRegular(path, maxBundle, fileread.Bytes)
	content = bytes.TrimPrefix(content, []byte("\ufeff")) // a byte order mark
	switch {
	case faults != nil:
		return nil, faults
	case bytes.Contains(content, []byte("PRIVATE KEY")):
		return nil, wizard.NewProblem(path+" contains a private key; remove it, and replace the key if it may have leaked", allowed, "")
	case len(bytes.TrimSpace(content)) == 0:
		return nil, wizard.NewProblem(path+" is empty", allowed, "")
	}
	var all []bundledCertificate
	text := bytes.TrimRightFunc(content, unicode.IsSpace)
	for rest := skipBlankLines(text); len(rest) > 0; rest = skipBlankLines(rest) {
		line := 1 + bytes.Count(text[:len(text)-len(rest)], []byte("\n"))
		certificate, after, problem := nextCertificate(rest)
		if problem != "" {
			faults = append(faults, wizard.NewProblem(fmt.Sprintf("%s, line %d: %s", path, line, problem), allowed, "")...)
		}
		all = append(all, bundledCertificate{certificate, line})
		rest = after
	}
	if faults != nil {
		return nil, faults
	}
	return all, nil
}

// skipBlankLines keeps blanks before a block: PEM allows none.
func skipBlankLines(rest []byte) []byte {
	for {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		if !found || len(bytes.TrimSpace(line)) > 0 {
			return rest
		}
		rest = after
	}
}

// rest must begin with a PEM block; otherwise after is empty.
func nextCertificate(rest []byte) (certificate *x509.Certificate, after []byte, problem string) {
	begin := []byte("-----BEGIN ")
	block, after := pem.Decode(rest)
	taken := rest[:len(rest)-len(after)]
	if block == nil || !bytes.HasPrefix(taken, begin) || bytes.Count(taken, begin) != 1 {
		return nil, nil, "not a PEM certificate"
	}
	if block.Type != "CERTIFICATE" {
		return nil, after, "a PEM block of type " + wizard.Quote(block.Type)
	}
	if len(block.Headers) > 0 { // Go programs, the cluster's among them, ignore such a certificate
		return nil, after, "the certificate has PEM headers"
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, after, "the certificate is invalid: " + err.Error()
	}
	return certificate, after, ""
}

func checkBundleDates(path string, now time.Time) []wizard.Problem {
	if path == "" {
		return nil
	}
	var faults []wizard.Problem
	certificates, _ := readBundle(path)
	for _, c := range certificates {
		about := fmt.Sprintf("%s, line %d: the certificate of %q", path, c.line, c.Subject.CommonName)
		switch {
		case now.After(c.NotAfter):
			faults = append(faults, wizard.NewProblem(about+" expired on "+c.NotAfter.UTC().Format(time.DateOnly), "", "")...)
		case now.Before(c.NotBefore):
			faults = append(faults, wizard.NewProblem(about+" is not valid before "+c.NotBefore.UTC().Format(time.DateOnly), "", "")...)
		}
	}
	return wizard.WithField(wizard.TrustBundleKey, faults)
}

// CheckWarnings returns what is allowed but should be checked before it costs money, of the answers and of the secrets and files that
// they refer to. It never repeats a secret.
func CheckWarnings(spec state.Spec, secrets wizard.Secrets) []wizard.Problem {
	return slices.Concat(checkBaseDomain(spec), wizard.CheckDockerBridge(spec), support.Check(spec), wizard.CheckUnusedAnswers(spec), checkPullSecret(spec, secrets.PullSecret), checkBundleDates(spec.OpenShift.TrustBundle, time.Now()),
		wizard.CheckExpiredSkips(spec, time.Now()))
}

// CheckPaths returns all problems of the files and directories that a Spec names, other than secrets. Relative paths
// begin in the working directory.
func CheckPaths(spec state.Spec) []wizard.Problem {
	var faults []wizard.Problem
	if path := spec.OpenShift.TrustBundle; path != "" {
		_, found := readBundle(path)
		faults = append(faults, wizard.WithField(wizard.TrustBundleKey, found)...)
	}
	for _, d := range []struct{ field, path string }{
		{"syn.catalogDir", spec.Syn.CatalogDir}, {"openshift.manifestsDir", spec.OpenShift.ManifestsDir},
	} {
		if d.path != "" {
			faults = append(faults, wizard.WithField(d.field, validateDirectory(d.path))...)
		}
	}
	return faults
}

func validateDirectory(path string) []wizard.Problem {
	info, faults := statPath(path, "directory")
	switch {
	case faults != nil:
		return faults
	case !info.IsDir():
		return wizard.NewProblem(path+" is not a directory", "the path of a directory", "")
	}
	if _, err := os.ReadDir(path); err != nil {
		return wizard.NewProblem("cannot be read: "+err.Error(), "a readable directory", "")
	}
	return nil
}

func statPath(path, what string) (os.FileInfo, []wizard.Problem) {
	info, err := os.Stat(path)
	switch {
	case err != nil && strings.HasPrefix(path, "~"):
		return nil, wizard.NewProblem("cannot be read: "+err.Error(), "the full path: ~ is not expanded", "")
	case err != nil:
		return nil, wizard.NewProblem("cannot be read: "+err.Error(), "the path of an existing "+what, "")
	}
	return info, nil
}

func statRegular(path string) (os.FileInfo, []wizard.Problem) {
	info, faults := statPath(path, "file")
	if faults != nil {
		return nil, faults
	}
	if err := fileread.CheckRegular(path, info); err != nil {
		return nil, wizard.NewProblem(err.Error(), "the path of a file", "")
	}
	return info, nil
}

func readRegular(path string, size int64, read func(path string, size int64) ([]byte, error)) ([]byte, []wizard.Problem) {
	if _, faults := statRegular(path); faults != nil {
		return nil, faults
	}
	content, err := read(path, size)
	var local *fs.PathError
	switch {
	case errors.As(err, &local):
		return nil, wizard.NewProblem("cannot be read: "+err.Error(), "a readable file", "")
	case err != nil:
		return nil, wizard.NewProblem(err.Error(), "", "")
	}
	return content, nil
}

// checkBaseDomain warns of a base domain without a top-level domain. Exoscale serves the cluster's domain in the public
// DNS, where such a domain cannot exist.
func checkBaseDomain(spec state.Spec) []wizard.Problem {
	base := spec.Cluster.BaseDomain
	if !label.IsDomain(base) || strings.Contains(base, ".") {
		return nil
	}
	return wizard.WithField("cluster.baseDomain", wizard.NewProblem(wizard.Quote(base)+" has no top-level domain", "your domain, e.g. example.net", ""))
}
