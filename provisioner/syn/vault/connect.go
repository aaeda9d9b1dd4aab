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
			WithHint("Lieutenant should provide the address of Vault; ask its operator")
	}
	place, err := url.Parse(address)
	switch {
	case err != nil || place.Host == "" || place.User != nil || place.RawQuery != "" || place.Fragment != "":
		return "", fault.Newf(fault.Invalid, op, "%q is not a URL like https://vault.example.net", sanitize(formatURL(place)))
	case place.Scheme != "https":
		return "", fault.Newf(fault.Invalid, op, "%q does not begin with https://, and secrets are sent over TLS only", sanitize(address)).
			WithHint("use the https address of Vault")
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
			WithHint("an environment variable VAULT_* is malformed or refers to a missing file: unset it")
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
	questions, link := false, ""
	switch {
	case answer != nil:
		questions, link = answer.Request.Method == http.MethodGet, answer.Request.URL.Path
	case errors.As(err, &failed):
		questions, link = failed.Op == "Get", failed.URL
	}
	if !questions || strings.Contains(link, callbackPath) {
		return false, nil
	}
	return api.DefaultRetryPolicy(ctx, answer, err)
}

// ensureReady also checks the mount: a KV store of version 1 would interpret the same requests as other secrets, and its writes
// would replace existing ones.
func (s *session) ensureReady(ctx context.Context, op string) (*api.Client, error) {
	client, err := s.requireClient(ctx, op)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	known := s.mountChecked
	s.mu.Unlock()
	if known {
		return client, nil
	}
	if err := s.checkMount(ctx, op, client); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.mountChecked = true
	s.mu.Unlock()
	return client, nil
}

func (s *session) checkMount(ctx context.Context, op string, client *api.Client) error {
	place := "sys/internal/ui/mounts/" + s.options.Mount
	secret, err := client.Logical().ReadWithContext(ctx, place)
	switch {
	case isForbidden(err):
		failed := s.toDeniedFault(ctx, op, s.options.Mount, "read", toFault(ctx, op, err, client.Token()))
		if client.Token() == "" {
			return failed
		}
		return fault.Newf(fault.Denied, op, "Vault has no store %s, or this token has no access to it", s.options.Mount).
			WithHint("check the address and the namespace of Vault, and ask its operator for a policy with read on %s/*", s.options.Mount)
	case err != nil:
		return toFault(ctx, op, err, client.Token())
	case secret == nil:
		return fault.Newf(fault.NotFound, op, "Vault has no store %s", s.options.Mount).WithHint("check the address and the namespace of Vault")
	}
	return s.checkVersion(op, secret)
}

func (s *session) checkVersion(op string, secret *api.Secret) error {
	options, _ := secret.Data["options"].(map[string]any)
	at, _ := secret.Data["path"].(string)
	if secret.Data["type"] == "kv" && options["version"] == "2" && strings.Trim(at, "/") == s.options.Mount {
		return nil
	}
	return fault.Newf(fault.Invalid, op, "the mount %s is not a KV store of version 2", s.options.Mount).
		WithHint("check the address of Vault; its operator can upgrade the store to version 2")
}

func (s *session) requireClient(ctx context.Context, op string) (*api.Client, error) {
	client, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	if client.Token() == "" {
		return nil, fault.New(fault.Denied, op, errors.New("not signed in to Vault")).WithHint("sign in at Vault first")
	}
	return client, nil
}
