package state

import "time"

// Kinds of cloud objects, as in events, the journal and inventories.
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
	KindLoadBalancer      = "load-balancer" // Exoscale's load balancer, created by the cluster for its services
	KindVolume            = "block-volume"
	KindVolumeSnapshot    = "block-snapshot"
	KindSnapshot          = "snapshot"
	KindPrivateNetwork    = "private-network"
	KindRole              = "iam-role"
	KindAPIKey            = "api-key"
	KindBucket            = "bucket"
)

// Object is any cloud object, as far as finding and deleting it needs.
type Object struct {
	Kind   string
	Name   string
	ID     string // for an SSH key, an API key's name and a bucket: its name in the API
	Labels map[string]string
	Uses   []string // IDs of the objects that it is attached to, made of, made for or part of
	Type   string   // of an instance: <family>.<size>
	GiB    int      // of a disk, an image or a volume; 0 for instances, whose disk size lists lack
	Detail string   // for humans: an address, a type and a size

	Created time.Time // as in the API; zero for kinds without it
}

// Claim is a cluster's statement that it created a cloud object. Anybody who may write to the cluster can write one, so
// it includes what the cloud object must look like if it is true.
type Claim struct {
	Kind, ID string
	By       string    // its resource, for humans: a service, a persistent volume
	Name     string    // the name that the controller derives from the UID; "" if the cloud has no object of that UID
	Since    time.Time // creation time of the resource with the UID in the API server: the cloud object is younger
}

// BucketUse is the state of a bucket's name before it is used.
type BucketUse struct {
	Taken  bool   // another customer owns it; the other fields are then unknown
	Exists bool   // the organization owns it
	Owner  string // the cluster in its owner mark; "" if it has no mark
	Empty  bool   // apart from marks
}

// BucketBackups is the purpose of the bucket that outlives its cluster by default.
const BucketBackups = "cluster-backup"

// ListPersistentBuckets returns the purposes of the buckets that exist as long as the cluster: logs, images and backups.
func ListPersistentBuckets() []string { return []string{"logstore", "image-registry", BucketBackups} }

// ListTemporaryBuckets returns the purposes of those that only the installation needs.
func ListTemporaryBuckets() []string { return []string{"image", "bootstrap"} }

// Labels that identify the objects of a cluster.
const (
	LabelCluster   = "exoshift-cluster"   // the cluster's ID
	LabelRole      = "exoshift-role"      // a machine's role
	LabelName      = "exoshift-name"      // the name of an elastic IP, which has no other
	LabelRootCA    = "exoshift-root-ca"   // a node: RootCALabelPrefix and the beginning of the RootCAHash of its certificates
	LabelProtected = "exoshift-protected" // "true": a machine that cannot be deleted; the API does not return that
	LabelCheck     = "exoshift-check"     // a machine for connectivity checks: the ID of the run that created it
)

// RootCALabelPrefix makes the value of LabelRootCA begin with a letter, as Exoscale's older documents demand of labels. Machines
// of earlier versions of this program lack it.
const RootCALabelPrefix = "ca-"
