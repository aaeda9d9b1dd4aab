// Package signin gets tokens of a single sign-on by OpenID Connect: from the environment, from commodore's cache, by refreshing
// one, or from a person at a browser. The bearer token is the ID token.
package signin

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"

	"golang.org/x/oauth2"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state"
)

// Options are the sources of tokens, in this order: Given alone if it is set, then the cache, then a person.
type Options struct {
	Network network.Network
	// API is the address that the token is for, exactly as commodore is given it: it is the key in the cache.
	API string
	// Services returns that API's single sign-on.
	Services func(context.Context) (state.SynServices, error)
	// Given is a token, or the path of a file that holds one, e.g. that of a service account: COMMODORE_API_TOKEN.
	Given string
	// Cache is the path of commodore's cache, see CachePath; "": nothing is cached.
	Cache string
	// Listen creates the listener that browsers return to, on port 18000 of 127.0.0.1: ListenLoopback(CallbackPort). nil: no
	// browser can return, so the device flow is used, if the single sign-on offers it.
	Listen func() (net.Listener, error)
	// Remote: the person's browser is on another machine, as with SSH, so the device flow is preferred, if the single sign-on
	// offers it.
	Remote bool
}

// CallbackPort is part of the redirect URL: the single sign-on accepts exactly this one.
const (
	CallbackPort = "18000"
	redirectURL  = "http://localhost:" + CallbackPort
)

// Source provides the token of one API. It may be used by several goroutines.
type Source struct {
	options   Options
	cache     cache
	http      *http.Client
	rejected  sync.Map      // tokens that were not accepted
	semaphore chan struct{} // its holder may use the fields below
	tokens    tokenSet
}

// New returns the source of tokens for an API.
func New(options Options) *Source {
	client := options.Network.NewAPIClient(network.Limits{Bytes: maxDiscovery, Time: requestTimeout})
	s := &Source{options: options, cache: cache{options.Cache, options.API}, http: client, semaphore: make(chan struct{}, 1)}
	s.semaphore <- struct{}{}
	return s
}

func (s *Source) lock(ctx context.Context) (give func(), err error) {
	select {
	case <-s.semaphore:
		return func() { s.semaphore <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, fault.New(fault.KindOf(ctx.Err()), "wait for the sign-in", context.Cause(ctx))
	}
}

// Token returns a token that is valid for at least ten seconds, and refreshes one that is not. fault.Denied: a person has to sign
// in.
func (s *Source) Token(ctx context.Context) (string, error) {
	give, err := s.lock(ctx)
	if err != nil {
		return "", err
	}
	defer give()
	return s.getToken(ctx)
}

// SignIn gets a token; it returns at once while a valid one exists. fault.Waiting: only a person can get one, and show is nil. An
// error of show ends the attempt.
func (s *Source) SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error {
	give, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer give()
	_, err = s.getToken(ctx)
	switch {
	case !fault.Is(err, fault.Denied), s.options.Given != "":
		return err
	case show == nil:
		return fault.Newf(fault.Waiting, "sign in at "+s.options.API, "it requires a browser, and there is no terminal").
			WithHint("run this on a terminal where you can sign in, or set COMMODORE_API_TOKEN")
	}
	fresh, err := s.signInInteractive(ctx, show)
	if err == nil {
		s.setTokens(fresh)
	}
	return err
}

// signInInteractive falls back to the device flow if the browser cannot return to this machine.
func (s *Source) signInInteractive(ctx context.Context, show func(ctx context.Context, url string) error) (tokenSet, error) {
	p, err := s.discoverProvider(ctx)
	if err != nil {
		return tokenSet{}, err
	}
	if s.options.Remote || s.options.Listen == nil {
		if fresh, err := p.signInByDevice(ctx, show); !errors.Is(err, errNoDevice) {
			return fresh, err
		}
	}
	if s.options.Listen == nil {
		return tokenSet{}, fault.Newf(fault.Waiting, "sign in at "+s.options.API, "no browser can return to this machine, and the single sign-on supports no other flow").
			WithHint("set COMMODORE_API_TOKEN to a token")
	}
	listener, err := s.options.Listen()
	if err == nil {
		return p.signInByBrowser(ctx, listener, show)
	}
	if fresh, err := p.signInByDevice(ctx, show); !errors.Is(err, errNoDevice) {
		return fresh, err
	}
	return tokenSet{}, fault.Newf(fault.Conflict, "wait for a browser on port "+CallbackPort+" of this machine", "%w", err).
		WithHint("stop the program that uses port %s, perhaps a waiting `commodore login` (`ss -ltnp` shows it), or ask the other user of this machine to", CallbackPort)
}

// Reject marks a token as invalid, whatever its claims.
func (s *Source) Reject(token string) {
	s.rejected.Store(token, true)
	if s.options.Given == "" {
		_ = s.cache.remove(token) // if this fails, the next run is rejected, too
	}
}

func (s *Source) getToken(ctx context.Context) (string, error) {
	if s.options.Given != "" {
		return loadGiven(s.options.Given)
	}
	if s.isValid(s.tokens.IDToken) {
		return s.tokens.IDToken, nil
	}
	if cached := s.cache.load(); s.isValid(cached.IDToken) || !s.isValid(s.tokens.RefreshToken) {
		s.tokens = cached // another program has refreshed it
	}
	if s.isValid(s.tokens.IDToken) {
		return s.tokens.IDToken, nil
	}
	if s.isValid(s.tokens.RefreshToken) { // or there is none
		return s.refresh(ctx)
	}
	return "", s.newSignInError()
}

func (s *Source) newSignInError() error {
	return fault.Newf(fault.Denied, "sign in at "+s.options.API, "not signed in, or the sign-in has expired").
		WithHint("sign in again, or set COMMODORE_API_TOKEN")
}

func (s *Source) setTokens(fresh tokenSet) {
	s.tokens = fresh
	_ = s.cache.save(fresh) // if this fails, a person signs in again next time
}

func (s *Source) isValid(token string) bool {
	_, rejected := s.rejected.Load(token)
	end, known := parseExpiry(token)
	return token != "" && !rejected && (!known || !isExpired(end))
}

// refresh gets a token without a person. Some single sign-ons accept each refresh token only once, so if another program was
// first, the new one is in the cache. fault.Denied: a sign-in in a browser is required.
func (s *Source) refresh(ctx context.Context) (string, error) {
	const op = "renew the sign-in"
	p, err := s.discoverProvider(ctx)
	if err != nil {
		return "", err
	}
	asking, cancel := p.newClientContext(ctx)
	defer cancel()
	old := s.tokens.RefreshToken
	answer, err := p.oauth.TokenSource(asking, &oauth2.Token{RefreshToken: old}).Token()
	if err != nil {
		err = toFault(ctx, op, err, old)
		if !fault.Is(err, fault.Denied) {
			return "", err
		}
		s.Reject(old)
		if cached := s.cache.load(); s.isValid(cached.IDToken) {
			s.tokens = cached
			return cached.IDToken, nil
		}
		return "", err
	}
	fresh, err := p.accept(ctx, answer, "")
	if err != nil {
		return "", err
	}
	s.setTokens(fresh)
	return fresh.IDToken, nil
}
