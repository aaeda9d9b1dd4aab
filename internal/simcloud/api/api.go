package api

import (
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/api/compute"
	"exoshift/internal/simcloud/api/domain"
	"exoshift/internal/simcloud/api/iam"
	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/networking"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/storage"
	"exoshift/internal/simcloud/store"
)

// Config configures a simulated API.
type Config struct {
	DB    *store.DB
	Clock network.Clock
	Zone  string // the zone whose machines exist, e.g. "ch-gva-2"
	// Key and Secret are accepted in addition to the API keys created through the API.
	Key, Secret string
	// Elastic is the range of elastic IPs, IPv4 of 16 bits; the zero value is 198.19.0.0/16.
	Elastic netip.Prefix
	// HTTP fetches template images.
	HTTP *http.Client
	// RefuseCredentials answers every signed request with 403.
	RefuseCredentials bool
	// Problems returns errors as RFC 9457 problem details, which the live service has begun to do, without a message.
	Problems bool
	// NoDNSPlan refuses new DNS zones: the organization has no plan for them.
	NoDNSPlan bool
	// NoBlockStorage refuses every request for block storage.
	NoBlockStorage bool
	// TerseTemplates returns the organization's templates without build, boot mode, default user and description.
	TerseTemplates bool
	// EvictsAnother has an instance pool destroy another member than the first one that it is asked to evict.
	EvictsAnother bool
	// RevokesReplaced has an API key revoked when another one of its name is created, once.
	RevokesReplaced bool
	// Quotas overrides limits by resource, e.g. {"instance": 5}.
	Quotas map[string]int
	// Now is the clock against which a client's signatures are verified; nil is the wall clock.
	Now func(asker netip.Addr) time.Time
	// Latency is added to each response, in wall-clock time.
	Latency time.Duration
	// Buckets returns the organization's buckets from the object storage; nil: there are none.
	Buckets func() []storage.Bucket
	// Link returns a presigned link to an object; nil: there are none.
	Link func(key, secret, bucket, object string) string
	// ExportLink returns a presigned link to an exported snapshot; nil: there is no object storage.
	ExportLink func(name string) string
}

// API is the Exoscale API of all zones, with the machines of one. It is safe for concurrent use.
type API struct {
	config     Config
	mux        *http.ServeMux
	operations iam.Operations

	store      *resource.Store // its lock guards everything of the following packages, and mutations
	compute    *compute.Compute
	networking *networking.Networking
	volumes    *storage.Volumes
	buckets    storage.Buckets
	domains    *domain.Domains
	iam        *iam.Authorizer
	audit      *auditLog
	mutations  int

	calls    atomic.Int64
	firewall atomic.Pointer[networking.Firewall] // nil after a change
	changed  chan struct{}
}

// New returns an API over the state in config.DB; Close ends it.
func New(config Config) (*API, error) {
	a := &API{config: config, operations: iam.LoadOperations(), changed: make(chan struct{}, 1)}
	quotas := resource.NewQuotas(config.Quotas)
	var err error
	if a.store, err = resource.NewStore(config.DB, config.Clock, quotas, a.notifyChanged); err != nil {
		return nil, err
	}
	tables := instance.NewTables(a.store)
	a.networking = networking.New(a.store, tables, config.Elastic)
	a.volumes = storage.NewVolumes(a.store, tables)
	a.compute = compute.New(a.store, tables, a.networking, a.volumes, config.HTTP)
	a.compute.Templates.Terse, a.compute.Pools.EvictsAnother = config.TerseTemplates, config.EvictsAnother
	a.compute.Snapshots.Link = config.ExportLink
	a.domains = domain.New(a.store, !config.NoDNSPlan)
	a.iam = iam.New(a.store, iam.Config{
		Key: config.Key, Secret: config.Secret, RefuseCredentials: config.RefuseCredentials, Now: config.Now,
	}, a.operations)
	a.iam.Keys.RevokesReplaced = config.RevokesReplaced
	a.buckets = storage.Buckets{List: config.Buckets, Link: config.Link, Signer: a.iam.SignerSecret}
	quotas.Count("bucket", a.buckets.Len)
	a.audit = newAuditLog(a.store, a.iam, a.operations)
	if err := a.store.Err(); err != nil {
		return nil, err
	}
	if err := a.networking.SecurityGroups.AddDefault(); err != nil {
		return nil, err
	}
	a.mux = a.newMux()
	a.compute.Resume()
	a.store.Start()
	return a, nil
}

// Close ends the API's goroutines. Afterwards nothing changes state any more.
func (a *API) Close() { a.store.Close() }

func (a *API) notifyChanged() {
	a.firewall.Store(nil)
	select {
	case a.changed <- struct{}{}:
	default: // a notification is pending already
	}
}
