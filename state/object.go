package state

import "time"

// Kinds of objects in the cloud, as events, the journal and inventories call them.
const (
	KindSSHKey            = "ssh-key"
	KindSecurityGroup     = "security-group"
	KindAntiAffinityGroup = "anti-affinity-group"
	KindElasticIP         = "elastic-ip"
	KindZone              = "dns-zone"
	KindRecord            = "dns-record"
	KindTemplate          = "template"
	KindInstance          = "instance"
	KindInstancePool      = "instance-pool"
	KindLoadBalancer      = "load-balancer" // Exoscale's own, made by the cluster for its services
	KindVolume            = "block-volume"
	KindVolumeSnapshot    = "block-snapshot"
	KindSnapshot          = "snapshot"
	KindPrivateNetwork    = "private-network"
	KindRole              = "iam-role"
	KindAPIKey            = "api-key"
	KindBucket            = "bucket"
)

// Object is anything that exists in the cloud, as far as finding and deleting it needs.
type Object struct {
	Kind   string
	Name   string
	ID     string // for an SSH key, an API key's name and a bucket: what the API calls it by
	Labels map[string]string
	Uses   []string // IDs of the objects that it is attached to, made of, made for or part of
	Type   string   // of an instance: <family>.<size>
	GiB    int      // of a disk, an image or a volume; 0 for instances, whose disks lists do not tell
	Detail string   // what a person tells it by: an address, a type and a size

	Created time.Time // as the cloud tells it; zero for kinds of which it does not
}

// Claim is a cluster's word that it made an object of the cloud. Anybody who may write to the cluster can write one, so
// that it says what the cloud has to show if it is true.
type Claim struct {
	Kind, ID string
	By       string    // what claims it, for people: a service, a persistent volume
	Name     string    // that the controller gives to what it makes for this very UID; "" if nothing of that UID is there
	Since    time.Time // when the API server made what has the UID: the object in the cloud is younger
}

// BucketUse is what there is to know about the name of a bucket before it is used.
type BucketUse struct {
	Taken  bool   // another customer has it; all else is then unknown
	Exists bool   // the organization has it
	Owner  string // the cluster that it is marked as the property of; "" if it has no mark
	Empty  bool   // but for marks
}

// BucketBackups is the purpose of the bucket that outlives its cluster unless told otherwise.
const BucketBackups = "cluster-backup"

// ListPersistentBuckets are the purposes of the buckets that a cluster has as long as it lives: logs, images and backups.
func ListPersistentBuckets() []string { return []string{"logstore", "image-registry", BucketBackups} }

// ListTemporaryBuckets are the purposes of those that only the installation needs.
func ListTemporaryBuckets() []string { return []string{"image", "bootstrap"} }

// Labels by which the objects of a cluster are told from others.
const (
	LabelCluster   = "exoshift-cluster"   // the cluster's ID
	LabelRole      = "exoshift-role"      // a machine's role
	LabelName      = "exoshift-name"      // an elastic IP has no other name
	LabelRootCA    = "exoshift-root-ca"   // a node: how RootCAHash of the certificates begins that it was given
	LabelProtected = "exoshift-protected" // "true": a machine that cannot be deleted; the API does not tell
	LabelCheck     = "exoshift-check"     // a machine that looks at the network for a moment: the ID of the run that made it
)
