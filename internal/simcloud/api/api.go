package api

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"exoshift/internal/network"
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
	// Quotas overrides limits by resource, e.g. {"instance": 5}.
	Quotas map[string]int
	// Now is the clock against which a client's signatures are verified; nil is the wall clock.
	Now func(asker netip.Addr) time.Time
	// Latency is added to each response, in wall-clock time.
	Latency time.Duration
	// Buckets returns the organization's buckets from the object storage; nil: there are none.
	Buckets func() []Bucket
	// Link returns a presigned link to an object; nil: there are none.
	Link func(key, secret, bucket, object string) string
}

// API is the Exoscale API of all zones, with the machines of one. It is safe for concurrent use.
type API struct {
	config Config
	mux    *http.ServeMux
	limits map[string]int
	types  []wireType
	typeOf map[string]wireType // by ID
	// shows holds the GET handler of a single resource, by noun; operations holds the operations' names in policies.
	shows      map[string]handler
	operations map[string]string

	mu              sync.Mutex // guards everything below, and the order of changes in the store
	tables          tables
	sequence        *store.Table[int]
	scheduler       scheduler
	instanceCache   instanceCache
	decodedUserData map[string]decodedUserData // user data, by instance
	waiting         []string                   // operations that are due except for their template
	policies        policies                   // compiled, by source
	mutations       int

	calls      atomic.Int64
	firewall   atomic.Pointer[firewall] // nil after a change
	changed    chan struct{}
	wake       chan struct{}
	background func(func(context.Context)) // starts a goroutine that ends with the API rather than with a request
	cancel     context.CancelFunc
	running    sync.WaitGroup
}

type tables struct {
	operations     resourceTable[operation]
	keys           resourceTable[sshKey]
	groups         resourceTable[securityGroup]
	antiAffinity   resourceTable[antiAffinityGroup]
	instances      resourceTable[instance]
	templates      resourceTable[template]
	elasticIPs     resourceTable[elasticIP]
	networks       resourceTable[privateNetwork]
	domains        resourceTable[domain]
	records        resourceTable[record]
	roles          resourceTable[role]
	apiKeys        resourceTable[apiKey]
	reverseRecords resourceTable[reverseRecord]
	organization   resourceTable[organizationPolicy]
	pools          resourceTable[pool]
	balancers      resourceTable[balancer]
	services       resourceTable[service]
	volumes        resourceTable[volume]
	volumeCopies   resourceTable[volumeCopy]
	snapshots      resourceTable[snapshot]
	events         resourceTable[event]
}

// New returns an API over the state in config.DB; Close ends it.
func New(config Config) (*API, error) {
	a := &API{
		config:          config,
		limits:          mergeLimits(config.Quotas),
		types:           buildInstanceTypes(),
		typeOf:          indexByID(buildInstanceTypes()),
		shows:           map[string]handler{},
		decodedUserData: map[string]decodedUserData{},
		operations:      buildOperationNames(),
		changed:         make(chan struct{}, 1),
		wake:            make(chan struct{}, 1),
	}
	if err := a.load(config.DB); err != nil {
		return nil, err
	}
	if err := a.addDefaultGroup(); err != nil {
		return nil, err
	}
	a.mux = a.newMux()
	ctx, cancel := context.WithCancel(context.Background())
	a.cancel = cancel
	a.background = func(do func(context.Context)) { a.running.Go(func() { do(ctx) }) }
	a.resume()
	return a, nil
}

// Close ends the API's goroutines. Afterwards nothing changes state any more.
func (a *API) Close() {
	a.cancel()
	a.running.Wait()
}

func (a *API) load(db *store.DB) (err error) {
	l := loader{db: db}
	a.tables = tables{
		operations:     open[operation](&l, "operation"),
		keys:           open[sshKey](&l, "ssh-key"),
		groups:         open[securityGroup](&l, "security-group"),
		antiAffinity:   open[antiAffinityGroup](&l, "anti-affinity-group"),
		instances:      open[instance](&l, "instance"),
		templates:      open[template](&l, "template"),
		elasticIPs:     open[elasticIP](&l, "elastic-ip"),
		networks:       open[privateNetwork](&l, "private-network"),
		domains:        open[domain](&l, "dns-domain"),
		records:        open[record](&l, "dns-domain-record"),
		roles:          open[role](&l, "iam-role"),
		apiKeys:        open[apiKey](&l, "api-key"),
		reverseRecords: open[reverseRecord](&l, "reverse-dns"),
		organization:   open[organizationPolicy](&l, "iam-organization-policy"),
		pools:          open[pool](&l, "instance-pool"),
		balancers:      open[balancer](&l, "load-balancer"),
		services:       open[service](&l, "load-balancer-service"),
		volumes:        open[volume](&l, "block-storage"),
		volumeCopies:   open[volumeCopy](&l, "block-storage-snapshot"),
		snapshots:      open[snapshot](&l, "snapshot"),
		events:         open[event](&l, "event"),
	}
	if l.err != nil {
		return l.err
	}
	a.sequence, err = store.Load[int](db, "api/sequence")
	return err
}

func (a *API) notifyChanged() {
	a.firewall.Store(nil)
	notify(a.changed)
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // a notification is pending already
	}
}
