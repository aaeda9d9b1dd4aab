package wizard

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"
	"unicode"

	"exoshift/internal/fileread"
)

const trustBundleKey = "openshift.trustBundle"

// maxBundle is the size of a trust bundle in bytes that is read; all authorities of an operating system are a quarter.
const maxBundle = 1 << 20

// bundledCertificate is a certificate of a trust bundle, with the line where it begins.
type bundledCertificate struct {
	*x509.Certificate
	line int
}

// readBundle reads a trust bundle and returns its certificates, or all that is wrong with it.
func readBundle(path string) ([]bundledCertificate, []Problem) {
	const allowed = "a file of certificates in PEM form, and nothing else"
	content, faults := readRegular(path, maxBundle, fileread.Bytes)
	content = bytes.TrimPrefix(content, []byte("\ufeff")) // a byte order mark
	switch {
	case faults != nil:
		return nil, faults
	case bytes.Contains(content, []byte("PRIVATE KEY")):
		return nil, newProblem(path+" holds a private key; remove it, and take a new one if others may have seen it", allowed, "")
	case len(bytes.TrimSpace(content)) == 0:
		return nil, newProblem(path+" is empty", allowed, "")
	}
	var all []bundledCertificate
	text := bytes.TrimRightFunc(content, unicode.IsSpace)
	for rest := skipBlankLines(text); len(rest) > 0; rest = skipBlankLines(rest) {
		line := 1 + bytes.Count(text[:len(text)-len(rest)], []byte("\n"))
		certificate, after, problem := nextCertificate(rest)
		if problem != "" {
			faults = append(faults, newProblem(fmt.Sprintf("%s, line %d: %s", path, line, problem), allowed, "")...)
		}
		all = append(all, bundledCertificate{certificate, line})
		rest = after
	}
	if faults != nil {
		return nil, faults
	}
	return all, nil
}

// skipBlankLines leaves blanks before a block where they are: PEM has none.
func skipBlankLines(rest []byte) []byte {
	for {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		if !found || len(bytes.TrimSpace(line)) > 0 {
			return rest
		}
		rest = after
	}
}

// nextCertificate reads the PEM block that rest must begin with. After what is no block there is nothing left.
func nextCertificate(rest []byte) (certificate *x509.Certificate, after []byte, problem string) {
	begin := []byte("-----BEGIN ")
	block, after := pem.Decode(rest)
	taken := rest[:len(rest)-len(after)]
	if block == nil || !bytes.HasPrefix(taken, begin) || bytes.Count(taken, begin) != 1 {
		return nil, nil, "this is no certificate in PEM form"
	}
	if block.Type != "CERTIFICATE" {
		return nil, after, "this is a block of the type " + quote(block.Type)
	}
	if len(block.Headers) > 0 { // Go's programs, the cluster's among them, pass over such a certificate
		return nil, after, "this certificate has headers"
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, after, "this certificate is damaged: " + err.Error()
	}
	return certificate, after, ""
}

// checkBundleDates point out certificates that nobody accepts at that time.
func checkBundleDates(path string, now time.Time) []Problem {
	if path == "" {
		return nil
	}
	var faults []Problem
	certificates, _ := readBundle(path)
	for _, c := range certificates {
		about := fmt.Sprintf("%s, line %d: the certificate of %q", path, c.line, c.Subject.CommonName)
		switch {
		case now.After(c.NotAfter):
			faults = append(faults, newProblem(about+" expired on "+c.NotAfter.UTC().Format(time.DateOnly), "", "")...)
		case now.Before(c.NotBefore):
			faults = append(faults, newProblem(about+" is not valid before "+c.NotBefore.UTC().Format(time.DateOnly), "", "")...)
		}
	}
	return withField(trustBundleKey, faults)
}
