package vault

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/vault/api"

	"exoshift/internal/fault"
)

// renewMargin is the remaining lifetime below which a token is renewed, and counts as invalid if it is not renewable.
const renewMargin = 10 * time.Minute

// minLifetime is the minimum remaining lifetime of a token that is not renewable: some are valid only for minutes, and are used
// for that long.
const minLifetime = 30 * time.Second

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

func (s *session) storeToken(got *api.Secret) error {
	if got == nil || got.Auth == nil || got.Auth.ClientToken == "" {
		return newAnswerError(opSignIn)
	}
	s.setToken(got.Auth.ClientToken, time.Duration(got.Auth.LeaseDuration)*time.Second)
	return nil
}

// toDeniedFault distinguishes the causes of a 403: either the token has expired, or its policies are too narrow.
func (s *session) toDeniedFault(ctx context.Context, op, path, right string, err error) error {
	if !fault.Is(err, fault.Denied) {
		return err
	}
	client, failed := s.connect(ctx)
	if failed != nil {
		return err
	}
	if _, lookup := client.Auth().Token().LookupSelfWithContext(ctx); isForbidden(lookup) && !s.reachesMount(ctx, client) {
		s.dropToken(client.Token())
		return fault.New(fault.Denied, op, errors.New("the token of this sign-in has expired or was revoked")).WithHint("sign in at Vault again")
	}
	return fault.Newf(fault.Denied, op, "the token has no permission to %s %s", right, path).
		WithHint("ask the operator of Vault for a policy with the capability %q on %s", right, path)
}

// reachesMount reports whether a token is valid, though it may not look itself up: Vault describes a mount to every token that may
// do anything there.
func (s *session) reachesMount(ctx context.Context, client *api.Client) bool {
	secret, err := client.Logical().ReadWithContext(ctx, "sys/internal/ui/mounts/"+s.options.Mount)
	return err == nil && secret != nil
}

func (s *session) getMethod() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.method
}
