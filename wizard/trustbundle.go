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

// In bytes; all authorities of an operating system are a quarter.
const maxBundle = 1 << 20

type bundledCertificate struct {
	*x509.Certificate
	line int
}

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
		return nil, nil, "this is no certificate in PEM form"
	}
	if block.Type != "CERTIFICATE" {
		return nil, after, "this is a block of the type " + quote(block.Type)
	}
	if len(block.Headers) > 0 { // Go programs, the cluster's among them, ignore such a certificate
		return nil, after, "this certificate has headers"
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, after, "this certificate is damaged: " + err.Error()
	}
	return certificate, after, ""
}

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
