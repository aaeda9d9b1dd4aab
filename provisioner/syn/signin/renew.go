package signin

import (
	"context"

	"golang.org/x/oauth2"

	"exoshift/internal/fault"
)

// renew gets a token without a person. Single sign-ons may let a session be renewed once only with the same secret, so
// that another program that was faster has the new one. fault.Denied: somebody has to sign in.
func (s *Source) renew(ctx context.Context) (string, error) {
	const op = "renew the sign-in"
	p, err := s.provider(ctx)
	if err != nil {
		return "", err
	}
	asking, cancel := s.client(ctx)
	defer cancel()
	old := s.held.RefreshToken
	answer, err := p.oauth.TokenSource(asking, &oauth2.Token{RefreshToken: old}).Token()
	if err != nil {
		err = s.translate(ctx, op, err, old)
		if !fault.Is(err, fault.Denied) {
			return "", err
		}
		s.Reject(old)
		if cached := s.cached(); s.fresh(cached.IDToken) {
			s.held = cached
			return cached.IDToken, nil
		}
		return "", err
	}
	fresh := whole(answer)
	if err := s.verify(ctx, p, fresh, ""); err != nil {
		return "", err
	}
	s.keep(fresh)
	return fresh.IDToken, nil
}
