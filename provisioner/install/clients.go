package install

import (
	"context"
	"io"
	"net/netip"
	"time"

	"exoshift/state"
)

// The recipe names here what it needs of the world, each as small as it can be. Every Ensure looks by name and label
// first: one of that name is used (and waited for until it is ready), none is created, several end in a
// fault.Conflict. The action tells which it was. Every Delete is content with an object that is gone already and
// then reports state.Found.

// Reachability finds out what cannot be reached that the installation needs; it only reads.
type Reachability interface {
	// Check probes everything and returns what somebody decided to skip. It fails with fault.Conflict if something
	// cannot be reached that has to be; seen hears one line of each that is not as it should be.
	Check(ctx context.Context, seen func(text string)) ([]state.SkippedCheck, error)
}

// Account looks at the organization and the zone; it only reads.
type Account interface {
	// CheckCredentials fails with fault.Denied for credentials that the API refuses and with fault.Invalid for an
	// unknown zone.
	CheckCredentials(ctx context.Context) error
	ListQuotas(ctx context.Context) ([]state.Quota, error)
	ListInstanceTypes(ctx context.Context) ([]state.InstanceType, error)
	// GetServerTime returns what the API's clock shows.
	GetServerTime(ctx context.Context) (time.Time, error)
	// Objects returns everything that the organization has. What the API key may not list is missing, and the error
	// joins a fault.Denied for each such kind.
	ListObjects(ctx context.Context) ([]state.Object, error)
	// FindDeployTarget returns the ID of dedicated hypervisors, or fault.NotFound.
	FindDeployTarget(ctx context.Context, name string) (id string, err error)
}

// SSHKeys registers public keys.
type SSHKeys interface {
	EnsureSSHKey(ctx context.Context, name, publicKey string) (state.Action, error)
}

// SecurityGroups decide who reaches whom. Ensuring a group also adds the rules that are missing (state.Updated); a
// rule that refers to a group needs that group to exist.
type SecurityGroups interface {
	EnsureSecurityGroup(ctx context.Context, group state.SecurityGroup) (id string, action state.Action, err error)
	// ListMissingRules returns the rules of group that the zone does not have now.
	ListMissingRules(ctx context.Context, group state.SecurityGroup) ([]state.Rule, error)
}

// TemporaryRules open a security group for as long as somebody looks inside.
type TemporaryRules interface {
	// DeleteRules deletes the rules of the security group of that name which useless names; a group that does not exist
	// has none.
	DeleteRules(ctx context.Context, group string, useless func(state.Rule) bool) (state.Action, error)
}

// AntiAffinityGroups keep machines on different hypervisors.
type AntiAffinityGroups interface {
	EnsureAntiAffinityGroup(ctx context.Context, name, description string) (id string, action state.Action, err error)
}

// ElasticIPs are addresses that outlive machines.
type ElasticIPs interface {
	EnsureElasticIP(ctx context.Context, ip state.ElasticIP) (state.ElasticIP, state.Action, error)
	EnsureAttached(ctx context.Context, elasticIPID, instanceID string) (state.Action, error)
}

// Access makes API keys that may do one thing only.
type Access interface {
	EnsureRole(ctx context.Context, role state.IAMRole) (state.IAMRole, state.Action, error)
	// EnsureAPIKey makes a key and hands it to keep, with its secret, before the journal calls it done: Exoscale tells a
	// secret once. A key whose secret was lost on the way is replaced; one that somebody else made is a fault.Conflict.
	EnsureAPIKey(ctx context.Context, key state.APIKey, keep func(state.APIKey) error) (state.Action, error)
}

// DNS serves the cluster's zone.
type DNS interface {
	EnsureZone(ctx context.Context, name string) (state.Zone, state.Action, error)
	// EnsureRecord makes record the only one of its name, type and content; others of the same name stay.
	EnsureRecord(ctx context.Context, zoneID string, record state.Record) (state.Action, error)
	// DeleteRecords deletes the records of a name and type whose content is of no use any more.
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

// Instances are the machines, told apart by name and the label "exoshift-cluster".
type Instances interface {
	// EnsureInstances makes those machines that are missing and waits until each of them runs and has its address; it
	// tells of each once, one at a time.
	EnsureInstances(ctx context.Context, wanted []state.Instance, told func(state.Instance, state.Action)) error
	// Instances returns the machines that carry all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	// DescribeInstances returns them with their disks, anti-affinity groups and user data, by a request for each.
	DescribeInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	DeleteInstance(ctx context.Context, id string) (state.Action, error)
}

// Cloud is all of Exoscale that the recipe uses.
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
	// Buckets returns the buckets of the organization.
	ListBuckets(ctx context.Context) ([]state.Object, error)
	// GetBucketUse returns what there is to know about the name of a bucket.
	GetBucketUse(ctx context.Context, bucket string) (state.BucketUse, error)
	// EnsureBucket makes a private bucket and marks it as the cluster's; one that is marked as another cluster's is a
	// fault.Conflict.
	EnsureBucket(ctx context.Context, bucket string) (state.Action, error)
	// EnsureObject uploads content unless the bucket already holds exactly that.
	EnsureObject(ctx context.Context, bucket, key string, content []byte) (state.Action, error)
	// Upload streams content of unknown size.
	Upload(ctx context.Context, bucket, key string, content io.Reader) error
	// CheckPrivate fails with fault.Conflict if anybody may read the object without a signature.
	CheckPrivate(ctx context.Context, bucket, key string) error
	// SignGetURL returns a link that anybody may read the object with until it expires.
	SignGetURL(ctx context.Context, bucket, key string, valid time.Duration) (string, error)
	// DeleteBucket deletes a bucket with all that is in it, unless it is marked as another cluster's.
	DeleteBucket(ctx context.Context, bucket string) (state.Action, error)
}

