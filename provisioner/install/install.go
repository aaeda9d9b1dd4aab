// Package install is the recipe: it builds a plan of steps from a Spec, and declares the clients of cloud and cluster
// that these steps need as small interfaces.
package install

import (
	"cmp"
	"context"
	"sync"
	"time"

	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/install/access"
	"exoshift/provisioner/install/generation"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/nodeimage"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// Clients is the clients of the recipe.
type Clients struct {
	Cloud     Cloud
	Objects   Objects
	Installer Installer
	Images    nodeimage.Source
	Cluster   Cluster
	Names     network.Resolver
	Clock     provisioner.Clock
	Bootstrap BootstrapHost // nil: no access to the bootstrap machine
	Reach     Reachability  // nil: not checked
	Syn       *syn.Clients  // nil: without Project Syn
}

// DefaultWaitForDNS is the default timeout of the delegation of the cluster's domain.
const DefaultWaitForDNS = 30 * time.Minute

// Options configure a run.
type Options struct {
	PullSecret string
	WaitForDNS time.Duration // timeout of the delegation; 0: DefaultWaitForDNS
	Renew      bool          // replace certificates that are too old, and the machines that were started with them
	NewKeys    []string      // nodes whose machines may get their first certificate for one key more than usual

	// Accepted is called once the checks have passed, before anything is changed; may be nil.
	Accepted func() error

	// Show opens a login page for the user; nil: there is no user.
	Show syn.Show
	// Seal is the passphrase that encrypts secrets in the folder.
	Seal string
}

// Installation is one cluster's installation: its Spec, its folder and the results of its steps. A step reads only what
// the steps that it needs have written.
type Installation struct {
	spec    state.Spec
	options Options
	folder  state.Folder
	clients Clients
	preview bool // nothing is changed, neither in the cloud nor in the folder

	facts  *state.FactsStore
	states provisioner.LastStates // of each node, etcd, ...

	mu    sync.Mutex                // guards the state that concurrent steps share
	nodes map[string]state.Instance // machines by name

	lastPoll            *sharedPoll          // the latest poll of the cluster; nil before the first
	consecutiveFailures map[string]int       // of probes, in a row
	phases              map[string]time.Time // when each phase of the cluster was reached
	diagnostics         diagnostics          // input of the diagnosis
	findings            []diagnosis.Finding  // of the latest poll
	progress            progressTracker
	skippedCSRs         int // certificate requests that were skipped

	undecided map[string]int // keys that machines had, by node: another one is the operator's decision
	allowed   map[string]int // keys that the operator allows machines, by node

	accessOpen    bool                 // there may be temporary rules for the bootstrap machine
	bootstrapHost *state.BootstrapHost // everything read from the bootstrap machine; nil until then

	securityGroups *network.SecurityGroups
	elasticIPs     *network.ElasticIPs
	dns            *network.DNS
	delegation     *network.Delegation
	keys           *access.Keys
	buckets        *access.Buckets
	image          *nodeimage.Image
	renewal        *generation.Renewal
	generator      *generation.Generator

	affinity          map[affinityGroup]string      // IDs
	deployTarget      string                        // ID, "" for any hypervisor
	existing          []state.Object                // objects of the organization at the start
	types             map[string]state.InstanceType // what the zone offers, by name
	bootstrapDocument []byte
	bootstrapURL      string // signed
	unresolved        []MachineDifference

	syn *syn.Connection // nil: without Project Syn
}

// New returns the installation of spec in folder, with the facts of earlier runs.
func New(spec state.Spec, options Options, folder state.Folder, world Clients) (*Installation, error) {
	facts, err := folder.LoadFacts()
	if err != nil {
		return nil, err
	}
	return withFacts(spec, options, folder, world, facts, folder.SaveFacts), nil
}

func withFacts(spec state.Spec, options Options, folder state.Folder, world Clients, facts state.Facts, save func(state.Facts) error) *Installation {
	facts.ClusterID, facts.Zone = spec.Cluster.ID, spec.Exoscale.Zone
	i := &Installation{
		spec: spec, options: options, folder: folder, clients: world, facts: state.NewFactsStore(facts, save), preview: save == nil,
		nodes:     map[string]state.Instance{},
		undecided: map[string]int{}, allowed: map[string]int{}, consecutiveFailures: map[string]int{}, phases: map[string]time.Time{}, diagnostics: diagnostics{evaluator: diagnosis.New()},
		affinity: map[affinityGroup]string{},
	}
	i.securityGroups = network.NewSecurityGroups(spec, world.Cloud)
	i.elasticIPs = network.NewElasticIPs(spec, world.Cloud, i.facts)
	i.dns = network.NewDNS(spec, world.Cloud, i.elasticIPs)
	i.delegation = network.NewDelegation(spec, world.Names, world.Clock, cmp.Or(options.WaitForDNS, DefaultWaitForDNS), i.dns, i.elasticIPs)
	i.renewal = generation.NewRenewal(spec, folder, i.facts, world.Cloud, world.Cluster, world.Clock, options.Renew)
	i.syn = syn.New(i.newSynDeps(), world.Syn)
	var store access.KeyStore = access.FolderStore{Spec: spec, Folder: folder}
	var catalog generation.Catalog
	if i.syn.IsConnected() {
		store, catalog = i.syn, i.syn // Vault takes precedence over the folder
	}
	i.keys = access.NewKeys(spec, world.Cloud, store)
	i.buckets = access.NewBuckets(spec, world.Objects)
	i.image = nodeimage.New(spec, world.Cloud, world.Objects, world.Images, world.Installer, i.buckets, i.facts)
	i.generator = generation.New(spec, folder, i.facts, world.Installer, i.keys, catalog, i.renewal, options.PullSecret)
	return i
}

func (i *Installation) newSynDeps() syn.Deps {
	return syn.Deps{
		Spec: i.spec, Folder: i.folder, Clock: i.clients.Clock, Show: i.options.Show, Seal: i.options.Seal,
		Facts: i.facts, Renews: i.renewal.IsDue, Alias: i.dns.EnsureAlias,
		Generated: func() state.Ignition { return i.generator.Ignition() },
		Started: func(ctx context.Context) (bool, error) {
			machines, err := i.clients.Cloud.ListInstances(ctx, i.spec.Labels())
			return len(machines) > 0, err
		},
	}
}

// Facts returns the current facts of the installation.
func (i *Installation) Facts() state.Facts {
	return i.facts.Get()
}

// Kinds that are part of other objects.
const (
	kindAttachment = "elastic-ip-attachment"
)
