package vault

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/vault/api"

	"exoshift/internal/fault"
)

// maxRetries is how often a question is asked again. Writes are never repeated.
const maxRetries = 2

// connect returns Vault's own client for the address, and makes it once.
func (s *session) connect(ctx context.Context) (*api.Client, error) {
	address, method, err := s.resolveAddress(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.api != nil {
		return s.api, nil
	}
	client, err := s.newClient(address)
	if err != nil {
		return nil, err
	}
	s.api, s.method = client, method
	return client, nil
}

// resolveAddress returns where Vault is and how people sign in.
func (s *session) resolveAddress(ctx context.Context) (address, method string, err error) {
	if s.options.Address != "" || s.options.Services == nil {
		address, err = normalizeAddress(s.options.Address)
		return address, s.options.Method, err
	}
	s.mu.Lock()
	known := s.api != nil
	s.mu.Unlock()
	if known {
		return "", "", nil
	}
	services, err := s.options.Services(ctx)
	if err != nil {
		return "", "", err
	}
	address, err = normalizeAddress(services.Vault)
	return address, services.VaultMethod, err
}

// normalizeAddress returns an address without a slash at its end. Tokens go over TLS only.
func normalizeAddress(address string) (string, error) {
	const op = "find Vault"
	if address == "" {
		return "", fault.New(fault.Invalid, op, errors.New("its address is not known")).
			WithHint("Lieutenant tells the address of Vault; ask those who run it why it does not")
	}
	place, err := url.Parse(address)
	switch {
	case err != nil || place.Host == "" || place.User != nil || place.RawQuery != "" || place.Fragment != "":
		return "", fault.Newf(fault.Invalid, op, "%q is not an address like https://vault.example.net", sanitize(formatURL(place)))
	case place.Scheme != "https":
		return "", fault.Newf(fault.Invalid, op, "%q does not begin with https://, and secrets go over TLS only", sanitize(address)).
			WithHint("ask for the https address of Vault")
	}
	return strings.TrimRight(address, "/"), nil
}

// formatURL returns what may be told of an address.
func formatURL(place *url.URL) string {
	if place == nil {
		return ""
	}
	return place.Scheme + "://" + place.Host + place.Path
}

// newClient makes the client. The library reads variables of its own (VAULT_TOKEN, VAULT_NAMESPACE, VAULT_HEADERS,
// VAULT_WRAP_TTL...); here they are taken back, as the environment is somebody else's business.
func (s *session) newClient(address string) (*api.Client, error) {
	client, err := api.NewClient(&api.Config{
		Address: address, HttpClient: s.http, Timeout: callTimeout, MaxRetries: maxRetries, CheckRetry: retryRead, DisableRedirects: true,
	})
	if err != nil {
		return nil, fault.New(fault.Invalid, "set up the client of Vault", errors.New(sanitize(err.Error()))).
			WithHint("a variable of the environment that begins with VAULT_ is malformed or names a file that does not exist: unset it")
	}
	client.SetHeaders(http.Header{api.RequestHeaderName: {"true"}})
	client.SetToken("")
	client.SetWrappingLookupFunc(func(string, string) string { return "" })
	if s.options.Namespace != "" {
		client.SetNamespace(s.options.Namespace)
	}
	return client, nil
}

// retryRead tells whether a request is sent once more: only if it asks for something. The end of a sign-in hands a code in, which
// is good for one time.
func retryRead(ctx context.Context, answer *http.Response, err error) (bool, error) {
	var refused *fault.Error
	if errors.As(err, &refused) {
		return false, err
	}
	var failed *url.Error
	asks, link := false, ""
	switch {
	case answer != nil:
		asks, link = answer.Request.Method == http.MethodGet, answer.Request.URL.Path
	case errors.As(err, &failed):
		asks, link = failed.Op == "Get", failed.URL
	}
	if !asks || strings.Contains(link, callbackPath) {
		return false, nil
	}
	return api.DefaultRetryPolicy(ctx, answer, err)
}
