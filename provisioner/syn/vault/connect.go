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

// maxRetries is for reads. Writes are never repeated.
const maxRetries = 2

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

// normalizeAddress requires https and removes a trailing slash.
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

func formatURL(place *url.URL) string {
	if place == nil {
		return ""
	}
	return place.Scheme + "://" + place.Host + place.Path
}

// newClient resets what the library reads from the environment (VAULT_TOKEN, VAULT_NAMESPACE, VAULT_HEADERS, VAULT_WRAP_TTL...).
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

// retryRead repeats only reads, and not the end of a sign-in: its code is valid only once.
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
