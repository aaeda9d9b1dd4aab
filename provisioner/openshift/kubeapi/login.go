package kubeapi

import (
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"exoshift/internal/fault"
	"exoshift/internal/network"
)

// Login is how a person or an account signs in at a cluster that exoshift has not installed: by a kubeconfig, or as the service
// account of a pod.
type Login struct {
	Kubeconfig []byte                 // nil: Server, Authority and Token are set
	Server     string                 // URL
	Authority  []byte                 // PEM
	Token      func() (string, error) // is called for each request, as a pod's token is replaced about every hour
}

// NewLoginClient returns a client of such a cluster. It sends no requests. A kubeconfig has to embed its authority, and a client
// certificate or a token; nothing is run for it.
func NewLoginClient(net network.Network, login Login) (*Client, error) {
	const op = "load the kubeconfig"
	disableKlog()
	config := Kubeconfig{Server: login.Server, Authority: login.Authority}
	token := login.Token
	if login.Kubeconfig != nil {
		var err error
		if config, err = ParseKubeconfig(login.Kubeconfig); err != nil {
			return nil, fault.New(fault.Invalid, op, err)
		}
		if given := config.Token; given != "" {
			token = func() (string, error) { return given, nil }
		}
	}
	address, err := url.Parse(config.Server)
	if err == nil {
		err = checkLogin(config, address, token != nil)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err).WithHint("a kubeconfig with a token of a service account is enough")
	}
	made, err := connectLogin(net, config, address)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	if token != nil {
		made.http.Transport = bearer{made.http.Transport, token}
	}
	return made, nil
}

func checkLogin(config Kubeconfig, address *url.URL, hasToken bool) error {
	err := checkTrust(config, address)
	if hasToken && errors.Is(err, errNoCertificate) {
		return nil
	}
	return err
}

func connectLogin(net network.Network, config Kubeconfig, address *url.URL) (*Client, error) {
	trust, err := config.newTLSConfig()
	if err != nil {
		return nil, err
	}
	trust.RootCAs = x509.NewCertPool() // those of the kubeconfig alone
	if !trust.RootCAs.AppendCertsFromPEM(bytes.TrimSpace(config.Authority)) {
		return nil, errors.New("its certificate authority is not a certificate")
	}
	return newTrustedClient(net, address, trust, &requestCounter{}), nil
}

// bearer sends a token with each request.
type bearer struct {
	http.RoundTripper
	token func() (string, error)
}

func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	token, err := b.token()
	if err != nil {
		return nil, fmt.Errorf("read the token: %w", err)
	}
	shown := request.Clone(request.Context())
	shown.Header.Set("Authorization", "Bearer "+token)
	return b.RoundTripper.RoundTrip(shown)
}
