package signin

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"exoshift/internal/fault"
)

const (
	requestTimeout = 30 * time.Second // of one attempt
	maxDiscovery   = 1 << 20          // bytes
	wellKnown      = "/.well-known/openid-configuration"
	discoveryOp    = "get the configuration of the single sign-on"
)

// provider is a single sign-on, with what it needs for one client.
type provider struct {
	http     *http.Client
	oauth    oauth2.Config
	verifier *oidc.IDTokenVerifier
}

// configuration is the metadata of a single sign-on (OpenID Connect Discovery 1.0, 3; RFC 8628, 4).
type configuration struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Device        string   `json:"device_authorization_endpoint"`
	Keys          string   `json:"jwks_uri"`
	Algorithms    []string `json:"id_token_signing_alg_values_supported"`
}

func (s *Source) discoverProvider(ctx context.Context) (*provider, error) {
	services, err := s.options.Services(ctx)
	if err != nil {
		return nil, err
	}
	if services.DiscoveryURL == "" || services.ClientID == "" {
		return nil, fault.Newf(fault.Waiting, discoveryOp, "%s has no sign-in page", s.options.API).
			WithHint("set COMMODORE_API_TOKEN to a token")
	}
	configuration, err := discover(ctx, s.http, services.DiscoveryURL)
	if err != nil {
		return nil, err
	}
	if err := configuration.check(services.DiscoveryURL); err != nil {
		return nil, fault.New(fault.Denied, discoveryOp, err).
			WithHint("do not sign in there; contact the operator of %s", s.options.API)
	}
	config := oidc.ProviderConfig{
		IssuerURL: configuration.Issuer, AuthURL: configuration.Authorization, TokenURL: configuration.Token, JWKSURL: configuration.Keys, Algorithms: configuration.listAlgorithms(),
	}
	return &provider{
		http: s.http,
		oauth: oauth2.Config{
			ClientID: services.ClientID, RedirectURL: redirectURL, Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
			Endpoint: oauth2.Endpoint{
				AuthURL: configuration.Authorization, TokenURL: configuration.Token, DeviceAuthURL: configuration.Device, AuthStyle: oauth2.AuthStyleInParams,
			},
		},
		verifier: config.NewProvider(oidc.ClientContext(ctx, s.http)).
			Verifier(&oidc.Config{ClientID: services.ClientID}),
	}, nil
}

func discover(ctx context.Context, client *http.Client, address string) (current configuration, _ error) {
	asking, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(asking, http.MethodGet, address, nil)
	if err != nil {
		return current, fault.New(fault.Invalid, discoveryOp, errors.New("its address is not a URL"))
	}
	answer, err := client.Do(request)
	if err != nil {
		return current, toFault(ctx, discoveryOp, err)
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return current, toFault(ctx, discoveryOp, err)
	}
	if answer.StatusCode != http.StatusOK || json.Unmarshal(content, &current) != nil {
		kind := fault.Invalid
		if answer.StatusCode >= http.StatusInternalServerError {
			kind = fault.Transient
		}
		return current, fault.Newf(kind, discoveryOp, "the response of %s is not that of a single sign-on (%s)", sanitize(address), sanitize(answer.Status)).
			WithHint("check that no sign-in page of your network or proxy answers instead, and run again")
	}
	return current, nil
}

// check refuses a configuration that would send a person, or a code, to another host.
func (c configuration) check(address string) error {
	if strings.TrimRight(c.Issuer, "/")+wellKnown != address {
		return errors.New("the configuration at " + sanitize(address) + " is of another issuer, " + sanitize(c.Issuer))
	}
	for name, endpoint := range map[string]string{
		"authorization_endpoint": c.Authorization, "token_endpoint": c.Token, "jwks_uri": c.Keys, "device_authorization_endpoint": c.Device,
	} {
		if endpoint == "" && name == "device_authorization_endpoint" {
			continue
		}
		if u, err := url.Parse(endpoint); err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
			return errors.New("its " + name + " is not an https URL")
		}
	}
	return nil
}

// listAlgorithms omits algorithms that do not authenticate the issuer.
func (c configuration) listAlgorithms() []string {
	var able []string
	for _, algorithm := range c.Algorithms {
		if strings.HasPrefix(algorithm, "RS") || strings.HasPrefix(algorithm, "PS") || strings.HasPrefix(algorithm, "ES") || algorithm == "EdDSA" {
			able = append(able, algorithm)
		}
	}
	return able
}

func (p *provider) newClientContext(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	return context.WithValue(ctx, oauth2.HTTPClient, p.http), cancel
}

// verify checks the ID token: signature, issuer, audience, expiry and, unless it is "", the nonce.
func (p *provider) verify(ctx context.Context, answer tokenSet, nonce string) error {
	const op = "check the token of the single sign-on"
	if answer.IDToken == "" {
		return fault.Newf(fault.Denied, op, "there is no ID token").WithHint("contact the operator of the single sign-on")
	}
	asking, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	token, err := p.verifier.Verify(asking, answer.IDToken)
	if err == nil && nonce != "" && token.Nonce != nonce {
		err = errors.New("it belongs to another sign-in")
	}
	if err == nil {
		return nil
	}
	if asking.Err() != nil {
		return toFault(ctx, op, err)
	}
	return fault.New(fault.Denied, op, errors.New(redact(err.Error(), answer.listSecrets()))).
		WithHint("sign in again; if the problem persists, check this machine's clock and contact the operator of the single sign-on")
}
