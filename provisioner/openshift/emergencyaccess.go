package openshift

import (
	"bytes"
	"crypto/x509"
	"errors"
	"net/url"

	"exoshift/internal/fault"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	fetchEmergency   = "fetch the emergency credentials of this cluster, and leave TLS verification on"
	decryptEmergency = "open it with its passphrase, which is in Passbolt, and give the kubeconfig that comes out"
)

// connectEmergency connects with an emergency kubeconfig to the API of admin. It uses nothing but the kubeconfig's address, CA
// and token: no exec plugins, no files, no other server name.
func (v *Verifier) connectEmergency(kubeconfig []byte, admin *Client) (*Client, error) {
	const op = "load the emergency kubeconfig"
	if bytes.Contains(kubeconfig, []byte("-----BEGIN PGP MESSAGE-----")) {
		return nil, fault.Newf(fault.Invalid, op, "it is still encrypted").WithHint(decryptEmergency)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, fault.Newf(fault.Invalid, op, "it is no kubeconfig").WithHint(fetchEmergency) // the cause may quote a token
	}
	address, err := url.Parse(config.Host)
	if err != nil {
		return nil, fault.Newf(fault.Invalid, op, "its server is no address").WithHint(fetchEmergency)
	}
	if err := checkEmergency(config, address, admin.Address); err != nil {
		return nil, fault.New(fault.Invalid, op, err).WithHint(fetchEmergency)
	}
	roots, err := v.loadEmergencyRoots(config)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err).WithHint(fetchEmergency)
	}
	made, err := v.connector.ConnectToken(address, roots, config.BearerToken)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	return made, nil
}

func checkEmergency(config *rest.Config, address, admin *url.URL) error {
	switch {
	case config.Insecure:
		return errors.New("it turns the verification of the server off")
	case address.Scheme != "https" || address.Host != admin.Host || address.User != nil:
		return errors.New("its server is not " + admin.Host + ", the API of this cluster")
	case config.BearerToken == "":
		return errors.New("it holds no token")
	case config.Impersonate.UserName != "":
		return errors.New("it acts in the name of somebody else")
	}
	return nil
}

// loadEmergencyRoots returns the CAs that the kubeconfig embeds, else the cluster's own and public ones, with which a catalog may
// have the API served.
func (v *Verifier) loadEmergencyRoots(config *rest.Config) (*x509.CertPool, error) {
	if len(config.CAData) > 0 {
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(config.CAData) {
			return nil, errors.New("it embeds an authority that is no certificate")
		}
		return roots, nil
	}
	own, err := v.connector.ReadAuthorities()
	if err != nil {
		return nil, err
	}
	roots, err := LoadPublicRoots(v.connector.Network)
	if err == nil {
		roots.AppendCertsFromPEM(own)
	}
	return roots, err
}
