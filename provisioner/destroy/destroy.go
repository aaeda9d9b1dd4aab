// Package destroy is the reverse recipe: it finds everything that belongs to a cluster, deletes it in a safe order, and
// looks again for a proof that nothing is left. What is not proven to be the cluster's is never touched; what looks as if it
// were, is listed with the reason why that is no proof.
package destroy

import (
	"context"
	"sync"

	"exoshift/provisioner"
	"exoshift/state"
)

// Cloud is what the zone and the organization hold.
type Cloud interface {
	// Objects returns everything that could belong to a cluster, buckets and DNS records excepted.
	ListObjects(ctx context.Context) ([]state.Object, error)
	// Records returns the records of a DNS zone but those that every zone has; their Uses name the zone.
	ListRecords(ctx context.Context, zone state.Object) ([]state.Object, error)
	// ClearRules deletes the rules of a security group, which may refer to other groups.
	ClearRules(ctx context.Context, group state.Object) (state.Action, error)
	// Delete deletes an object, lets go of what holds it, and waits until it is gone. It is content with what is gone
	// already and then reports state.Found.
	Delete(ctx context.Context, object state.Object) (state.Action, error)
}

// Buckets is the object storage.
type Buckets interface {
	ListBuckets(ctx context.Context) ([]state.Object, error)
	// GetBucketOwner returns the cluster that a bucket is marked as the property of, or "".
	GetBucketOwner(ctx context.Context, name string) (string, error)
	// DeleteBucket deletes a bucket with all that is in it, unless it is marked as another cluster's.
	DeleteBucket(ctx context.Context, name string) (state.Action, error)
}

// Cluster is the running cluster, which made objects of the cloud by itself.
type Cluster interface {
	// Claims returns what the cluster says that it made. That is no proof yet: any of its tenants may have written it.
	ListClaims(ctx context.Context) ([]state.Claim, error)
}

// Clients is what a teardown acts on.
type Clients struct {
	Cloud   Cloud
	Buckets Buckets
	Cluster Cluster // nil if there is no way to reach it
	Clock   provisioner.Clock
	Syn     *Syn // nil if Project Syn does not know the cluster
}

// Options are what is known and wanted beyond the Spec.
type Options struct {
	Names         []state.Object // kinds and names that the recipe gives; records as "<name> <type>"
	Journal       []state.Entry  // of the installation; nil if its folder is lost
	Remembered    []Found        // what an earlier teardown that did not finish had found
	DeleteBackups bool
	// IncludeForeignRecords deletes the DNS zone with the records that somebody else made.
	IncludeForeignRecords bool
	OwnKey                string // the API key of this very run
}

// Phase is the phase of all steps of a teardown.
const Phase = "teardown"

// parallel is how many objects are deleted at a time, to be polite to the API. A deletion is mostly waiting.
const parallel = 10

// Teardown is the destruction of one cluster.
type Teardown struct {
	identity identity
	clients  Clients
	options  Options
	slots    chan struct{} // one for each deletion that runs

	queried bool // the cluster, which answers only as long as it lives
	notes   []string
	sources proofSources

	mu       sync.Mutex
	failures map[key]error // why an object could not be deleted, when it was last tried
}

// New returns the teardown of the cluster that spec describes.
func New(spec state.Spec, world Clients, options Options) *Teardown {
	t := &Teardown{
		identity: newIdentity(spec, options.Names), clients: world, options: options, slots: make(chan struct{}, parallel),
		sources: readJournal(options.Journal), failures: map[key]error{},
	}
	t.sources.storeProofs(options.Remembered)
	return t
}
