package state

import "time"

// Phases of a cluster that comes alive, as a watcher can tell them apart, in their usual order.
const (
	PhaseMachine       = "bootstrap-machine"     // the bootstrap machine runs
	PhaseMachineConfig = "machine-config-server" // the bootstrap machine serves what masters boot from
	PhaseTemporaryAPI  = "temporary-api"         // the temporary API answers
	PhaseManifests     = "manifests"             // manifests are being applied
	PhaseMastersBoot   = "masters-boot"          // the first master has fetched its configuration and asks to join
	PhaseMasters       = "masters-join"          // the first master has registered
	PhaseEtcd          = "etcd-scaling"          // etcd grows beyond the bootstrap member
	PhaseControlPlane  = "control-plane"         // the production control plane runs on two masters
	PhaseBootstrapped  = "bootstrap-success"     // cluster-bootstrap has seen its pods
	PhaseTeardown      = "bootstrap-finished"    // the temporary control plane goes away
	PhaseEtcdInCluster = "etcd-in-cluster"       // etcd is whole without the bootstrap member
	PhaseComplete      = "bootstrap-complete"    // the installation of the control plane is complete
	PhaseMemberRemoved = "bootstrap-removed"     // etcd dropped the bootstrap member; the machine may go
	PhaseNodes         = "nodes-join"            // the first node that is no master is Ready
	PhaseVersion       = "version-installed"     // ClusterVersion is available and no longer progressing
	PhaseStable        = "operators-stable"      // every operator has been stable for long enough
)

// ListPhases lists the phases in order.
func ListPhases() []string {
	return []string{
		PhaseMachine, PhaseMachineConfig, PhaseTemporaryAPI, PhaseManifests, PhaseMastersBoot, PhaseMasters, PhaseEtcd,
		PhaseControlPlane, PhaseBootstrapped, PhaseTeardown, PhaseEtcdInCluster, PhaseComplete, PhaseMemberRemoved,
		PhaseNodes, PhaseVersion, PhaseStable,
	}
}

// BootstrapStatus is one observation of the bootstrap.
type BootstrapStatus struct {
	Reached []string // phases that have been seen, in order; once reached, for good
	Waiting string   // what the first phase that was not reached is waiting for, one sentence
}

// Has tells whether a phase was reached.
func (s BootstrapStatus) Has(phase string) bool {
	for _, reached := range s.Reached {
		if reached == phase {
			return true
		}
	}
	return false
}

// EtcdStatus is one observation of etcd's membership.
type EtcdStatus struct {
	Members          []EtcdMember
	Voters           map[string]string // addresses of the voting members on masters, by the members' IDs
	InCluster        bool              // EtcdRunningInCluster
	BootstrapRemoved bool              // EtcdBootstrapMemberRemoved
	Message          string            // of the condition EtcdMembersAvailable
	Revision         int               // the latest revision of its static pod
	BlockedReason    string            // why the bootstrap member is still there, one sentence; "" if it is not
	Degraded         []string          // what its operator complains about: "<condition>: <message>", sorted
}

// EtcdMember is one member: "etcd-bootstrap" or a node name.
type EtcdMember struct {
	Name     string `json:"name"`
	State    string `json:"state"`              // voter, learner, unhealthy or not started
	Revision int    `json:"revision,omitempty"` // of the static pod that runs on the node; 0: none or unknown
}

// NodeStatus is one observation of a node.
type NodeStatus struct {
	Name    string
	Ready   bool
	Reason  string // why it is not ready
	Address string // its InternalIP
	Created time.Time
	Labels  map[string]string
	Taints  []Taint
}

// Taint is a node taint.
type Taint struct{ Key, Value, Effect string }

// ExpectedNode is a node that this installation created: only such nodes get certificates.
type ExpectedNode struct {
	Name      string
	Role      Role
	Addresses []string
	Created   time.Time // of the machine
	NewKeys   int       // how many keys beyond its first one earlier looks approved
	Keys      int       // how many keys the operator lets it have; 0: the usual number
}

// CSRDecision is what was decided about one certificate signing request.
type CSRDecision struct {
	Name     string
	Node     string
	Decision string // Approved, Left or Undecided
	Reason   string // approved: what the certificate is for; else why not
	NewKey   int    // approved: which of its machine's keys beyond the first one it is for; 0: none
}

// NewKeys is for how many keys beyond its first one a machine gets its first certificate before the operator is asked.
const NewKeys = 3

// Decisions.
const (
	Approved = "approved"
	Skipped  = "left" // never denied: shown and left to the operator
	// Undecided requests are approved if the operator says so.
	Undecided = "undecided"

	// SkippedRegistered is why a first request is left whose node is there already.
	SkippedRegistered = "the node exists already, and renews its certificate by itself"
)

// VersionStatus is one observation of ClusterVersion and the operators.
type VersionStatus struct {
	Version     string
	Available   bool
	Progressing bool
	Failing     bool
	Percent     int      // how much of the release is applied, as its operator says; never smaller than before; 0: unknown
	WaitingOn   []string // operators that the version's operator names as what it waits for
	Message     string
	Unstable    []string // operators that are not stable, sorted
	Total       int      // operators
}

// IsInstalled tells whether the cluster version is rolled out.
func (s VersionStatus) IsInstalled() bool { return s.Available && !s.Progressing && !s.Failing }

// Release is one release of OpenShift, as its own openshift-install names it.
type Release struct {
	Version string `json:"version"` // exact
	Image   string `json:"image"`   // pull specification of the payload, with its digest
}

// Generation is what openshift-install generates from.
type Generation struct {
	InstallConfig      []byte
	Domain             string     // that the generated manifests must be made for
	AppsDomain         string     // where the routes are
	MastersSchedulable bool       // whether masters take workloads
	Manifests          []Manifest // installed beside its own
}

// Manifest is a file that openshift-install is given beside its own.
type Manifest struct {
	Name    string // below its directory: manifests/<file> or openshift/<file>
	Source  string // where it comes from, for people: a path, or the name of what brought it
	Content []byte // YAML; may hold secrets
}

// BootImage is the disk image that a release wants its machines to boot from.
type BootImage struct {
	Build  string
	URL    string
	SHA256 string // of the compressed file
}

// Ignition is what one run of openshift-install generated.
type Ignition struct {
	InfraID    string
	ClusterID  string
	Created    time.Time // from when the first certificates are valid
	Expires    time.Time // when the first of them ends
	RootCA     []byte    // PEM
	RootCAHash string    // sha256, hex
	Bootstrap  []byte    // bootstrap.ign; holds private keys
	Pointers   map[string][]byte
}
