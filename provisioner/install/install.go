// Package install is the recipe: it builds a plan of steps from a Spec. The steps are those of the packages below: each
// is a group of steps with the clients that it needs as small interfaces, and its results are given to the groups after
// it.
package install

import (
	"cmp"
	"context"
	"time"

	"exoshift/provisioner"
	"exoshift/provisioner/install/access"
	"exoshift/provisioner/install/bootstrap"
	"exoshift/provisioner/install/controlplane"
	"exoshift/provisioner/install/generation"
	"exoshift/provisioner/install/machines"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/nodeimage"
	"exoshift/provisioner/install/operators"
	"exoshift/provisioner/install/preflight"
	"exoshift/provisioner/install/supportbundle"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/install/watch"
	"exoshift/state"
)

// DefaultWaitForDNS is the default timeout of the delegation of the cluster's domain.
const DefaultWaitForDNS = 30 * time.Minute

// Options configure a run.
type Options struct {
	PullSecret string
	WaitForDNS time.Duration  // timeout of the delegation; 0: DefaultWaitForDNS
	Renew      bool           // replace certificates that are too old, and the machines that were started with them
	Replaced   []string       // machines that others take the place of, and that may differ from the answers until then
	NewKeys    []string       // nodes whose machines may get their first certificate for one key more than usual
	Response   watch.Response // what is done about findings

	// Accepted is called once the checks have passed, before anything is changed; may be nil.
	Accepted func() error

	// Show opens a login page for the user; nil: there is no user.
	Show syn.Show
	// TrustToken starts machines whatever the age of the bootstrap token of Project Syn.
	TrustToken bool
	// ImageFromZone has the node image copied by a machine in the zone, which needs clients with an ImageCopier.
	ImageFromZone bool
	// ImageFromZoneCommand is the command that goes on with the installation like that; "": it is not proposed.
	ImageFromZoneCommand string
	// Seal is the passphrase that encrypts secrets in the folder.
	Seal string
}

// Installation is the groups of steps of one cluster's installation. A group reads only what steps before its own have
// found or created.
type Installation struct {
	spec    state.Spec
	options Options
	folder  state.Folder
	clients Clients
	facts   *state.FactsStore

	inventory    *preflight.Inventory
	conflicts    *preflight.Conflicts
	availability *preflight.Availability
	comparison   *preflight.Comparison
	quotas       *preflight.Quotas

	securityGroups *network.SecurityGroups
	elasticIPs     *network.ElasticIPs
	privateNetwork *network.PrivateNetwork
	dns            *network.DNS
	delegation     *network.Delegation
	keys           *access.Keys
	buckets        *access.Buckets
	image          *nodeimage.Image
	generator      *generation.Generator

	antiAffinity *machines.AntiAffinityGroups
	machines     *machines.Machines
	roll         balancerRoll
	gate         machines.Gate
	access       *bootstrap.Access
	phases       *bootstrap.Phases
	bootstrap    *bootstrap.Machine

	watcher      *watch.Watcher
	controlPlane *controlplane.ControlPlane
	operators    *operators.Operators
	syn          *syn.Connection // nil: without Project Syn
}

// New returns the installation of spec in folder, with the facts of earlier runs.
func New(spec state.Spec, options Options, folder state.Folder, clients Clients) (*Installation, error) {
	facts, err := folder.LoadFacts()
	if err != nil {
		return nil, err
	}
	return newInstallation(spec, options, folder, clients, facts, folder.SaveFacts), nil
}

