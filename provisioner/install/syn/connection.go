// Package syn hands a cluster over to Project Syn: the steps of an installation that register the cluster there, store
// its secrets and its configuration, and wait until Argo CD runs it.
package syn

import (
	"context"
	"errors"
	"strings"

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
	// TrustToken starts machines whatever the age of the cluster's bootstrap token.
	TrustToken bool

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

// Connection is the steps that connect a cluster with Project Syn. It is nil without Project Syn.
type Connection struct {
	Deps
	clients *Clients

	APIKeys *APIKeys
	Catalog *Catalog

	session      *session
	secrets      *secrets
	registration *registration
	steward      *steward
	synthesis    *synthesis
	operations   *operations
}

// New returns the connection of an installation, or nil without Project Syn. Without clients its steps are for display
// only.
func New(of Deps, clients *Clients) *Connection {
	if of.Spec.Syn.LieutenantURL == "" {
		return nil
	}
	if clients == nil {
		clients = &Clients{}
	}
	c := &Connection{Deps: of, clients: clients, session: &session{clients: clients, show: of.Show}}
	c.APIKeys = &APIKeys{spec: of.Spec, session: c.session, keys: map[string]state.APIKey{}}
	c.secrets = &secrets{spec: of.Spec, facts: of.Facts, session: c.session}
	c.registration = &registration{spec: of.Spec, facts: of.Facts, clock: of.Clock, session: c.session, started: of.Started, trustToken: of.TrustToken}
	c.Catalog = &Catalog{
		spec: of.Spec, folder: of.Folder, facts: of.Facts, clock: of.Clock, session: c.session, registration: c.registration,
		git: clients.Git, compiler: clients.Compiler, renews: of.Renews, generated: of.Generated,
	}
	c.steward = &steward{
		spec: of.Spec, folder: of.Folder, facts: of.Facts, clock: of.Clock, seal: of.Seal, session: c.session, catalog: c.Catalog, gitOps: clients.Cluster,
	}
	c.synthesis = &synthesis{spec: of.Spec, facts: of.Facts, clock: of.Clock, gitOps: clients.Cluster, alias: of.Alias}
	c.operations = &operations{
		spec: of.Spec, facts: of.Facts, clock: of.Clock, registration: c.registration, catalog: c.Catalog, gitOps: clients.Cluster,
	}
	return c
}

// IsConnected reports whether the cluster is to be handed over to Project Syn.
func (c *Connection) IsConnected() bool { return c != nil }

// Preview returns the changes in Lieutenant, Vault and the tenant's repository. Without a login, unseen is a sentence
// about what could not be read, and the rest of a preview continues.
func (c *Connection) Preview(ctx context.Context, report provisioner.Report) (difference state.Difference, unseen string, err error) {
	if !c.IsConnected() {
		return difference, "", nil
	}
	difference, err = c.collectPreview(ctx, report)
	if fault.Is(err, fault.Waiting) {
		c.session.signedOut = true
		return difference, strings.TrimSuffix("changes in Project Syn: "+err.Error()+"; "+fault.HintOf(err), "; "), nil
	}
	return difference, "", err
}

// PreviewConfiguration returns how edits would change the cluster's configuration in the repository of its tenant. Without a login, it fails
// with fault.Waiting.
func (c *Connection) PreviewConfiguration(ctx context.Context, report provisioner.Report, edits []state.YAMLEdit) (difference state.Difference, err error) {
	if !c.IsConnected() {
		return difference, errUnconnected
	}
	if err := c.registration.check(ctx, report); err != nil {
		return difference, err
	}
	return c.Catalog.git.Compare(ctx, c.Catalog.tenantRepo(), c.Catalog.configurationFile(), edits)
}

// UpdateConfiguration makes those edits and nothing else, and waits until the catalog is compiled of them. message is that of the commit;
// there is none if nothing changes.
func (c *Connection) UpdateConfiguration(ctx context.Context, report provisioner.Report, edits []state.YAMLEdit, message string) error {
	if !c.IsConnected() {
		return errUnconnected
	}
	if err := c.registration.check(ctx, report); err != nil {
		return err
	}
	difference, err := c.Catalog.git.Commit(ctx, c.Catalog.tenantRepo(), c.Catalog.configurationFile(), edits, message)
	if err != nil {
		return err
	}
	emitConfiguration(report, difference)
	if c.Spec.Syn.CatalogDir != "" {
		report.EmitProgress("the existing catalog is used: " + c.Spec.Syn.CatalogDir)
		return nil
	}
	return c.Catalog.compile(ctx, report, difference)
}

var errUnconnected = errors.New("the cluster is not connected to Project Syn")

func (c *Connection) collectPreview(ctx context.Context, report provisioner.Report) (state.Difference, error) {
	if err := c.registration.check(ctx, report); err != nil {
		return state.Difference{}, err
	}
	report.EmitObject(KindCluster, c.Spec.Cluster.ID, "", string(c.registration.preview()))
	if err := c.secrets.preview(ctx, report); err != nil {
		return state.Difference{}, err
	}
	difference, err := c.Catalog.computeDifference(ctx)
	if err != nil {
		return state.Difference{}, err
	}
	emitConfiguration(report, difference)
	return difference, nil
}
