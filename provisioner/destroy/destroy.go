// Package destroy is the reverse recipe: it finds everything that belongs to a cluster, deletes it in a safe order, and
// takes the inventory again to prove that nothing is left. An object that is not proven to be the cluster's is never
// touched; one that only resembles them is listed with the reason.
package destroy

import (
	"context"

	"exoshift/provisioner"
	"exoshift/state"
)

// Cloud lists and deletes the objects of the zone and the organization.
type Cloud interface {
	// ListObjects returns all objects that could belong to a cluster, except buckets and DNS records.
	ListObjects(ctx context.Context) ([]state.Object, error)
	// ListRecords returns the records of a DNS zone except those that every zone has; their Uses name the zone.
	ListRecords(ctx context.Context, zone state.Object) ([]state.Object, error)
	// ClearRules deletes the rules of a security group, which may refer to other groups.
	ClearRules(ctx context.Context, group state.Object) (state.Action, error)
	// Delete deletes an object, detaches what uses it, and waits until it is gone. A missing object is no error: the
	// action is then state.Found.
	Delete(ctx context.Context, object state.Object) (state.Action, error)
	// OnOutage makes the client patient with an API that is away. notify is called once when an outage is more than a
	// moment and once when it is over; it must not call the client.
	OnOutage(notify func(state.Outage))
}

// Buckets is the object storage.
type Buckets interface {
	ListBuckets(ctx context.Context) ([]state.Object, error)
	// GetBucketOwner returns the cluster in a bucket's owner mark, or "".
	GetBucketOwner(ctx context.Context, name string) (string, error)
	// DeleteBucket deletes a bucket with all that is in it, unless it is marked as another cluster's.
	DeleteBucket(ctx context.Context, name string) (state.Action, error)
}

// Cluster is the running cluster, which created cloud objects by itself.
type Cluster interface {
	// ListClaims returns what the cluster states to have created. That is no proof yet: any of its tenants may have
	// written it.
	ListClaims(ctx context.Context) ([]state.Claim, error)
}

// Clients is what a teardown works with.
type Clients struct {
	Cloud   Cloud
	Buckets Buckets
	Cluster Cluster // nil if it is not reachable
	Clock   provisioner.Clock
	Syn     *Syn // nil if the cluster is not registered in Project Syn
}

// Options are the input of a teardown beyond the Spec.
type Options struct {
	Names         []state.Object // kinds and names of the installation's objects; records as "<name> <type>"
	Journal       []state.Entry  // of the installation; nil if its folder is lost
	Remembered    []Found        // inventory of an earlier teardown that did not finish
	DeleteBackups bool
	// IncludeForeignRecords deletes the DNS zone with the records that others created.
	IncludeForeignRecords bool
	OwnKey                string // the API key of this run
}

// InventoryFile is the file of the cluster's folder in which a teardown keeps its inventory, as []Found.
const InventoryFile = "inventory.json"

// Phase is the phase of all steps of a teardown.
const Phase = "teardown"

// The limit of concurrent deletions spares the API. A deletion is mostly waiting.
const parallel = 10

// Teardown deletes one cluster.
type Teardown struct {
	identity identity
	clients  Clients
	options  Options
	deleter  *deleter

	queried bool // the cluster was queried, which is possible only while it exists
	notes   []string
	sources proofSources
}

// New returns the teardown of the cluster that spec describes.
func New(spec state.Spec, world Clients, options Options) *Teardown {
	t := &Teardown{
		identity: newIdentity(spec, options.Names), clients: world, options: options, sources: readJournal(options.Journal),
		deleter: &deleter{cloud: world.Cloud, buckets: world.Buckets, slots: make(chan struct{}, parallel), failures: map[key]error{}},
	}
	t.sources.storeProofs(options.Remembered)
	return t
}

// EmitOutages emits when the API is away, for which the teardown is patient from now on.
func (t *Teardown) EmitOutages(report provisioner.Report) {
	t.clients.Cloud.OnOutage(func(o state.Outage) {
		report(provisioner.NewOutageEvent(o.Since, o.Until, o.Over, o.Cause))
	})
}
