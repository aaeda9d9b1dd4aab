package install

import (
	"context"
	"io"
	"net/netip"
	"time"

	"exoshift/state"
)

// These interfaces are the clients that the recipe needs, each as small as possible. Every Ensure method searches by name
// and label first: one object of that name is used (and awaited until it is ready), with none it is created, several are
// a fault.Conflict. The action is the outcome. Every Delete method accepts an object that is gone already and then
// reports state.Found.

// Reachability checks the connectivity that the installation needs; it only reads.
type Reachability interface {
	// Check runs all checks and returns those that the operator excluded. It fails with fault.Conflict if a required
	// service cannot be reached; seen is called with one line for each problem.
	Check(ctx context.Context, seen func(text string)) ([]state.SkippedCheck, error)
}

// Account reads the organization and the zone.
type Account interface {
	// CheckCredentials fails with fault.Denied for credentials that the API refuses and with fault.Invalid for an
	// unknown zone.
	CheckCredentials(ctx context.Context) error
	ListQuotas(ctx context.Context) ([]state.Quota, error)
	ListInstanceTypes(ctx context.Context) ([]state.InstanceType, error)
	// GetServerTime returns the time of the API server.
	GetServerTime(ctx context.Context) (time.Time, error)
	// ListObjects returns everything that the organization has. Kinds that the API key may not list are missing, and the
	// error joins a fault.Denied for each of them.
	ListObjects(ctx context.Context) ([]state.Object, error)
	// FindDeployTarget returns the ID of dedicated hypervisors, or fault.NotFound.
	FindDeployTarget(ctx context.Context, name string) (id string, err error)
}

// SSHKeys registers public keys.
type SSHKeys interface {
	EnsureSSHKey(ctx context.Context, name, publicKey string) (state.Action, error)
}

// SecurityGroups manages security groups. Ensuring a group also adds the rules that are missing (state.Updated); a rule
// that refers to a group needs that group to exist.
type SecurityGroups interface {
	EnsureSecurityGroup(ctx context.Context, group state.SecurityGroup) (id string, action state.Action, err error)
	// ListMissingRules returns the rules of group that the zone does not have now.
	ListMissingRules(ctx context.Context, group state.SecurityGroup) ([]state.Rule, error)
}

// TemporaryRules opens a security group temporarily.
type TemporaryRules interface {
	// DeleteRules deletes the rules of the security group of that name for which useless returns true; a group that does
	// not exist has none.
	DeleteRules(ctx context.Context, group string, useless func(state.Rule) bool) (state.Action, error)
}

// AntiAffinityGroups keeps machines on different hypervisors.
type AntiAffinityGroups interface {
	EnsureAntiAffinityGroup(ctx context.Context, name, description string) (id string, action state.Action, err error)
}

// ElasticIPs are addresses that persist when machines are deleted.
type ElasticIPs interface {
	EnsureElasticIP(ctx context.Context, ip state.ElasticIP) (state.ElasticIP, state.Action, error)
	EnsureAttached(ctx context.Context, elasticIPID, instanceID string) (state.Action, error)
}

// Access creates API keys with restricted roles.
type Access interface {
	EnsureRole(ctx context.Context, role state.IAMRole) (state.IAMRole, state.Action, error)
	// EnsureAPIKey creates a key and passes it to keep, with its secret, before it is recorded in the journal: the API
	// returns a secret once. A key whose secret was lost is replaced; a foreign one is a fault.Conflict.
	EnsureAPIKey(ctx context.Context, key state.APIKey, keep func(state.APIKey) error) (state.Action, error)
}

// DNS manages the cluster's zone.
type DNS interface {
	EnsureZone(ctx context.Context, name string) (state.Zone, state.Action, error)
	// EnsureRecord makes record the only one of its name, type and content; others of the same name are kept.
	EnsureRecord(ctx context.Context, zoneID string, record state.Record) (state.Action, error)
	// DeleteRecords deletes the records of a name and type for whose content useless returns true.
	DeleteRecords(ctx context.Context, zoneID, name, kind string, useless func(content string) bool) (state.Action, error)
}

// Templates are the images that machines boot from.
type Templates interface {
	// FindPublicTemplate returns the newest public template of that name.
	FindPublicTemplate(ctx context.Context, name string) (state.Template, error)
	// FindTemplate returns our own template of that name, of several equal ones the oldest, fault.NotFound, or
	// fault.Conflict if there are several different ones.
	FindTemplate(ctx context.Context, name string) (state.Template, error)
	// RegisterTemplate registers a template and waits until it is usable.
	RegisterTemplate(ctx context.Context, template state.Template) (state.Template, error)
}

// Instances manages the machines, identified by name and the label "exoshift-cluster".
type Instances interface {
	// EnsureInstances creates the missing machines and waits until each of them runs and has its address; told is called
	// once for each, one at a time.
	EnsureInstances(ctx context.Context, wanted []state.Instance, told func(state.Instance, state.Action)) error
	// ListInstances returns the machines that have all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	// DescribeInstances returns them with their disks, anti-affinity groups and user data, by a request for each.
	DescribeInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	DeleteInstance(ctx context.Context, id string) (state.Action, error)
}

