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

// Installation is what these steps need of the installation that they are part of.
type Installation struct {
	Spec   state.Spec
	Folder state.Folder
	Clock  provisioner.Clock
	Show   Show   // nil: nobody is there to sign in
	Seal   string // passphrase by which what must not lie open is kept in the folder

	Facts    func() state.Facts
	Remember func(change func(*state.Facts)) error
	// Generated returns the documents that the cluster was generated with.
	Generated func() state.Ignition
	// Renews tells whether certificates that are too old are about to be replaced, and with them the cluster's identity.
	Renews func(context.Context) (bool, error)
	// Started tells whether the cloud has any machine of the cluster.
	Started func(context.Context) (bool, error)
	// Alias makes a name of the cluster's zone lead to another one, and nowhere else.
	Alias func(ctx context.Context, report provisioner.Report, name, to string) error
	// Changed notes what was seen of something and tells whether it is new.
	Changed func(what, seen string) bool
}

// Connection is an installation's connection to Project Syn, with what its steps have found out. That of a cluster which
// stands on its own is nil.
type Connection struct {
	Installation
	world *World

	mu       sync.Mutex // one sign-in at a time: a person can only be asked for one
	tenant   state.SynTenant
	cluster  state.SynCluster
	unseen   bool // a preview goes on without: nobody is signed in
	alerting bool // alerts are about to reach people: nothing keeps them back any more

	guard sync.Mutex              // of keys
	keys  map[string]state.APIKey // by policy: what Vault keeps of them, once it was read
}

// New returns the connection of an installation, or nil if Project Syn is not to take the cluster over. Without a world its
// steps can only be looked at.
func New(of Installation, world *World) *Connection {
	if of.Spec.Syn.LieutenantURL == "" {
		return nil
	}
	return &Connection{Installation: of, world: world, keys: map[string]state.APIKey{}}
}

// Connected tells whether Project Syn is to take the cluster over.
func (c *Connection) Connected() bool { return c != nil }

// Unseen tells whether nobody is signed in and a preview goes on without.
func (c *Connection) Unseen() bool { return c.Connected() && c.unseen }

// lieutenant returns Lieutenant once somebody is signed in there.
func (c *Connection) lieutenant(ctx context.Context, report provisioner.Report) (Lieutenant, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.world.Lieutenant, fault.Blame(report.SignIn(ctx, c.world.Lieutenant.SignIn, c.Show), "syn.lieutenantURL", fault.Invalid)
}

// vault returns Vault once somebody is signed in there.
func (c *Connection) vault(ctx context.Context, report provisioner.Report) (Vault, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.world.Vault, report.SignIn(ctx, c.world.Vault.SignIn, c.Show)
}

// remember changes the facts about Project Syn.
func (c *Connection) remember(change func(*state.SynFacts)) error {
	return c.Remember(func(facts *state.Facts) { change(&facts.Syn) })
}

// now is the moment, as the facts have it.
func (c *Connection) now() time.Time { return c.Clock.Now().UTC().Truncate(time.Second) }
