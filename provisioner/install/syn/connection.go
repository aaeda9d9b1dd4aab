// Package syn hands a cluster over to Project Syn: the steps of an installation that register the cluster there, store
// its secrets and its configuration, and wait until Argo CD runs it.
package syn

import (
	"context"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// Deps is what these steps need of the installation.
type Deps struct {
	Spec   state.Spec
	Folder state.Folder
	Clock  provisioner.Clock
	Show   Show   // nil: there is no user to sign in
	Seal   string // passphrase that encrypts secrets in the folder

	Facts *state.FactsStore
	// Generated returns the documents that the cluster was generated with.
	Generated func() state.Ignition
	// Renews reports whether certificates that are too old are about to be replaced, and with them the cluster's
	// identity.
	Renews func(context.Context) (bool, error)
	// Started reports whether the cloud has any machine of the cluster.
	Started func(context.Context) (bool, error)
	// Alias makes a name of the cluster's zone a CNAME, and removes its other records.
	Alias func(ctx context.Context, report provisioner.Report, name, to string) error
}

// Connection is an installation's connection to Project Syn, with the results of its steps. It is nil without Project
// Syn.
type Connection struct {
	Deps
	clients *Clients
	states  provisioner.LastStates // of applications

	mu        sync.Mutex // one login at a time: the user can do only one
	tenant    state.SynTenant
	cluster   state.SynCluster
	signedOut bool // a preview continues without a login
	alerting  bool // alerts are about to be enabled: they are not held back any more

	keysMu sync.Mutex              // of keys
	keys   map[string]state.APIKey // by policy: those in Vault, once read
}

// New returns the connection of an installation, or nil without Project Syn. Without clients its steps are for display
// only.
func New(of Deps, world *Clients) *Connection {
	if of.Spec.Syn.LieutenantURL == "" {
		return nil
	}
	return &Connection{Deps: of, clients: world, keys: map[string]state.APIKey{}}
}

// IsConnected reports whether the cluster is to be handed over to Project Syn.
func (c *Connection) IsConnected() bool { return c != nil }

// IsSignedOut reports whether a preview continues without a login.
func (c *Connection) IsSignedOut() bool { return c.IsConnected() && c.signedOut }

func (c *Connection) signInLieutenant(ctx context.Context, report provisioner.Report) (Lieutenant, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clients.Lieutenant, fault.AttachField(report.SignIn(ctx, c.clients.Lieutenant.SignIn, c.Show), "syn.lieutenantURL", fault.Invalid)
}

func (c *Connection) signInVault(ctx context.Context, report provisioner.Report) (Vault, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clients.Vault, report.SignIn(ctx, c.clients.Vault.SignIn, c.Show)
}

func (c *Connection) updateFacts(change func(*state.SynFacts)) error {
	return c.Facts.Update(func(facts *state.Facts) { change(&facts.Syn) })
}

// In the precision of the facts.
func (c *Connection) now() time.Time { return c.Clock.Now().UTC().Truncate(time.Second) }
