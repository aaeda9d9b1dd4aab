// Package generation has openshift-install generate what a cluster is started from: certificates and Ignition
// documents, once, and anew only if they are too old. Machines of two generations never trust each other.
package generation

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/access"
	"exoshift/provisioner/manifests"
	"exoshift/state"
)

// Installer is openshift-install of one version.
type Installer interface {
	// Fetch prepares the program of a release: that of the version which an earlier run recorded, or with "" that of the
	// version or channel in the answers. progress is called during the download.
	Fetch(ctx context.Context, noted string, progress func(text string)) (state.Release, error)
	// Try runs the program on its input and discards the output. It fails with fault.Invalid for what Generate would
	// refuse.
	Try(ctx context.Context, dir string, wanted state.Generation) error
	// Generate writes manifests and Ignition documents into dir, unless dir holds a finished generation already; it reads
	// what is there. said is called with each line of the program's output.
	Generate(ctx context.Context, dir string, wanted state.Generation, report func(line string)) (state.Ignition, error)
	// Strip removes from a generation the files that only the bootstrap machine needs.
	Strip(dir string) error
}

// Catalog is the compiled catalog of a cluster of Project Syn.
type Catalog interface {
	// CatalogDir returns its directory, "" before it is compiled.
	CatalogDir() string
	// NewResolver returns a function that resolves its secrets.
	NewResolver(ctx context.Context, report provisioner.Report) manifests.Resolve
}

// Cluster reports how far a bootstrap is.
type Cluster interface {
	// Poll reads the whole state. The snapshot is valid, as far as it goes, beside an error.
	Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error)
}

// Zone is the zone of a cluster.
type Zone interface {
	// HasBlockStorage reports whether the zone has block storage, once the preflight has looked.
	HasBlockStorage() bool
}

// Generator generates the documents of a cluster.
type Generator struct {
	spec       state.Spec
	folder     state.Folder
	facts      *state.FactsStore
	installer  Installer
	keys       *access.Keys
	catalog    Catalog // nil: without Project Syn
	renewal    *Renewal
	zone       Zone
	pullSecret string

	ignition state.Ignition
}

// New returns the generator of a cluster's documents; catalog is nil without Project Syn.
func New(spec state.Spec, folder state.Folder, facts *state.FactsStore, installer Installer, keys *access.Keys, catalog Catalog, renewal *Renewal, zone Zone, pullSecret string) *Generator {
	return &Generator{spec: spec, folder: folder, facts: facts, installer: installer, keys: keys, catalog: catalog, renewal: renewal, zone: zone, pullSecret: pullSecret}
}

// Ignition returns the documents, once Generate has returned.
func (g *Generator) Ignition() state.Ignition { return g.ignition }

// Fetch prepares openshift-install, in the version that an earlier run recorded or the answers ask for.
func (g *Generator) Fetch(ctx context.Context, report provisioner.Report) error {
	release, err := g.installer.Fetch(ctx, g.findRecordedVersion(), report.EmitProgress)
	if err != nil {
		return fault.AttachField(err, "openshift.version", fault.NotFound)
	}
	report.EmitProgress(fmt.Sprintf("openshift-install %s, which installs %s", release.Version, release.Image))
	return g.facts.Update(func(facts *state.Facts) {
		facts.OpenShiftVersion, facts.ReleaseImage, facts.OpenShiftAsked = release.Version, release.Image, g.spec.OpenShift.Version
	})
}

// The answers take precedence as long as nothing was generated.
func (g *Generator) findRecordedVersion() string {
	facts := g.facts.Get()
	if facts.IgnitionCreated.IsZero() && facts.OpenShiftAsked != g.spec.OpenShift.Version {
		return ""
	}
	return facts.OpenShiftVersion
}

// CheckManifests reads what is installed with the cluster.
func (g *Generator) CheckManifests(context.Context, provisioner.Report) error {
	facts, catalog := g.facts.Get(), g.findCatalogDir()
	// A cluster that has its certificates got its records otherwise, and one that was begun has its answers.
	if facts.Syn.Synthesized.IsZero() && (catalog != "" || facts.IgnitionCreated.IsZero()) {
		if err := manifests.CheckACME(g.spec, catalog); err != nil {
			return err
		}
	}
	_, err := g.buildTrialGeneration()
	return err
}

// Try runs openshift-install on its input, unless the documents already exist.
func (g *Generator) Try(ctx context.Context, _ provisioner.Report) error {
	if !g.facts.Get().IgnitionCreated.IsZero() && !g.renewal.requested {
		return provisioner.Skip("the documents already exist")
	}
	wanted, err := g.buildTrialGeneration()
	if err != nil {
		return err
	}
	return g.installer.Try(ctx, g.folder.Path(state.InstallDir), wanted)
}

