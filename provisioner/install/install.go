// Package install is the recipe: it turns what is wanted into a plan of steps, and names, as small interfaces, the
// cloud and the cluster that these steps need.
package install

import (
	"context"
	"reflect"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// Clients is what the recipe acts on.
type Clients struct {
	Cloud     Cloud
	Objects   Objects
	Installer Installer
	Images    Image
	Cluster   Cluster
	Names     Resolver
	Clock     provisioner.Clock
	Bootstrap BootstrapHost // nil: nobody looks inside
	Reach     Reachability  // nil: nobody finds out
	Syn       *syn.Clients  // nil: the cluster stands on its own
}

// DefaultWaitForDNS is how long an installation waits for the delegation of its domain, unless told otherwise.
const DefaultWaitForDNS = 30 * time.Minute

// Options say how to go about it.
type Options struct {
	PullSecret string
	WaitForDNS time.Duration // how long to wait for the delegation; 0: DefaultWaitForDNS
	Renew      bool          // replace certificates that are too old, and the machines that were started with others
	NewKeys    []string      // nodes whose machines may get their first certificate for one key more than usual

	// Accepted is called once the checks have found that the answers can be carried out, before anything is changed; nil:
	// nobody has to know.
	Accepted func() error

	// Show leads a person to a page where they sign in; nil: nobody is there.
	Show syn.Show
	// Seal is the passphrase by which what must not lie open is kept in the folder.
	Seal string
}

// Installation is one cluster's installation: what is wanted, where it is kept and what earlier steps found. A step
// reads only what the steps that it needs have written.
type Installation struct {
	spec    state.Spec
	options Options
	folder  state.Folder
	clients Clients
	preview bool // nothing is changed, neither in the cloud nor in the folder

	mu    sync.Mutex // guards what steps running side by side share
	facts state.Facts
	seen  map[string]string         // what was last told about each node, etcd, ...
	nodes map[string]state.Instance // machines by name

	lastPoll            *sharedPoll          // the latest look at the cluster; nil before the first
	consecutiveFailures map[string]int       // of probes, in a row
	phases              map[string]time.Time // when each phase of the cluster was reached
	diagnostics         diagnostics          // of what goes wrong
	findings            []diagnosis.Finding  // of the latest look
	progress            progressTracker
	skippedCSRs         int // certificate requests that were left alone

	undecided map[string]int // keys that machines had, by node: another one is the operator's decision
	keys      map[string]int // keys that the operator lets machines have, by node

	accessOpen    bool                 // there may be rules that let somebody look inside the bootstrap machine
	bootstrapHost *state.BootstrapHost // all that it told about itself; nil until it did

	groups       map[string]string        // IDs of security groups by name
	affinity     map[affinityGroup]string // IDs
	api, ingress state.ElasticIP
	zone         state.Zone
	parent       string                        // the zone above the cluster's
	deployTarget string                        // ID, "" for any hypervisor
	existing     []state.Object                // what the organization had at the beginning
	types        map[string]state.InstanceType // what the zone offers, by name
	image        state.Template                // what nodes boot from
	bootBuild    string                        // of the image that the release wants them to boot from
	ignition     state.Ignition
	bootstrapURL string // signed
	unresolved   []MachineDifference

	syn *syn.Connection // to Project Syn; nil: there is none
}

// New returns the installation of spec in folder, with the facts that earlier runs left there.
func New(spec state.Spec, options Options, folder state.Folder, world Clients) (*Installation, error) {
	facts, err := folder.LoadFacts()
	if err != nil {
		return nil, err
	}
	return withFacts(spec, options, folder, world, facts), nil
}

func withFacts(spec state.Spec, options Options, folder state.Folder, world Clients, facts state.Facts) *Installation {
	facts.ClusterID, facts.Zone = spec.Cluster.ID, spec.Exoscale.Zone
	i := &Installation{
		spec: spec, options: options, folder: folder, clients: world, facts: facts,
		seen: map[string]string{}, nodes: map[string]state.Instance{},
		undecided: map[string]int{}, keys: map[string]int{}, consecutiveFailures: map[string]int{}, phases: map[string]time.Time{}, diagnostics: diagnostics{evaluator: diagnosis.New()},
		groups: map[string]string{}, affinity: map[affinityGroup]string{},
	}
	i.syn = syn.New(i.newSynDeps(), world.Syn)
	return i
}

// newSynDeps is what the steps of Project Syn need of the installation.
func (i *Installation) newSynDeps() syn.Deps {
	return syn.Deps{
		Spec: i.spec, Folder: i.folder, Clock: i.clients.Clock, Show: i.options.Show, Seal: i.options.Seal,
		Facts: i.Facts, UpdateFacts: i.updateFacts, MarkSeen: i.markSeen, Renews: i.hasOutdatedCertificates, Alias: i.ensureAlias,
		Generated: func() state.Ignition { return i.ignition },
		Started: func(ctx context.Context) (bool, error) {
			machines, err := i.clients.Cloud.ListInstances(ctx, i.buildLabels())
			return len(machines) > 0, err
		},
	}
}

// Facts returns what the installation knows by now.
func (i *Installation) Facts() state.Facts {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.facts
}

// updateFacts changes the facts and saves them.
func (i *Installation) updateFacts(change func(*state.Facts)) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	before := i.facts
	change(&i.facts)
	if reflect.DeepEqual(before, i.facts) || i.preview {
		return nil
	}
	return i.folder.SaveFacts(i.facts)
}

// isBootstrapped tells whether the cluster stands on its own masters, so that the bootstrap machine and all that only
// it needs must not be made again.
func (i *Installation) isBootstrapped() bool { return !i.Facts().BootstrapRemoved.IsZero() }

// formatName prefixes the names of objects that carry no labels, so that they can be found again.
func (i *Installation) formatName(suffix string) string { return i.spec.Cluster.ID + "_" + suffix }

// buildLabels mark what belongs to this cluster.
func (i *Installation) buildLabels() map[string]string {
	return map[string]string{state.LabelCluster: i.spec.Cluster.ID}
}

// Kinds that are part of other objects.
const (
	kindRecord     = "dns-record"
	kindAttachment = "elastic-ip-attachment"
	kindObject     = "object"
)

// parallel is how many objects of a kind are created at a time, to be polite to the API.
const parallel = 5

// forEachParallel does something with each item, a few at a time, and returns the first error after all have ended.
func forEachParallel[T any](ctx context.Context, items []T, do func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, item := range items {
		group.Go(func() error { return do(ctx, item) })
	}
	return group.Wait()
}