// Cloud is the part of Exoscale's API that the recipe uses.
type Cloud interface {
	Account
	SSHKeys
	SecurityGroups
	TemporaryRules
	AntiAffinityGroups
	ElasticIPs
	Access
	DNS
	Templates
	Instances
}

// Objects is the object storage.
type Objects interface {
	// ListBuckets returns the buckets of the organization.
	ListBuckets(ctx context.Context) ([]state.Object, error)
	// GetBucketUse returns the state of a bucket's name.
	GetBucketUse(ctx context.Context, bucket string) (state.BucketUse, error)
	// EnsureBucket creates a private bucket with the cluster's owner mark; one with the mark of another cluster is a
	// fault.Conflict.
	EnsureBucket(ctx context.Context, bucket string) (state.Action, error)
	// EnsureObject uploads content unless the bucket has the same content already.
	EnsureObject(ctx context.Context, bucket, key string, content []byte) (state.Action, error)
	// Upload streams content of unknown size.
	Upload(ctx context.Context, bucket, key string, content io.Reader) error
	// CheckPrivate fails with fault.Conflict if anybody may read the object without a signature.
	CheckPrivate(ctx context.Context, bucket, key string) error
	// SignGetURL returns a link by which anybody can read the object until it expires.
	SignGetURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error)
	// DeleteBucket deletes a bucket with all its objects, unless it has the mark of another cluster.
	DeleteBucket(ctx context.Context, bucket string) (state.Action, error)
}

// Resolver queries name servers directly, without caches: a query that is too early would leave a negative answer in the
// caches.
type Resolver interface {
	// LookupNameServers returns the zone above a domain, and the name servers in this zone's NS records of the domain:
	// sorted, none if it is not delegated.
	LookupNameServers(ctx context.Context, domain string) (parent string, servers []string, err error)
	// QueryAddresses returns the addresses of a name by one name server.
	QueryAddresses(ctx context.Context, server, name string) ([]netip.Addr, error)
}

// Installer is openshift-install of one version.
type Installer interface {
	// Fetch prepares the program of a release: that of the version which an earlier run recorded, or with "" that of the
	// version or channel in the answers. progress is called during the download.
	Fetch(ctx context.Context, noted string, progress func(text string)) (state.Release, error)
	// FindBootImage returns the image that this version expects its machines to boot from.
	FindBootImage(ctx context.Context) (state.BootImage, error)
	// Try runs the program on its input and discards the output. It fails with fault.Invalid for what Generate would
	// refuse.
	Try(ctx context.Context, dir string, wanted state.Generation) error
	// Generate writes manifests and Ignition documents into dir, unless dir holds a finished generation already; it reads
	// what is there. said is called with each line of the program's output.
	Generate(ctx context.Context, dir string, wanted state.Generation, said func(line string)) (state.Ignition, error)
	// Strip removes from a generation the files that only the bootstrap machine needs.
	Strip(dir string) error
}

// Image opens a boot image for reading: downloaded, verified against its checksum at the end of the stream, decompressed.
type Image interface {
	// progress is called during the download.
	OpenImage(ctx context.Context, image state.BootImage, progress func(text string)) (io.ReadCloser, error)
}

// Cluster is the OpenShift cluster during its installation. Errors of an API that does not answer (yet) are
// fault.Transient.
type Cluster interface {
	// Poll reads the whole state: bootstrap is the address of the bootstrap machine, if there is one; expected are the
	// nodes that may get certificates. The snapshot is valid, as far as it goes, beside an error.
	Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error)
	// Approve approves those pending requests of the last snapshot that may be approved and have not changed since.
	Approve(ctx context.Context) ([]state.CSRDecision, error)
	// EnsureRegistryAccess gives the image registry the key of its bucket, as early as the API allows; fault.Transient
	// before that.
	EnsureRegistryAccess(ctx context.Context, bucket state.Bucket, key state.APIKey) (state.Action, error)
	// LabelNode adds the labels and taints that are missing.
	LabelNode(ctx context.Context, name string, labels map[string]string, taints []state.Taint) (state.Action, error)
	// EnsureIngressPlacement schedules the routers of the default ingress controller on the nodes with that label.
	EnsureIngressPlacement(ctx context.Context, nodeLabel string, replicas int, proxyProtocol bool) (state.Action, error)
	// GetConsoleURL returns the address of the web console, or "" if there is none.
	GetConsoleURL(ctx context.Context) (string, error)
	// Dump passes the state of the cluster to write, a file for each kind of objects and never a Secret. An error does
	// not prevent the other files.
	Dump(ctx context.Context, write func(name string, content []byte) error) error
}

// BootstrapHost reads the state of the bootstrap machine, by SSH and by its journal's gateway.
type BootstrapHost interface {
	// DiscoverAddress returns the source address of this workstation as the load balancer at that address sees it:
	// fault.NotFound if it does not report one, fault.Transient if it does not answer (yet).
	DiscoverAddress(ctx context.Context, balancer string) (netip.Addr, error)
	// Collect returns the records of the services, and the journal's lines since the last call. It does not block: it
	// starts a collection from time to time, and returns its result once it has ended, nothing until then. Partial
	// results are returned beside an error.
	Collect(ctx context.Context, bootstrap netip.Addr) (state.BootstrapHost, error)
}
