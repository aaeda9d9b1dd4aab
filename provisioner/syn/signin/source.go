// Package signin gets tokens of a single sign-on by OpenID Connect: from the environment, from the cache that the command
// commodore keeps, by renewing one, or from a person at a browser. The bearer is the ID token.
package signin

import (
	"context"
	"net"
	"net/http"
	"sync"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state"
)

// Options are where tokens come from, in this order: Given alone if it is set, then the cache, then a person.
type Options struct {
	Network network.Network
	// API is the address that the token is for, exactly as commodore is told it: the cache is ordered by these.
	API string
	// Services asks that API for its single sign-on.
	Services func(context.Context) (state.SynServices, error)
	// Given is a token, or the path of a file that holds one, e.g. that of a service account: COMMODORE_API_TOKEN.
	Given string
	// Cache is the path of commodore's cache, see CachePath; "": nothing is kept.
	Cache string
	// Listen makes the listener that browsers come back to, on port 18000 of 127.0.0.1: Loopback(CallbackPort). nil: no
	// browser can, so that a person has to sign in elsewhere, if the single sign-on offers that.
	Listen func() (net.Listener, error)
	// Remote: the person's browser is on another machine, as with SSH, so that they sign in there if the single sign-on
	// offers that.
	Remote bool
}

// CallbackPort is where the single sign-on sends browsers to: it lets them go to exactly this address.
const (
	CallbackPort = "18000"
	redirectURL  = "http://localhost:" + CallbackPort
)

// Source has the token of one API. It may be used by several goroutines.
type Source struct {
	options   Options
	http      *http.Client
	rejected  sync.Map      // tokens that were not accepted
	semaphore chan struct{} // whoever has taken it out may use what follows
	tokens    tokenSet
}

// New returns the source of tokens for an API.
func New(options Options) *Source {
	client := options.Network.NewAPIClient(network.Limits{Bytes: maxDiscovery, Time: requestTimeout})
	s := &Source{options: options, http: client, semaphore: make(chan struct{}, 1)}
	s.semaphore <- struct{}{}
	return s
}

// lock waits for the turn; give gives it back.
func (s *Source) lock(ctx context.Context) (give func(), err error) {
	select {
	case <-s.semaphore:
		return func() { s.semaphore <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, fault.New(fault.KindOf(ctx.Err()), "wait for the sign-in", context.Cause(ctx))
	}
}

// Token returns a token that is valid for ten seconds at least, and renews one that is not. fault.Denied: somebody has to
// sign in.
func (s *Source) Token(ctx context.Context) (string, error) {
	give, err := s.lock(ctx)
	if err != nil {
		return "", err
	}
	defer give()
	return s.getToken(ctx)
}

// SignIn gets a token; it returns at once while there is a valid one. fault.Waiting: only a person can get one, and show
// is nil. An error of show ends the attempt.
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
		return fault.Newf(fault.Waiting, "sign in at "+s.options.API, "only a person can, and nobody is there").
			WithHint("run this where somebody can sign in, or set COMMODORE_API_TOKEN")
	}
	return s.signInInteractive(ctx, show)
}

// Reject says that a token is not accepted, whatever is written in it.
func (s *Source) Reject(token string) {
	s.rejected.Store(token, true)
	_ = s.removeCached(token) // with it, the next run learns the same
}

func (s *Source) getToken(ctx context.Context) (string, error) {
	if s.options.Given != "" {
		return s.loadGiven()
	}
	if s.isValid(s.tokens.IDToken) {
		return s.tokens.IDToken, nil
	}
	if cached := s.loadCached(); s.isValid(cached.IDToken) || !s.isValid(s.tokens.RefreshToken) {
		s.tokens = cached // somebody else has renewed it
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
	return fault.Newf(fault.Denied, "sign in at "+s.options.API, "nobody is signed in, or the sign-in has ended").
		WithHint("sign in again, or set COMMODORE_API_TOKEN")
}

// setTokens holds a token, and notes it down for the next run.
func (s *Source) setTokens(fresh tokenSet) {
	s.tokens = fresh
	_ = s.saveCached(fresh) // without it, somebody signs in again next time
}
