package install

import (
	"context"
	"net/netip"
	"time"

	"exoshift/provisioner/install/access"
	"exoshift/provisioner/install/generation"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/nodeimage"
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

// Templates are the images that machines boot from.
type Templates interface {
	// FindPublicTemplate returns the newest public template of that name.
	FindPublicTemplate(ctx context.Context, name string) (state.Template, error)
}

// Attachments connect elastic IPs with machines.
type Attachments interface {
	EnsureAttached(ctx context.Context, elasticIPID, instanceID string) (state.Action, error)
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
	TemporaryRules
	AntiAffinityGroups
	Attachments
	Templates
	Instances
	network.Cloud
	access.Cloud
	nodeimage.Cloud
}

// Objects is the object storage.
type Objects interface {
	// ListBuckets returns the buckets of the organization.
	ListBuckets(ctx context.Context) ([]state.Object, error)
	// GetBucketUse returns the state of a bucket's name.
	GetBucketUse(ctx context.Context, bucket string) (state.BucketUse, error)
	access.Objects
	nodeimage.Objects
	// EnsureObject uploads content unless the bucket has the same content already.
	EnsureObject(ctx context.Context, bucket, key string, content []byte) (state.Action, error)
	// CheckPrivate fails with fault.Conflict if anybody may read the object without a signature.
	CheckPrivate(ctx context.Context, bucket, key string) error
}

// Installer is openshift-install of one version.
type Installer interface {
	generation.Installer
	nodeimage.Finder
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
