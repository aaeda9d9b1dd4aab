package state

// Kinds of objects in the cloud, as events, the journal and inventories call them.
const (
	KindSSHKey            = "ssh-key"
	KindSecurityGroup     = "security-group"
	KindAntiAffinityGroup = "anti-affinity-group"
	KindElasticIP         = "elastic-ip"
	KindZone              = "dns-zone"
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
	Uses   []string // IDs of the objects that it is attached to, made of or made for
	Type   string   // of an instance: <family>.<size>
	GiB    int      // of a disk, an image or a volume; 0 for instances, whose disks lists do not tell
	Detail string   // what a person tells it by: an address, a type and a size
}

// BucketBackups is the purpose of the bucket that outlives its cluster unless told otherwise.
const BucketBackups = "cluster-backup"

// KeptBuckets are the purposes of the buckets that a cluster has as long as it lives: logs, images and backups.
func KeptBuckets() []string { return []string{"logstore", "image-registry", BucketBackups} }

// PassingBuckets are the purposes of those that only the installation needs.
func PassingBuckets() []string { return []string{"image", "bootstrap"} }

// Labels by which the objects of a cluster are told from others.
const (
	LabelCluster   = "exoshift-cluster"   // the cluster's ID
	LabelRole      = "exoshift-role"      // a machine's role
	LabelName      = "exoshift-name"      // an elastic IP has no other name
	LabelRootCA    = "exoshift-root-ca"   // a node: how RootCAHash of the certificates begins that it was given
	LabelProtected = "exoshift-protected" // "true": a machine that cannot be deleted; the API does not tell
	LabelCheck     = "exoshift-check"     // a machine that looks at the network for a moment: the ID of the run that made it
)