// Without save, nothing is changed, neither in the cloud nor in the folder: the clients must only read.
func newInstallation(spec state.Spec, options Options, folder state.Folder, clients Clients, known state.Facts, save func(state.Facts) error) *Installation {
	known.ClusterID, known.Zone = spec.Cluster.ID, spec.Exoscale.Zone
	if spec.Members == nil {
		spec = spec.WithFacts(known)
	}
	facts, isPreview := state.NewFactsStore(known, save), save == nil
	i := &Installation{spec: spec, options: options, folder: folder, clients: clients, facts: facts}

	i.inventory = preflight.NewInventory(spec, clients.Cloud, clients.Objects)
	i.conflicts = preflight.NewConflicts(spec, folder, facts, clients.Objects, i.inventory, ListNames(spec), options.Renew)
	i.availability = preflight.NewAvailability(spec, facts, clients.Cloud, clients.Installer)
	i.comparison = preflight.NewComparison(spec, facts, clients.Cloud, clients.Cluster, clients.Clock, i.inventory, i.availability, options.Replaced)
	i.quotas = preflight.NewQuotas(spec, facts, clients.Cloud, i.inventory, i.availability, options.Accepted)

	i.securityGroups = network.NewSecurityGroups(spec, clients.Cloud)
	i.elasticIPs = network.NewElasticIPs(spec, clients.Cloud, facts)
	i.privateNetwork = network.NewPrivateNetwork(spec, clients.Cloud)
	i.dns = network.NewDNS(spec, clients.Cloud, i.elasticIPs)
	i.delegation = network.NewDelegation(spec, clients.Names, clients.Clock, cmp.Or(options.WaitForDNS, DefaultWaitForDNS), i.dns, i.elasticIPs)

	renewal := generation.NewRenewal(spec, folder, facts, clients.Cloud, clients.Cluster, clients.Clock, options.Renew)
	i.syn = syn.New(i.newSynDeps(renewal, isPreview), clients.Syn)
	var store access.KeyStore = access.FolderStore{Spec: spec, Folder: folder}
	var catalog generation.Catalog
	if i.syn.IsConnected() {
		store, catalog = i.syn.APIKeys, i.syn.Catalog // Vault takes precedence over the folder
	}
	i.keys = access.NewKeys(spec, clients.Cloud, store)
	i.buckets = access.NewBuckets(spec, clients.Objects)
	transfer := nodeimage.Transfer{Source: clients.Images, Copier: clients.ImageCopier, FromZone: options.ImageFromZone, Clock: clients.Clock, Command: options.ImageFromZoneCommand}
	i.image = nodeimage.New(spec, clients.Cloud, clients.Objects, transfer, clients.Installer, i.buckets, facts)
	i.generator = generation.New(spec, folder, facts, clients.Installer, i.keys, catalog, renewal, i.inventory, options.PullSecret)

	i.antiAffinity = machines.NewAntiAffinityGroups(spec, clients.Cloud)
	i.machines = machines.New(machines.Deps{
		Spec: spec, Folder: folder, Facts: facts, Cloud: clients.Cloud, Clock: clients.Clock, IsPreview: isPreview,
		SecurityGroups: i.securityGroups, ElasticIPs: i.elasticIPs, PrivateNetwork: i.privateNetwork, DNS: i.dns, AntiAffinity: i.antiAffinity,
		Image: i.image, Generator: i.generator, Authority: clients.Authority, DeployTarget: i.availability.DeployTarget,
	})
	i.roll = balancerRoll{spec: spec, facts: facts, machines: i.machines, clients: clients.Roll}
	i.gate = machines.Gate{Spec: spec, Facts: facts, Balancers: clients.Balancers, BootLogs: clients.BootLogs, Clock: clients.Clock, Machines: i.machines}
	i.access = bootstrap.NewAccess(spec, facts, clients.Cloud, clients.Bootstrap, clients.Clock, i.machines, isPreview)
	i.phases = bootstrap.NewPhases(clients.Clock)
	i.bootstrap = bootstrap.New(bootstrap.Deps{
		Spec: spec, Folder: folder, Facts: facts, Cloud: clients.Cloud, Objects: clients.Objects, Cluster: clients.Cluster, Clock: clients.Clock,
		IsPreview: isPreview, Buckets: i.buckets, DNS: i.dns, Image: i.image, Generator: i.generator,
		Machines: i.machines, Access: i.access, Phases: i.phases,
	})

	i.watcher = watch.New(watch.Deps{
		Spec: spec, Folder: folder, Facts: facts, Cluster: clients.Cluster, Cloud: clients.Cloud, Names: clients.Names, Clock: clients.Clock,
		NewKeys: options.NewKeys, Response: options.Response, SecurityGroups: i.securityGroups, ElasticIPs: i.elasticIPs, DNS: i.dns, Image: i.image,
		Machines: i.machines, Access: i.access, Phases: i.phases,
		RestoreRouters: func(ctx context.Context, report provisioner.Report) error {
			return i.operators.RestoreRouters(ctx, report)
		},
	})
	i.controlPlane = controlplane.New(spec, facts, i.machines, i.watcher)
	i.operators = operators.New(spec, facts, clients.Cluster, clients.Clock, i.keys, i.watcher)
	return i
}

