package installdir

import (
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/vincent-petithory/dataurl"
)

const (
	// certificatesDir holds the certificates with which the bootstrap machine starts the control plane.
	certificatesDir = "/opt/openshift/tls"
	maxCertificates = 1 << 20
)

type ignitionFile struct {
	Path     string `json:"path"`
	Contents struct {
		Source      string `json:"source"`
		Compression string `json:"compression"`
	} `json:"contents"`
}

// parseValidity returns the validity of the certificate in bootstrap.ign that expires first. It is one of those that are valid
// for a day (openshift-install, pkg/asset/tls).
func parseValidity(bootstrap []byte) (from, until time.Time, err error) {
	var document struct {
		Storage struct {
			Files []ignitionFile `json:"files"`
		} `json:"storage"`
	}
	if err := json.Unmarshal(bootstrap, &document); err != nil {
		return from, until, err
	}
	for _, file := range document.Storage.Files {
		if path.Dir(file.Path) != certificatesDir || path.Ext(file.Path) != ".crt" {
			continue
		}
		found, err := file.parseCertificates()
		if err != nil {
			return from, until, fmt.Errorf("%s: %w", file.Path, err)
		}
		for _, c := range found {
			if until.IsZero() || c.NotAfter.Before(until) {
				from, until = c.NotBefore, c.NotAfter
			}
		}
	}
	if until.IsZero() {
		return from, until, errors.New("it has no certificates in " + certificatesDir)
	}
	return from, until, nil
}

func (f ignitionFile) parseCertificates() ([]*x509.Certificate, error) {
	content, err := f.decode()
	if err != nil {
		return nil, err
	}
	var found []*x509.Certificate
	for block, rest := pem.Decode(content); block != nil; block, rest = pem.Decode(rest) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		found = append(found, certificate)
	}
	if len(found) == 0 {
		return nil, errors.New("not a certificate in PEM")
	}
	return found, nil
}

func (f ignitionFile) decode() ([]byte, error) {
	source, err := dataurl.DecodeString(f.Contents.Source)
	if err != nil {
		return nil, err
	}
	switch f.Contents.Compression {
	case "":
		return source.Data, nil
	case "gzip":
		unpacked, err := gzip.NewReader(bytes.NewReader(source.Data))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(io.LimitReader(unpacked, maxCertificates))
	}
	return nil, fmt.Errorf("compressed by %s", f.Contents.Compression)
}
