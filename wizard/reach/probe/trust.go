package probe

import (
	"crypto/x509"

	"exoshift/internal/fault"
)

func buildRoots(trusted *x509.CertPool, authorities string) (*x509.CertPool, error) {
	const op = "read the certificate authorities for the checks"
	if authorities == "" {
		return trusted, nil
	}
	var pool *x509.CertPool
	if trusted != nil {
		pool = trusted.Clone()
	} else {
		system, err := x509.SystemCertPool()
		if err != nil {
			return nil, fault.New(fault.Internal, op, err).WithHint("check the certificates of this machine")
		}
		pool = system
	}
	if !pool.AppendCertsFromPEM([]byte(authorities)) {
		return nil, fault.Newf(fault.Invalid, op, "there is no certificate in them").WithHint("give the certificates as PEM")
	}
	return pool, nil
}
