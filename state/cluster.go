package state

import (
	"time"

	"exoshift/state/upgrade"
)

// Phases of the bootstrap of a cluster, as they are observable from outside, in their usual order.
const (
	PhaseMachine       = "bootstrap-machine"     // the bootstrap machine runs
	PhaseMachineConfig = "machine-config-server" // the bootstrap machine serves what masters boot from
	PhaseTemporaryAPI  = "temporary-api"         // the temporary API answers
	PhaseManifests     = "manifests"             // manifests are being applied
	PhaseMastersBoot   = "masters-boot"          // the first master has fetched its configuration and requests a certificate
	PhaseMasters       = "masters-join"          // the first master has registered
	PhaseEtcd          = "etcd-scaling"          // etcd grows beyond the bootstrap member
	PhaseControlPlane  = "control-plane"         // the production control plane runs on two masters
	PhaseBootstrapped  = "bootstrap-success"     // cluster-bootstrap has found its pods running
	PhaseTeardown      = "bootstrap-finished"    // the temporary control plane stops
	PhaseEtcdInCluster = "etcd-in-cluster"       // etcd is whole without the bootstrap member
	PhaseComplete      = "bootstrap-complete"    // the installation of the control plane is complete
	PhaseMemberRemoved = "bootstrap-removed"     // etcd dropped the bootstrap member; the machine may be deleted
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

// Has reports whether a phase was reached.
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
	// Heartbeat is when its kubelet reported last whether it is ready: at its start, on changes, and at least every five minutes. For as
	// long as nobody has noticed that it does not, the node is as it was.
	Heartbeat time.Time
	Labels    map[string]string
	Taints    []Taint
}

// Taint is a node taint.
type Taint struct{ Key, Value, Effect string }

// Placement is where pods of a component of OpenShift run.
type Placement struct {
	NodeLabel string // key of the label of its nodes, or "" for any node
	Replicas  int
}

// ExpectedNode is a node that this installation created: only such nodes get certificates.
type ExpectedNode struct {
	Name      string
	Role      Role
	Addresses []string
	Created   time.Time // of the machine
	Started   time.Time // when its machine was started again after the whole cluster had been stopped; zero: it was not
	NewKeys   int       // keys beyond its first one that earlier polls found approved
	Keys      int       // keys that the operator allows it; 0: the usual number
}

// CSRDecision is the review of one certificate signing request.
type CSRDecision struct {
	Name     string
	Node     string
	Decision string // Approved, Left or Undecided
	Reason   string // approved: what the certificate is for; else why not
	NewKey   int    // approved: which of its machine's keys beyond the first one it is for; 0: none
}

// NewKeys is the number of keys beyond its first one for which a machine gets its first certificate without the operator's consent.
const NewKeys = 3

// Decisions.
const (
	Approved = "approved"
	Skipped  = "left" // never denied: emitted and left to the operator
	// Undecided requests are approved if the operator allows it.
	Undecided = "undecided"

	// SkippedRegistered is the reason for skipping a first request whose node exists already.
	SkippedRegistered = "the node exists already, and renews its certificate by itself"
)

// VersionStatus is one observation of ClusterVersion and the operators.
type VersionStatus struct {
	Version     string
	Available   bool
	Progressing bool
	Failing     bool
	Percent     int      // percentage of the release that is applied; never smaller than before; 0: unknown
	WaitingOn   []string // operators that the ClusterVersion names as what it waits for
	Message     string
	Unstable    []string // operators that are not stable, sorted
	Total       int      // operators
	Updates     []upgrade.Update
}

// IsInstalled reports whether the cluster version is rolled out.
func (s VersionStatus) IsInstalled() bool { return s.Available && !s.Progressing && !s.Failing }

// Release is one release of OpenShift, as its own openshift-install reports it.
type Release struct {
	Version string `json:"version"` // exact
	Image   string `json:"image"`   // pull specification of the payload, with its digest
}

// Generation is the input of openshift-install.
type Generation struct {
	InstallConfig      []byte
	Domain             string     // of the generated manifests
	AppsDomain         string     // domain of the routes
	MastersSchedulable bool       // whether masters take workloads
	Manifests          []Manifest // installed beside its own
}

// Manifest is a file that is added to those of openshift-install.
type Manifest struct {
	Name    string // below its directory: manifests/<file> or openshift/<file>
	Source  string // its source, for humans: a path, or the name of the component
	Content []byte // YAML; may hold secrets
}

// BootImage is the disk image that a release expects its machines to boot from.
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
