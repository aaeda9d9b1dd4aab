package signin

import (
	"context"
	"crypto/rand"
	"errors"
	"net"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"exoshift/internal/fault"
)

// signInInteractive falls back to the device flow if the browser cannot return to this machine.
func (s *Source) signInInteractive(ctx context.Context, show func(ctx context.Context, url string) error) error {
	p, err := s.discoverProvider(ctx)
	if err != nil {
		return err
	}
	if s.options.Remote || s.options.Listen == nil {
		if err := s.signInByDevice(ctx, p, show); !errors.Is(err, errNoDevice) {
			return err
		}
	}
	if s.options.Listen == nil {
		return fault.Newf(fault.Waiting, "sign in at "+s.options.API, "no browser can come back to this machine, and the single sign-on offers no other way").
			WithHint("set COMMODORE_API_TOKEN to a token that was got elsewhere")
	}
	listener, err := s.options.Listen()
	if err == nil {
		return s.signInByBrowser(ctx, p, listener, show)
	}
	if err := s.signInByDevice(ctx, p, show); !errors.Is(err, errNoDevice) {
		return err
	}
	return fault.Newf(fault.Conflict, "wait for a browser on port "+CallbackPort+" of this machine", "%w", err).
		WithHint("end the program that uses port %s, perhaps a `commodore login` that still waits (`ss -ltnp` names it), or ask whoever else works on this machine to", CallbackPort)
}

func (s *Source) signInByBrowser(ctx context.Context, p *provider, listener net.Listener, show func(ctx context.Context, url string) error) error {
	verifier, nonce := oauth2.GenerateVerifier(), rand.Text()
	callback := Callback{Listener: listener, Path: "/", State: rand.Text()}
	page := p.oauth.AuthCodeURL(callback.State, oauth2.S256ChallengeOption(verifier), oidc.Nonce(nonce))
	code, err := callback.WaitCode(ctx, page, show)
	if err != nil {
		return err
	}
	return s.exchange(ctx, p, code, verifier, nonce)
}

func (s *Source) exchange(ctx context.Context, p *provider, code, verifier, nonce string) error {
	asking, cancel := s.newClientContext(ctx)
	defer cancel()
	answer, err := p.oauth.Exchange(asking, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return s.toFault(ctx, "get the token of the sign-in", err, code, verifier)
	}
	return s.accept(ctx, p, answer, nonce)
}

func (s *Source) accept(ctx context.Context, p *provider, answer *oauth2.Token, nonce string) error {
	fresh := newTokenSet(answer)
	if err := s.verify(ctx, p, fresh, nonce); err != nil {
		return err
	}
	s.setTokens(fresh)
	return nil
}