// The input of openshift-install without secrets, and without a catalog that is compiled later.
func (g *Generator) buildTrialGeneration() (state.Generation, error) {
	nothing := func(state.VaultSecret) (string, error) { return "none yet", nil }
	if g.catalog != nil && g.catalog.CatalogDir() == "" {
		config, err := g.buildInstallConfig()
		return g.newGeneration(config, nil), err
	}
	return g.buildGeneration(manifests.NewPlaceholders(), nothing)
}

func (g *Generator) buildInstallConfig() ([]byte, error) {
	facts := g.facts.Get()
	return buildInstallConfig(g.spec, listSSHKeys(g.spec, facts), g.pullSecret, facts.APIAddress, facts.IngressAddress)
}

// Generate has the documents generated, or reads those of an earlier run.
func (g *Generator) Generate(ctx context.Context, report provisioner.Report) error {
	if err := g.renewal.discard(ctx, report); err != nil {
		return err
	}
	credentials, err := g.loadCredentials(ctx, report)
	if err != nil {
		return err
	}
	var resolve manifests.Resolve
	if g.catalog != nil {
		resolve = g.catalog.NewResolver(ctx, report)
	}
	wanted, err := g.buildGeneration(credentials, resolve)
	if err != nil {
		return err
	}
	g.ignition, err = g.installer.Generate(ctx, g.folder.Path(state.InstallDir), wanted, report.EmitProgress)
	if err != nil {
		return err
	}
	if err := g.checkGeneration(); err != nil {
		return err
	}
	report.EmitProgress("infrastructure ID " + g.ignition.InfraID)
	g.emitCertificates(report)
	if err := g.renewal.replaceMachines(ctx, report, g.ignition.RootCAHash); err != nil {
		return err
	}
	return g.facts.Update(func(facts *state.Facts) {
		facts.InfraID, facts.RootCAHash = g.ignition.InfraID, g.ignition.RootCAHash
		facts.IgnitionCreated, facts.IgnitionExpires = g.ignition.Created, g.ignition.Expires
		if g.catalog != nil {
			facts.Syn.RecordGenerated(g.ignition)
		}
	})
}

// Without block storage in the zone there is nothing for its driver to do.
func (g *Generator) loadCredentials(ctx context.Context, report provisioner.Report) (manifests.Credentials, error) {
	controller, err := g.keys.Load(ctx, report, assets.PolicyCloudController)
	if err != nil || !g.spec.HasOwnStorageDriver() || !g.zone.HasBlockStorage() {
		return manifests.Credentials{CloudController: controller}, err
	}
	driver, err := g.keys.Load(ctx, report, assets.PolicyVolumes)
	if err == nil && driver.Secret == "" {
		err = fault.Newf(fault.Internal, "install the driver for block storage", "the secret of the API key %s is not stored", driver.Name)
	}
	return manifests.Credentials{CloudController: controller, StorageDriver: driver}, err
}

func (g *Generator) buildGeneration(credentials manifests.Credentials, resolve manifests.Resolve) (state.Generation, error) {
	config, err := g.buildInstallConfig()
	if err != nil {
		return state.Generation{}, err
	}
	spec := g.spec
	spec.Syn.CatalogDir = g.findCatalogDir()
	more, err := manifests.Collect(spec, credentials, resolve)
	if err == nil && g.facts.Get().IgnitionCreated.IsZero() { // later the catalog is that of a running cluster
		err = manifests.CheckStart(spec, more)
	}
	return g.newGeneration(config, more), err
}

func (g *Generator) findCatalogDir() string {
	if g.catalog == nil {
		return g.spec.Syn.CatalogDir
	}
	return g.catalog.CatalogDir()
}

func (g *Generator) newGeneration(config []byte, more []state.Manifest) state.Generation {
	return state.Generation{
		InstallConfig: config, Domain: g.spec.Domain(), AppsDomain: g.spec.AppsDomain(),
		MastersSchedulable: len(g.spec.ComputeNodes()) == 0, Manifests: more,
	}
}

// checkGeneration refuses to mix certificates: machines that booted from one generation never accept another.
func (g *Generator) checkGeneration() error {
	before := g.facts.Get().RootCAHash
	if before == "" || before == g.ignition.RootCAHash || g.renewal.requested {
		return nil
	}
	return fault.Newf(fault.Conflict, "generate Ignition documents",
		"%s has other certificates than the machines of this cluster", g.folder.Path(state.InstallDir)).
		WithHint("restore the original folder, or %s", RenewHint)
}

// Certificates are valid by the wall clock, in a rehearsal too.
func (g *Generator) emitCertificates(report provisioner.Report) {
	created, expires := g.ignition.Created, g.ignition.Expires
	report(provisioner.Event{Type: provisioner.TypeCertificates, Since: &created, Until: &expires})
	if age := time.Since(created); age >= certificateStaleAge && !g.facts.Get().IsBootstrapped() {
		report.EmitProgress(fmt.Sprintf("the certificates are already %s old: the bootstrap must be complete in %s",
			age.Round(time.Minute), max(0, time.Until(expires)).Round(time.Minute)))
	}
}
