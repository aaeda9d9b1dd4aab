package signin

import (
	"context"
	"crypto/rand"
	"net"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func (p *provider) signInByBrowser(ctx context.Context, listener net.Listener, show func(ctx context.Context, url string) error) (tokenSet, error) {
	verifier, nonce := oauth2.GenerateVerifier(), rand.Text()
	callback := Callback{Listener: listener, Path: "/", State: rand.Text()}
	page := p.oauth.AuthCodeURL(callback.State, oauth2.S256ChallengeOption(verifier), oidc.Nonce(nonce))
	code, err := callback.WaitCode(ctx, page, show)
	if err != nil {
		return tokenSet{}, err
	}
	return p.exchange(ctx, code, verifier, nonce)
}

func (p *provider) exchange(ctx context.Context, code, verifier, nonce string) (tokenSet, error) {
	asking, cancel := p.newClientContext(ctx)
	defer cancel()
	answer, err := p.oauth.Exchange(asking, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return tokenSet{}, toFault(ctx, "get the token of the sign-in", err, code, verifier)
	}
	return p.accept(ctx, answer, nonce)
}

func (p *provider) accept(ctx context.Context, answer *oauth2.Token, nonce string) (tokenSet, error) {
	fresh := newTokenSet(answer)
	return fresh, p.verify(ctx, fresh, nonce)
}