func (i *Installation) newSynDeps(renewal *generation.Renewal, isPreview bool) syn.Deps {
	return syn.Deps{
		Spec: i.spec, Folder: i.folder, Clock: i.clients.Clock, Show: i.options.Show, Seal: i.options.Seal,
		TrustToken: i.options.TrustToken || isPreview, // nothing is started by a preview
		Facts:      i.facts, Renews: renewal.IsDue, Alias: i.dns.EnsureAlias,
		Generated: func() state.Ignition { return i.generator.Ignition() },
		Started: func(ctx context.Context) (bool, error) {
			machines, err := i.clients.Cloud.ListInstances(ctx, i.spec.Labels())
			return len(machines) > 0, err
		},
	}
}

// Facts returns the current facts of the installation.
func (i *Installation) Facts() state.Facts { return i.facts.Get() }

// CheckUnresolved returns the differences between machines and answers that the installation did not resolve as an
// error, or nil.
func (i *Installation) CheckUnresolved() error { return i.comparison.CheckUnresolved() }

// ApproveNewKeys allows each machine that waits for the operator's decision its first certificate for one more key. The
// next poll approves it.
func (i *Installation) ApproveNewKeys() { i.watcher.ApproveNewKeys() }

// SetAttended sets what reports whether a person can be asked about findings. It is called before the plan runs.
func (i *Installation) SetAttended(attended func() bool) {
	i.watcher.SetAttended(attended)
	i.image.SetAttended(attended)
}

// Decide answers the question about the finding of a rule, which the next poll acts on, or that about a slow upload.
func (i *Installation) Decide(rule string, reply provisioner.Reply) {
	if rule == nodeimage.RuleSlowUplink {
		i.image.Decide(reply)
		return
	}
	i.watcher.Decide(rule, reply)
}

// EmitOutages emits when the API is away, for which the installation is patient from now on.
func (i *Installation) EmitOutages(report provisioner.Report) {
	i.clients.Cloud.OnOutage(func(o state.Outage) {
		report(provisioner.NewOutageEvent(o.Since, o.Until, o.Over, o.Cause))
	})
}

// Close deletes the rules that were created for this run only, also after the run was stopped.
func (i *Installation) Close(ctx context.Context, report provisioner.Report) {
	i.access.Close(ctx, func(e provisioner.Event) {
		e.Step, e.Phase = stepAccess, Bootstrap
		report(e)
	})
}

// Gather writes support data for a failed run into a new folder below state.GatheredDir. Missing parts are joined in
// the error; the other parts are written nevertheless.
func (i *Installation) Gather(ctx context.Context, failure error) (supportbundle.Gathered, error) {
	gatherer := supportbundle.Gatherer{
		Spec: i.spec, Folder: i.folder, Clock: i.clients.Clock, Cloud: i.clients.Cloud, Cluster: i.clients.Cluster, SecurityGroups: i.securityGroups,
	}
	return gatherer.Gather(ctx, supportbundle.Known{
		Facts: i.Facts(), Observations: i.watcher.Observations(), Phases: i.phases.Times(), Findings: i.watcher.Findings(), BootstrapHost: i.access.Host(),
		WithoutCluster: i.Facts().InfraID == "",
	}, failure)
}
