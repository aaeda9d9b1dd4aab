// Package lieutenant is a client of Lieutenant, Project Syn's API of tenants and clusters. Its requests follow Lieutenant's API
// description v0.5.0, and where the server differs from that, the server.
package lieutenant

import (
	"context"
	"net/http"
	"strings"

	"exoshift/internal/network"
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

// Client is a client of one Lieutenant, for one person.
type Client struct {
	base    string // without a trailing slash
	network network.Network
	http    *http.Client
	clock   network.Clock
	tokens  Tokens
}

// New returns a client of the Lieutenant at url. Without tokens only Discover and FetchInstallManifest work.
func New(n network.Network, url string, tokens Tokens) *Client {
	return &Client{base: strings.TrimRight(url, "/"), network: n, http: n.NewAPIClient(network.Limits{Bytes: maxAnswer, Time: requestTimeout}), clock: n.Clock, tokens: tokens}
}

// SignIn gets a token: from the environment, from the cache of an earlier sign-in, or from a person.
func (c *Client) SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error {
	return c.tokens.SignIn(ctx, show)
}
