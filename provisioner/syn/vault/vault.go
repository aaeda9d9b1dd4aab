// Package vault keeps a cluster's secrets in Vault, in a KV store of version 2, and never writes over one that it has not
// read. It speaks through Vault's own client.
package vault

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/vault/api"

	"exoshift/internal/network"
	"exoshift/provisioner/syn/signin"
	"exoshift/state"
)

// CallbackPort is where Vault sends browsers to.
const CallbackPort = "8250"

const (
	defaultMount = "clusters/kv"
	callTimeout  = 30 * time.Second
)

// Options say which Vault is meant and how one signs in there: by the token that is given, by that of the file, as a
// service account, or as a person, whichever comes first.
type Options struct {
	// Address of Vault, https only, and Method by which people sign in, e.g. "oidc", as Lieutenant tells them.
	Address, Method string
	// Services tells both if Address is empty; it is asked when they are needed first.
	Services func(ctx context.Context) (state.SynServices, error)
	// Token is one that was given, as in VAULT_TOKEN.
	Token string
	// TokenFile is where Vault's own command keeps a token, i.e. ~/.vault-token. It is only read, and need not exist.
	TokenFile string
	// Kubernetes signs in as a service account; nil is nobody's.
	Kubernetes *Kubernetes
	// Listen opens the listener that browsers come back to; nil is port 8250 of 127.0.0.1.
	Listen func() (net.Listener, error)
	// Mount of the KV store; "" is "clusters/kv".
	Mount string
	// Namespace of Vault; "" is the root.
	Namespace string
}

// Kubernetes is a service account that signs in at auth/<Mount>.
type Kubernetes struct {
	// TokenFile is where a pod has its token. It is read at each sign-in, as Kubernetes replaces the token about every hour.
	TokenFile string
	Role      string
	Mount     string // "" is "kubernetes"
}

// String tells no secret, however options are printed.
func (o Options) String() string { return "options of Vault at " + o.Address }

// GoString tells no secret either.
func (o Options) GoString() string { return o.String() }

// Client is one Vault, for one person or account. Its methods may be called concurrently.
type Client struct {
	*session
	preview bool
}

// session is what all clients of one sign-in share.
type session struct {
	options Options
	http    *http.Client
	clock   network.Clock

	loginLock    chan struct{} // held by whoever signs in
	mu           sync.Mutex    // guards all below
	api          *api.Client
	method       string
	expires      time.Time // of the token; zero: never
	mountChecked bool      // the mount was seen to be a KV store of version 2
}

// New returns a client. It contacts nobody, and no variable of the environment changes what it does.
func New(n network.Network, options Options) *Client {
	if options.Mount == "" {
		options.Mount = defaultMount
	}
	if options.Listen == nil {
		options.Listen = signin.ListenLoopback(CallbackPort)
	}
	http := &http.Client{Transport: checkedTransport{network.Limits{Bytes: maxAnswer, Time: callTimeout}.Wrap(n.NewTransport())}, CheckRedirect: network.KeepRedirect}
	return &Client{session: &session{options: options, http: http, clock: n.Clock, loginLock: make(chan struct{}, 1)}}
}

// Preview returns a client that looks but changes nothing: the actions that its methods return tell what it would do. It
// shares the sign-in of c.
func (c *Client) Preview() *Client { return &Client{session: c.session, preview: true} }

// String names the Vault, and no secret.
func (c *Client) String() string { return "Vault at " + c.options.Address }

// GoString is String, so that nothing prints the token.
func (c *Client) GoString() string { return c.String() }
