package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/hashicorp/vault/api"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

// renewMargin is the remaining lifetime below which a token is renewed, and counts as invalid if it is not renewable.
const renewMargin = 10 * time.Minute

// minLifetime is the minimum remaining lifetime of a token that is not renewable: some are valid only for minutes, and are used
// for that long.
const minLifetime = 30 * time.Second

const opSignIn = "sign in at Vault"

// SignIn gets a token; it returns at once while it has a valid one. show presents the URL of the sign-in page and may be nil: if
// only a person could sign in, that is fault.Waiting. An invalid Token of the Options is fault.Denied.
func (c *Client) SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error {
	select { // one sign-in at a time: the others use its token
	case c.loginLock <- struct{}{}:
		defer func() { <-c.loginLock }()
	case <-ctx.Done():
		return fault.New(fault.KindOf(ctx.Err()), opSignIn, context.Cause(ctx))
	}
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	if c.isValid(renewMargin) || c.renewToken(ctx, client) || c.isValid(minLifetime) {
		return nil
	}
	return c.signIn(ctx, client, show)
}

func (s *session) isValid(life time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.api != nil && s.api.Token() != "" && (s.expires.IsZero() || s.clock.Now().Add(life).Before(s.expires))
}

func (s *session) renewToken(ctx context.Context, client *api.Client) bool {
	if client.Token() == "" {
		return false
	}
	got, err := client.Auth().Token().RenewSelfWithContext(ctx, 0)
	if err != nil || got == nil || got.Auth == nil {
		return false
	}
	s.setToken(client.Token(), time.Duration(got.Auth.LeaseDuration)*time.Second)
	return s.isValid(renewMargin)
}

// setToken takes life 0 for unlimited.
func (s *session) setToken(token string, life time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.api.SetToken(token)
	s.expires = time.Time{}
	if life > 0 {
		s.expires = s.clock.Now().Add(life)
	}
}

// dropToken keeps a token that has replaced the rejected one meanwhile.
func (s *session) dropToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.api.Token() == token {
		s.api.SetToken("")
	}
}

func (s *session) requireClient(ctx context.Context, op string) (*api.Client, error) {
	client, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	if client.Token() == "" {
		return nil, fault.New(fault.Denied, op, errors.New("nobody has signed in at Vault")).WithHint("sign in at Vault first")
	}
	return client, nil
}

func (s *session) signIn(ctx context.Context, client *api.Client, show func(context.Context, string) error) error {
	if s.options.Token != "" {
		return s.useToken(ctx, client)
	}
	if found, err := s.tryTokenFile(ctx, client); found || err != nil {
		return err
	}
	if s.options.Kubernetes != nil {
		return s.signInKubernetes(ctx, client)
	}
	return s.signInOIDC(ctx, client, show)
}

func (s *session) useToken(ctx context.Context, client *api.Client) error {
	err := s.tryToken(ctx, client, strings.TrimSpace(s.options.Token))
	if fault.Is(err, fault.Denied) {
		return fault.New(fault.Denied, opSignIn, errors.New("the token that was given is not valid, or not any more")).
			WithHint("get a new one, or unset VAULT_TOKEN to sign in otherwise")
	}
	return err
}

func (s *session) tryTokenFile(ctx context.Context, client *api.Client) (found bool, err error) {
	if s.options.TokenFile == "" {
		return false, nil
	}
	content, err := fileread.Text(s.options.TokenFile, fileread.Small)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && strings.TrimSpace(string(content)) == "":
		return false, nil
	case err != nil:
		return false, fault.New(fault.Invalid, opSignIn, fmt.Errorf("read the token: %w", err)).
			WithHint("make %s readable, or remove it", s.options.TokenFile)
	}
	err = s.tryToken(ctx, client, strings.TrimSpace(string(content)))
	if fault.Is(err, fault.Denied) {
		return false, nil
	}
	return err == nil, err
}

func (s *session) tryToken(ctx context.Context, client *api.Client, token string) error {
	if strings.ContainsFunc(token, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
		return fault.New(fault.Denied, opSignIn, errors.New("the token is none: it holds spaces or control characters"))
	}
	client.SetToken(token)
	told, err := client.Auth().Token().LookupSelfWithContext(ctx)
	if err != nil {
		s.dropToken(token)
		return toFault(ctx, opSignIn, err, token)
	}
	life, err := told.TokenTTL()
	if err != nil {
		s.dropToken(token)
		return newAnswerError(opSignIn)
	}
	s.setToken(token, life)
	return nil
}

func (s *session) storeToken(got *api.Secret) error {
	if got == nil || got.Auth == nil || got.Auth.ClientToken == "" {
		return newAnswerError(opSignIn)
	}
	s.setToken(got.Auth.ClientToken, time.Duration(got.Auth.LeaseDuration)*time.Second)
	return nil
}
