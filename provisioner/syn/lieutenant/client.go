// Package lieutenant is a client of Lieutenant, Project Syn's API of tenants and clusters. Its requests follow Lieutenant's API
// description v0.5.0, and where the server differs from that, the server.
package lieutenant

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"exoshift/internal/network"
	"exoshift/state"
)

// Tokens provides the tokens for Lieutenant.
type Tokens interface {
	// SignIn gets a token; it returns at once while a valid one exists.
	SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error
	// Token returns a currently valid token, or fault.Denied.
	Token(ctx context.Context) (string, error)
}

type rejecter interface {
	// Reject marks a token as invalid, whatever its claims.
	Reject(token string)
}

// connection sends requests to one Lieutenant.
type connection struct {
	base    string // without a trailing slash
	network network.Network
	http    *http.Client
	clock   network.Clock
	tokens  Tokens

	mu       sync.Mutex
	accepted string // the token that Lieutenant accepted last
}

// Client is a client of one Lieutenant, for one person.
type Client struct{ *connection }

// New returns a client of the Lieutenant at an address. Without tokens only Discover and FetchInstallManifest work.
func New(n network.Network, address string, tokens Tokens) *Client {
	return &Client{&connection{
		base: strings.TrimRight(address, "/"), network: n, http: n.NewAPIClient(network.Limits{Bytes: maxAnswer, Time: requestTimeout}),
		clock: n.Clock, tokens: tokens,
	}}
}

// SignIn gets a token: from the environment, from the cache of an earlier sign-in, or from a person. A kept token that Lieutenant
// does not know leads to a new sign-in.
func (c *connection) SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error {
	if err := c.tokens.SignIn(ctx, show); err != nil {
		return err
	}
	tokens, able := c.tokens.(rejecter)
	if !able {
		return nil
	}
	token, err := c.tokens.Token(ctx)
	if err != nil || c.isAccepted(ctx, token) {
		return err
	}
	tokens.Reject(token)
	return c.tokens.SignIn(ctx, show)
}

// isAccepted asks for a tenant that does not exist, once for each token: one that is kept of an earlier sign-in may be unknown by
// now. Any other failure is that of the next request.
func (c *connection) isAccepted(ctx context.Context, token string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.accepted == token {
		return true
	}
	failed := c.send(ctx, newGetCall("sign in", urlField, "/tenants/t-exoshift-sign-in"), token, nil)
	switch {
	case failed != nil && failed.isUnauthorized():
		return false
	case failed == nil, failed.status == http.StatusForbidden, failed.status == http.StatusNotFound:
		c.accepted = token
	}
	return true
}

// Discover returns the services that Lieutenant names: the single sign-on and Vault. It needs no token.
func (c *connection) Discover(ctx context.Context) (state.SynServices, error) {
	asked := newGetCall("get the services of Lieutenant", urlField, "/")
	asked.anonymous = true
	if address, err := url.Parse(c.base); err != nil || address.Scheme != "https" || address.Hostname() == "" {
		return state.SynServices{}, c.toFault(ctx, asked, "", &apiError{err: errNoURL})
	}
	var content metadata
	if err := c.do(ctx, asked, &content); err != nil {
		return state.SynServices{}, err
	}
	if content.APIVersion == "" {
		return state.SynServices{}, c.toFault(ctx, asked, "", &apiError{unexpectedBody: "it responds, but not like Lieutenant"})
	}
	return state.SynServices{
		DiscoveryURL: content.OIDC.DiscoveryURL, ClientID: content.OIDC.ClientID,
		Vault: content.Vault.Address, VaultMethod: content.Vault.LoginMethod,
	}, nil
}
