package state

import "time"

// Snapshot is one look at the cluster: what a single round of requests found. What could not be read is zero.
type Snapshot struct {
	At        time.Time
	Probes    Probes
	Bootstrap BootstrapStatus // also valid when the API did not answer
	Etcd      EtcdStatus
	Nodes     []NodeStatus  // sorted by name
	Requests  []NodeRequest // requests for certificates, sorted by creation
	Version   VersionStatus
	Operators []OperatorStatus // sorted by name
	Pools     []PoolStatus     // machine config pools, sorted by name
	Routers   []string         // names of the nodes on which routers run, sorted
	// MastersSchedulable: the scheduler may put work, routers too, on masters.
	MastersSchedulable bool
}

// Probes are attempts to reach the cluster on two ways, side by side: a machine that does not answer on its own address
// is not up; one that does, but not through the API's name, has a wrong load balancer or name.
type Probes struct {
	SSH    Probe // port 22 of the bootstrap machine
	Direct Probe // /readyz of the API server on the bootstrap machine
	API    Probe // /readyz of the API by its name
}

// Probe is one attempt to reach something.
type Probe struct {
	Target string // what was tried, e.g. "https://192.0.2.7:6443/readyz"; "" if nothing was
	OK     bool
	Layer  string // where it failed: LayerDNS, ...
	Detail string // why, one sentence
}

// Layers at which a probe fails.
const (
	LayerDNS  = "dns"
	LayerTCP  = "tcp"
	LayerTLS  = "tls"
	LayerHTTP = "http"
)

// NodeRequest is a request for a certificate of a node, or what claims to be one.
type NodeRequest struct {
	Name          string
	Node          string // as far as it is known
	Serving       bool   // for the kubelet's server; else for its client
	State         string // RequestPending, ...
	BlockedReason string // pending: why it must not be approved; "" if it may be
	Keys          int    // how many keys of its machine were approved, if another one is the operator's decision; else 0
	Created       time.Time
}

// States of a request.
const (
	RequestPending  = "pending"
	RequestApproved = "approved" // not signed yet
	RequestIssued   = "issued"
	RequestDenied   = "denied"
	RequestFailed   = "failed" // the signer refused it
)

// OperatorStatus is one observation of a ClusterOperator.
type OperatorStatus struct {
	Name        string
	Available   bool
	Progressing bool
	Degraded    bool
	Reason      string    // of the condition that keeps it from being stable
	Message     string    // of that condition
	Since       time.Time // since when it has been like this
	Stable      bool      // available, neither progressing nor degraded, for more than 30 seconds
	Flapping    bool      // it changed so often lately that its present state is not believed
}

// State returns the operator in one word: stable, available (not for long enough), flapping, degraded, progressing or
// waiting.
func (o OperatorStatus) State() string {
	switch {
	case o.Flapping:
		return "flapping"
	case o.Stable:
		return "stable"
	case o.Degraded:
		return "degraded"
	case o.Progressing:
		return "progressing"
	case o.Available:
		return "available"
	}
	return "waiting"
}

// PoolStatus is one observation of a MachineConfigPool.
type PoolStatus struct {
	Name                     string
	Machines, Updated, Ready int
	Degraded                 bool
	Message                  string // of the condition by which it is degraded
}

// BootstrapHost is what the bootstrap machine tells about itself.
type BootstrapHost struct {
	At       time.Time
	Services []ServiceRecord // sorted by name
	Lines    []JournalLine   // of the journal, oldest first; those that earlier looks did not see
}

// ServiceRecord is what a service of the bootstrap machine wrote about its work.
type ServiceRecord struct {
	Service  string    // e.g. "bootkube"
	Starts   int       // more than one: it failed and was started again
	Stage    string    // that it is in; "" before the first and after the last
	Since    time.Time // of the stage, or of the service's end
	Finished []string  // stages that have ended well, in order
	Failure  string    // what went wrong last, one line; "" if nothing did since its last start
	Done     bool      // it has ended well
}

// JournalLine is a line of the bootstrap machine's journal.
type JournalLine struct {
	At   time.Time
	Unit string
	Text string
}
