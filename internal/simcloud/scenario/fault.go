// Package scenario holds the scenarios of the simulated zone, each with what it injects. It is data: each part of a Fault is
// implemented by the part of the zone that is given it, and none knows the name of a scenario.
package scenario

import (
	"net/netip"
	"reflect"
	"time"
)

// Fault is what is injected into a zone. The zero Fault injects nothing, as does the zero value of each part.
type Fault struct {
	API        API
	Delegation Delegation
	// Objects are changes of the zone's objects.
	Objects []ObjectChange
	// SilentMachines are prefixes of the names of machines that never boot, e.g. "master-2."; a name is followed by a dot. Only the
	// first machine of a name is affected, not its replacement.
	SilentMachines []string
	// WithoutPackages are such prefixes of the names of machines that cannot install packages when they boot.
	WithoutPackages []string
	// WithoutCloudInit are such prefixes of the names of machines on which cloud-init fails before it reads their user data.
	WithoutCloudInit []string
	Network          Network
	Cluster          Cluster
	Lieutenant       Lieutenant
	Compilation      Compilation
}

// Compose returns a fault that injects all of these. Where two differ in a number or an address, the later one counts.
func Compose(faults ...Fault) Fault {
	var composed Fault
	for _, fault := range faults {
		merge(reflect.ValueOf(&composed).Elem(), reflect.ValueOf(fault))
	}
	return composed
}

func merge(into, from reflect.Value) {
	switch {
	case from.IsZero():
	case from.Kind() == reflect.Struct && from.Type().PkgPath() == reflect.TypeFor[Fault]().PkgPath():
		for i := range from.NumField() {
			merge(into.Field(i), from.Field(i))
		}
	case from.Kind() == reflect.Slice:
		into.Set(reflect.AppendSlice(into.Slice3(0, into.Len(), into.Len()), from))
	case from.Kind() == reflect.Map && !into.IsNil():
		joined := reflect.MakeMap(from.Type())
		for _, m := range []reflect.Value{into, from} {
			for key, value := range m.Seq2() {
				joined.SetMapIndex(key, value)
			}
		}
		into.Set(joined)
	default:
		into.Set(from)
	}
}

// API is what is injected into the API.
type API struct {
	RefuseCredentials bool
	// NoDNSPlan: the organization has no plan for DNS zones.
	NoDNSPlan bool
	// NoBlockStorage: the zone has no block storage, and refuses even lists of it.
	NoBlockStorage bool
	// UnconditionalStorage: the object storage ignores the conditions of writes.
	UnconditionalStorage bool
	// DamagedObjects is a pattern, as of path.Match, of the keys of objects in the storage of which a byte is another one when they are read;
	// "" damages none.
	DamagedObjects string
	// TerseTemplates: the organization's templates are returned without what few clients need, such as their build.
	TerseTemplates bool
	// Quotas are limits by resource, e.g. {"instance": 5}.
	Quotas map[string]int
	// ElasticIPs is the range of elastic IPs.
	ElasticIPs netip.Prefix
	// SourceRewritten: connections through a managed elastic IP come from an address of the platform.
	SourceRewritten bool
	// RetryAfter: the first call of every mutation is rejected with 429 and this Retry-After, in whole seconds; 0 rejects none.
	RetryAfter time.Duration
	// Away: the API answers 503 to everything for this long, once in the life of a zone, when the machine after AwayMachines is
	// requested; 0 is never.
	Away         time.Duration
	AwayMachines int
	// EvictsAnother: an instance pool that is asked to evict a member destroys another one, once in the life of a process.
	EvictsAnother bool
	// RevokesReplaced: once in the life of a process, an API key is revoked when another one of its name is created.
	RevokesReplaced bool
	// HoldersReach: machines are reached by the elastic IPs that they hold themselves.
	HoldersReach bool
}

// Delegation is what those do wrong who delegate a new DNS zone.
type Delegation struct {
	// Delay after the zone's creation; 0 is the usual one.
	Delay time.Duration
	Never bool
	// Misspelled: one of the zone's name servers is replaced by one that does not exist.
	Misspelled bool
}

// ObjectChange is a change of the zone's objects by another operator. It happens once in the life of a zone, so that it can be
// repaired.
type ObjectChange struct {
	Machine string   // prefix of the name of the machine whose creation triggers it
	Rules   Rules    // are removed
	Records []string // patterns, as of path.Match, of the names of records that are removed; names are relative to their zone
	Keys    string   // API keys whose names contain this are revoked; "" revokes none
	Image   string   // the release whose image replaces those that are registered; "" replaces none
	// Moved are patterns, as of path.Match, of the names of address records that lead to a foreign address from then on.
	Moved []string
	// Stopped is the prefix of the names of machines that are stopped at the next change of the zone five minutes after their
	// creation; "" stops none.
	Stopped string
	// Detached: elastic IPs are detached from all machines.
	Detached bool
}

// Rules are the rules for a port in the security groups whose names end with Group.
type Rules struct {
	Group string
	Port  int
}

