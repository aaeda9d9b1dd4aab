package signin

import (
	"context"

	"golang.org/x/oauth2"

	"exoshift/internal/fault"
)

// refresh gets a token without a person. Some single sign-ons accept each refresh token only once, so if another program was
// first, the new one is in the cache. fault.Denied: a person has to sign in.
func (s *Source) refresh(ctx context.Context) (string, error) {
	const op = "renew the sign-in"
	p, err := s.discoverProvider(ctx)
	if err != nil {
		return "", err
	}
	asking, cancel := s.newClientContext(ctx)
	defer cancel()
	old := s.tokens.RefreshToken
	answer, err := p.oauth.TokenSource(asking, &oauth2.Token{RefreshToken: old}).Token()
	if err != nil {
		err = s.toFault(ctx, op, err, old)
		if !fault.Is(err, fault.Denied) {
			return "", err
		}
		s.Reject(old)
		if cached := s.loadCached(); s.isValid(cached.IDToken) {
			s.tokens = cached
			return cached.IDToken, nil
		}
		return "", err
	}
	fresh := newTokenSet(answer)
	if err := s.verify(ctx, p, fresh, ""); err != nil {
		return "", err
	}
	s.setTokens(fresh)
	return fresh.IDToken, nil
}
