// Package syn hands a cluster over to Project Syn: the steps of an installation that register the cluster there, put its
// secrets and its configuration in their places, and see it taken over once it stands.
package syn

import (
	"context"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// Deps is what these steps need of the installation that they are part of.
type Deps struct {
	Spec   state.Spec
	Folder state.Folder
	Clock  provisioner.Clock
	Show   Show   // nil: nobody is there to sign in
	Seal   string // passphrase by which what must not lie open is kept in the folder

	Facts       func() state.Facts
	UpdateFacts func(change func(*state.Facts)) error
	// Generated returns the documents that the cluster was generated with.
	Generated func() state.Ignition
	// Renews tells whether certificates that are too old are about to be replaced, and with them the cluster's identity.
	Renews func(context.Context) (bool, error)
	// Started tells whether the cloud has any machine of the cluster.
	Started func(context.Context) (bool, error)
	// Alias makes a name of the cluster's zone lead to another one, and nowhere else.
	Alias func(ctx context.Context, report provisioner.Report, name, to string) error
	// Changed notes what was seen of something and tells whether it is new.
	MarkSeen func(what, seen string) bool
}

// Connection is an installation's connection to Project Syn, with what its steps have found out. That of a cluster which
// stands on its own is nil.
type Connection struct {
	Deps
	clients *Clients

	mu        sync.Mutex // one sign-in at a time: a person can only be asked for one
	tenant    state.SynTenant
	cluster   state.SynCluster
	signedOut bool // a preview goes on without: nobody is signed in
	alerting  bool // alerts are about to reach people: nothing keeps them back any more

	keysMu sync.Mutex              // of keys
	keys   map[string]state.APIKey // by policy: what Vault keeps of them, once it was read
}

// New returns the connection of an installation, or nil if Project Syn is not to take the cluster over. Without a world its
// steps can only be looked at.
func New(of Deps, world *Clients) *Connection {
	if of.Spec.Syn.LieutenantURL == "" {
		return nil
	}
	return &Connection{Deps: of, clients: world, keys: map[string]state.APIKey{}}
}

// IsConnected tells whether Project Syn is to take the cluster over.
func (c *Connection) IsConnected() bool { return c != nil }

// IsSignedOut tells whether nobody is signed in and a preview goes on without.
func (c *Connection) IsSignedOut() bool { return c.IsConnected() && c.signedOut }

// signInLieutenant returns Lieutenant once somebody is signed in there.
func (c *Connection) signInLieutenant(ctx context.Context, report provisioner.Report) (Lieutenant, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clients.Lieutenant, fault.AttachField(report.SignIn(ctx, c.clients.Lieutenant.SignIn, c.Show), "syn.lieutenantURL", fault.Invalid)
}

// signInVault returns Vault once somebody is signed in there.
func (c *Connection) signInVault(ctx context.Context, report provisioner.Report) (Vault, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clients.Vault, report.SignIn(ctx, c.clients.Vault.SignIn, c.Show)
}

// updateFacts changes the facts about Project Syn.
func (c *Connection) updateFacts(change func(*state.SynFacts)) error {
	return c.UpdateFacts(func(facts *state.Facts) { change(&facts.Syn) })
}

// now is the moment, as the facts have it.
func (c *Connection) now() time.Time { return c.Clock.Now().UTC().Truncate(time.Second) }
