package openshift

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"

	"exoshift/internal/fault"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	fetchEmergency   = "fetch the emergency credentials of this cluster, and leave TLS verification on"
	decryptEmergency = "open it with its passphrase, which is in Passbolt, and give the kubeconfig that comes out"
)

// connectEmergency connects with an emergency kubeconfig to the API of admin. It uses nothing but the kubeconfig's address, CA
// and token: no exec plugins, no files, no other server name.
func (c *Cluster) connectEmergency(kubeconfig []byte, admin *api) (*api, error) {
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
	if err := checkEmergency(config, address, admin.address); err != nil {
		return nil, fault.New(fault.Invalid, op, err).WithHint(fetchEmergency)
	}
	roots, err := c.loadEmergencyRoots(config)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err).WithHint(fetchEmergency)
	}
	trust := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	made := &api{address: address, trust: trust, http: newClient(c.net, trust), counter: &c.counter}
	made.http.Transport = bearer{made.http.Transport, config.BearerToken}
	if made.objects, err = dynamic.NewForConfigAndClient(newRESTConfig(&rest.Config{Host: config.Host}), made.http); err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	return made, nil
}

type bearer struct {
	http.RoundTripper
	token string
}

func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	shown := request.Clone(request.Context())
	shown.Header.Set("Authorization", "Bearer "+b.token)
	return b.RoundTripper.RoundTrip(shown)
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
func (c *Cluster) loadEmergencyRoots(config *rest.Config) (*x509.CertPool, error) {
	if len(config.CAData) > 0 {
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(config.CAData) {
			return nil, errors.New("it embeds an authority that is no certificate")
		}
		return roots, nil
	}
	content, err := c.kubeconfig()
	if err != nil {
		return nil, err
	}
	own, err := ParseAuthorities(content)
	if err != nil {
		return nil, err
	}
	roots, err := loadPublicRoots(c.net)
	if err == nil {
		roots.AppendCertsFromPEM(own)
	}
	return roots, err
}
