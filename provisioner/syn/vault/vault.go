// Package vault stores a cluster's secrets in Vault, in a KV store of version 2, and never overwrites a version that it has not
// read. It is built on Vault's own client.
package vault

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/vault/api"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/syn/signin"
	"exoshift/state"
)

// CallbackPort is the port of the redirect URL that Vault accepts.
const CallbackPort = "8250"

const callTimeout = 30 * time.Second

// Options select a Vault and how to sign in: with Token, with the token of TokenFile, as a service account, or as a person, in
// this order.
type Options struct {
	// Address of Vault, https only, and Method by which people sign in, e.g. "oidc", as Lieutenant returns them.
	Address, Method string
	// Services returns both if Address is empty; it is called when they are needed first.
	Services func(ctx context.Context) (state.SynServices, error)
	// Token is a given token, as in VAULT_TOKEN.
	Token string
	// TokenFile is where Vault's own command stores a token, i.e. ~/.vault-token. It is only read, and need not exist.
	TokenFile string
	// Kubernetes signs in as a service account; nil: none.
	Kubernetes *Kubernetes
	// Listen opens the listener that browsers return to; nil is port 8250 of 127.0.0.1.
	Listen func() (net.Listener, error)
	// Mount of the KV store; "" is "clusters/kv".
	Mount string
	// Namespace of Vault; "" is the root.
	Namespace string
}

// Kubernetes is a service account that signs in at auth/<Mount>.
type Kubernetes struct {
	// TokenFile is the path of a pod's token. It is read at each sign-in, because Kubernetes replaces the token about every hour.
	TokenFile string
	Role      string
	Mount     string // "" is "kubernetes"
}

// String contains no secret, so that options can be printed.
func (o Options) String() string { return "options of Vault at " + o.Address }

// GoString contains no secret either.
func (o Options) GoString() string { return o.String() }

// Client is a client of one Vault, for one person or account. Its methods may be called concurrently.
type Client struct {
	*session
	preview bool
}

// session is shared by all clients of one sign-in.
type session struct {
	options Options
	http    *http.Client
	clock   network.Clock

	loginLock    chan struct{} // held during a sign-in
	mu           sync.Mutex    // guards all below
	api          *api.Client
	method       string
	expires      time.Time // of the token; zero: never
	mountChecked bool      // the mount was verified to be a KV store of version 2
}

// New returns a client. It sends no requests, and ignores the environment.
func New(n network.Network, options Options) *Client {
	if options.Mount == "" {
		options.Mount = state.DefaultVaultMount
	}
	if options.Listen == nil {
		options.Listen = signin.ListenLoopback(CallbackPort)
	}
	http := &http.Client{Transport: checkedTransport{network.Limits{Bytes: maxAnswer, Time: callTimeout}.Wrap(n.NewTransport())}, CheckRedirect: network.KeepRedirect}
	return &Client{session: &session{options: options, http: http, clock: n.Clock, loginLock: make(chan struct{}, 1)}}
}

// Preview returns a client that reads but changes nothing: its methods return the actions that they would take. It shares the
// sign-in of c.
func (c *Client) Preview() *Client { return &Client{session: c.session, preview: true} }

// String returns the address of Vault, and no secret.
func (c *Client) String() string { return "Vault at " + c.options.Address }

// GoString is String, so that nothing prints the token.
func (c *Client) GoString() string { return c.String() }

// SignIn gets a token; it returns at once while it has a valid one. show presents the URL of the sign-in page and may be nil: if
// only a person could sign in, that is fault.Waiting. An invalid Token of the Options is fault.Denied.
func (c *Client) SignIn(ctx context.Context, show func(ctx context.Context, url string) error) error {
	select { // one sign-in at a time: the others use its token
	case c.loginLock <- struct{}{}:
		defer func() { <-c.loginLock }()
	case <-ctx.Done():
		return fault.New(fault.KindOf(ctx.Err()), opSignIn, context.Cause(ctx))
	}
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	if c.isValid(renewMargin) || c.renewToken(ctx, client) || c.isValid(minLifetime) {
		return nil
	}
	return login{c.session, client, show}.signIn(ctx)
}