// Resolver asks name servers themselves, past every cache: a question that comes too early would leave the answer that
// there is no such name in the caches between here and there.
type Resolver interface {
	// LookupNameServers returns the zone above a domain, and the name servers that this zone's own servers name for the
	// domain: sorted, none if it is not delegated.
	LookupNameServers(ctx context.Context, domain string) (parent string, servers []string, err error)
	// Addresses returns what one name server says about a name.
	QueryAddresses(ctx context.Context, server, name string) ([]netip.Addr, error)
}

// Installer is openshift-install of one version.
type Installer interface {
	// Fetch makes the program of a release ready to run: that of the version which an earlier run noted, or with ""
	// that of the version or channel in the answers. progress hears how far a download is.
	Fetch(ctx context.Context, noted string, progress func(text string)) (state.Release, error)
	// FindBootImage returns the image that this version wants its machines to boot from.
	FindBootImage(ctx context.Context) (state.BootImage, error)
	// Try has the program read what it would generate from; nothing stays of it. It fails with fault.Invalid for what
	// Generate would refuse.
	Try(ctx context.Context, dir string, wanted state.Generation) error
	// Generate writes manifests and Ignition documents into dir, unless dir holds a finished generation already; it
	// reads what is there. said hears what the program says.
	Generate(ctx context.Context, dir string, wanted state.Generation, said func(line string)) (state.Ignition, error)
	// Strip removes from a generation what only the bootstrap machine needs.
	Strip(dir string) error
}

// Image opens a boot image for reading: downloaded, verified against its checksum at the end of the stream, unpacked.
type Image interface {
	// progress hears how far the download is.
	OpenImage(ctx context.Context, image state.BootImage, progress func(text string)) (io.ReadCloser, error)
}

// Cluster is the OpenShift cluster that comes alive. Errors of an API that does not answer (yet) are
// fault.Transient.
type Cluster interface {
	// Observe takes one look at everything: bootstrap is the address of the bootstrap machine, if there is one; expected
	// are the nodes that may get certificates. The observation is valid, as far as it goes, beside an error.
	Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error)
	// Approve approves those pending requests of the last observation that may be approved and have not changed since.
	Approve(ctx context.Context) ([]state.CSRDecision, error)
	// EnsureRegistryAccess gives the image registry the key of its bucket, as early as the API allows; fault.Transient
	// before that.
	EnsureRegistryAccess(ctx context.Context, bucket state.Bucket, key state.APIKey) (state.Action, error)
	// LabelNode adds the labels and taints that are missing.
	LabelNode(ctx context.Context, name string, labels map[string]string, taints []state.Taint) (state.Action, error)
	// EnsureIngressPlacement moves the routers of the default ingress controller to the nodes with that label.
	EnsureIngressPlacement(ctx context.Context, nodeLabel string, replicas int, proxyProtocol bool) (state.Action, error)
	// GetConsoleURL returns the address of the web console, or "" if there is none.
	GetConsoleURL(ctx context.Context) (string, error)
	// Dump hands the state of the cluster to write, a file for each kind of objects and never a Secret. What could not be
	// had does not keep the rest back.
	Dump(ctx context.Context, write func(name string, content []byte) error) error
}

// BootstrapHost looks inside the bootstrap machine, by SSH and by its journal's gateway.
type BootstrapHost interface {
	// DiscoverAddress returns the address that this machine is seen by at the load balancer with that address: fault.NotFound
	// if it does not tell, fault.Transient if it does not answer (yet).
	DiscoverAddress(ctx context.Context, balancer string) (netip.Addr, error)
	// Collect returns what the services have recorded, and the lines that were journaled since the last look. It does
	// not wait: it begins a look from time to time, and returns what that found once it is over, nothing until then.
	// What could be had is returned beside an error.
	Collect(ctx context.Context, bootstrap netip.Addr) (state.BootstrapHost, error)
}
