package kubeapi

import (
	"crypto/x509"
	"errors"

	"exoshift/internal/fault"
)

// ParseAuthorities returns the CAs that a kubeconfig trusts for its cluster's API, as PEM.
func ParseAuthorities(kubeconfig []byte) ([]byte, error) {
	const op = "read the certificate authorities of the kubeconfig"
	config, err := ParseKubeconfig(kubeconfig)
	if err == nil && !x509.NewCertPool().AppendCertsFromPEM(config.Authority) {
		err = errors.New("it has no certificate")
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err).WithHint("restore the kubeconfig that openshift-install wrote")
	}
	return config.Authority, nil
}