// Network is what is injected between hosts, for any service.
type Network struct {
	Blocked     []Traffic // is lost
	Intercepted []Traffic // is opened by an interceptor, if it is TLS
	// MissingNames are names without any record.
	MissingNames []string
	// Records are the operator's resolver's own records.
	Records map[string]netip.Addr
	// Proxy: the operator's machine reaches nothing except a proxy that requires an account.
	Proxy bool
	// Portal: a captive portal answers the operator in the place of all web servers.
	Portal bool
	// ClockOffset is the servers' clocks minus the operator's.
	ClockOffset time.Duration
	// RegistryDelay is the delay of each response of a registry: by the zone's clock for its machines, by the wall clock for the
	// operator.
	RegistryDelay time.Duration
	// PartUpload is how long the operator's machine takes, by the zone's clock, to upload a part of an object: simulated images are
	// small, and have one.
	PartUpload time.Duration
}

// Traffic is from some hosts to hosts of the internet.
type Traffic struct {
	From Source
	To   []string // patterns, as of path.Match, of names; nil is any host
}

// Source is where traffic comes from.
type Source int

// The sources of traffic.
const (
	Anyone Source = iota
	Operator
	Machines
)

// Lieutenant is what is injected into Lieutenant.
type Lieutenant struct {
	// TokenLife is the validity of a bootstrap token; 0 is the default.
	TokenLife time.Duration
	// UsedAfter is how long after its creation the bootstrap token of a cluster is used by somebody else; 0 is never.
	UsedAfter time.Duration
	// DeletesSecrets is the deletion policy Delete of the operator: the metadata of a deleted cluster's secrets go, too.
	DeletesSecrets bool
	// NoStatus is a role of people without the permission to update the status of clusters.
	NoStatus bool
	// NoProtocol is a proxy in front of the API that does not forward the protocol: install URLs begin with http.
	NoProtocol bool
	// KeepsTokens is an API that cannot mark a bootstrap token as used.
	KeepsTokens bool
}

// Compilation is what is injected into the compilation of a catalog.
type Compilation struct {
	FactMissing    bool // the configuration of all tenants also requires the fact service_level
	CompileFailure bool // a component does not compile
	SecretMissing  bool // the catalog refers to a secret that does not exist
}

// Cluster is what a scenario injects into the machines, networks and programs of clusters. The zero Cluster injects nothing.
type Cluster struct {
	// Slowness is a factor on every duration on the machines; 0 means 1.
	Slowness int
	// SlowDisks: the disks of masters are too slow for etcd.
	SlowDisks bool
	// MemberBreaks: the last master loses its etcd's data when the bootstrap is complete.
	MemberBreaks bool
	// MemberFails: the disk of the last master fails when another master is cordoned, once in the life of the cluster.
	MemberFails bool
	// QuorumLost: the disks of all masters but the first fail half an hour after the installation.
	// The machines run on, without a member of etcd.
	QuorumLost bool
	// LeftoverData: the disk of the last master whose member is added holds the data of another cluster's etcd.
	LeftoverData bool
	// SmallNodes have too little memory for the monitoring.
	SmallNodes bool
	// ExpiredCertificates: the API servers serve certificates that expired an hour ago.
	ExpiredCertificates bool
	// ForeignAuthority: the API servers serve certificates that another cluster's authority signed.
	ForeignAuthority bool
	// WorkersUnserved: the rendered configuration of the workers is never stored.
	WorkersUnserved bool
	// GreedyRequests: nodes that are no masters request certificates of administrators.
	GreedyRequests bool
	// LostCertificates: worker-0 loses its first certificate, four times.
	LostCertificates bool
	// BriefCertificates: the certificates of nodes are valid for two hours, so those of a cluster that is off for longer end.
	BriefCertificates bool
	// BlankHostnames: the machine configuration of nodes that are no masters clears their host names.
	BlankHostnames bool
	// MixedConfigs: the bootstrap machine serves masters a configuration that the cluster does not have.
	MixedConfigs bool
	// SecondInterface: the second master has a second interface, whose address its kubelet prefers.
	SecondInterface bool
	// SlowArgo: the operator of Argo CD is in a deadlock until Steward restarts it.
	SlowArgo bool
	// UnexpectedAlert: a Job fails, which fires an alert that is not expected on a new cluster.
	UnexpectedAlert bool
	// StrictBudget: once the workers are ready, an application has a replica on each worker, and a disruption budget that permits the
	// eviction of none.
	StrictBudget bool
	// SlowRouters: routers that are placed while a node is cordoned take half an hour to start, and no disruption budget keeps the others.
	SlowRouters bool
	// LaggingConfigs: nodes that join after the installation have an earlier machine configuration than their pool for a while.
	LaggingConfigs bool
	// FailingOSD: the storage nodes have Ceph, and when data is first moved away from an OSD, another one is down for a while.
	FailingOSD bool
	// UnknownSetting: when the first update begins, the monitoring has a setting that the new release refuses.
	UnknownSetting bool
	// HungDaemon: the machine config daemon of worker-0 hangs in its first update, until its pod is deleted.
	HungDaemon bool
	// RoutersOnMasters: the ingress controller is changed, once, to place the routers on the masters.
	RoutersOnMasters bool
}

// ScaleDuration returns how long something takes that usually takes d.
func (c Cluster) ScaleDuration(d time.Duration) time.Duration {
	return d * time.Duration(max(1, c.Slowness))
}
