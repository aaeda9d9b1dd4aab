// Package lieutenant speaks with Lieutenant, where Project Syn keeps tenants and clusters. Its requests are those of
// Lieutenant's API description v0.5.0, and where the server differs from that, the server's.
package lieutenant

import (
	"context"
	"net/http"
	"strings"

	"exoshift/internal/network"
)

// Tokens are how Lieutenant knows who asks.
type Tokens interface {
	// SignIn gets a token; it returns at once while it has a valid one.
	SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error
	// Token returns a token that is valid now, or fault.Denied.
	Token(ctx context.Context) (string, error)
}

// rejecter are Tokens that can do something about a token which the server does not accept.
type rejecter interface {
	// Reject says that a token is not valid, whatever is written in it.
	Reject(token string)
}

// Client is one Lieutenant, for one person.
type Client struct {
	base    string // without a slash at its end
	network network.Network
	http    *http.Client
	clock   network.Clock
	tokens  Tokens
}

// New returns a client of the Lieutenant at url. Without tokens only Discover and FetchInstallManifest work.
func New(n network.Network, url string, tokens Tokens) *Client {
	return &Client{base: strings.TrimRight(url, "/"), network: n, http: n.NewAPIClient(network.Limits{Bytes: maxAnswer, Time: requestTimeout}), clock: n.Clock, tokens: tokens}
}

// SignIn gets a token, from the environment, from what is kept of an earlier sign-in, or from a person.
func (c *Client) SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error {
	return c.tokens.SignIn(ctx, show)
}
