package state

import "time"

// Snapshot is what one poll of the cluster found. What could not be read is zero.
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
	// MastersSchedulable: the scheduler may place workloads, including routers, on masters.
	MastersSchedulable bool
}

// Probes are attempts to reach the cluster by two paths: a machine that does not answer on its own address is not up; if
// it answers there, but not through the API's name, the load balancer or the name is wrong.
type Probes struct {
	SSH    Probe // port 22 of the bootstrap machine
	Direct Probe // /readyz of the API server on the bootstrap machine
	API    Probe // /readyz of the API by its name
}

// Probe is one connection attempt.
type Probe struct {
	Target string // the target, e.g. "https://192.0.2.7:6443/readyz"; "" without an attempt
	OK     bool
	Layer  string // the layer that failed: LayerDNS, ...
	Detail string // the error, one sentence
}

// Layers at which a probe fails.
const (
	LayerDNS  = "dns"
	LayerTCP  = "tcp"
	LayerTLS  = "tls"
	LayerHTTP = "http"
)

// NodeRequest is a certificate signing request of a node, or one that claims to be.
type NodeRequest struct {
	Name          string
	Node          string // as far as it is known
	Serving       bool   // for the kubelet's server; else for its client
	State         string // RequestPending, ...
	BlockedReason string // pending: why it must not be approved; "" if it may be
	Keys          int    // approved keys of its machine, if another one needs the operator's decision; else 0
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
	Since       time.Time // since when it is in this state
	Stable      bool      // available, neither progressing nor degraded, for more than 30 seconds
	Flapping    bool      // it changed so often lately that its state is not reliable
}

// State returns the operator as one word: stable, available (not for long enough), flapping, degraded, progressing or waiting.
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
	Message                  string // of its Degraded condition
}

// BootstrapHost is the state of the bootstrap machine, read from the machine itself.
type BootstrapHost struct {
	At       time.Time
	Services []ServiceRecord // sorted by name
	Lines    []JournalLine   // of the journal, oldest first; only lines that earlier polls did not return
}

// ServiceRecord is the progress of a service of the bootstrap machine, by its own records.
type ServiceRecord struct {
	Service  string    // e.g. "bootkube"
	Starts   int       // more than one: it failed and was restarted
	Stage    string    // current stage; "" before the first and after the last
	Since    time.Time // of the stage, or of the service's end
	Finished []string  // stages that have succeeded, in order
	Failure  string    // the last error, one line; "" if there was none since its last start
	Done     bool      // it has succeeded
}

// JournalLine is a line of the bootstrap machine's journal.
type JournalLine struct {
	At   time.Time
	Unit string
	Text string
}

// NodesByName returns the nodes by their names.
func (s Snapshot) NodesByName() map[string]NodeStatus {
	named := make(map[string]NodeStatus, len(s.Nodes))
	for _, node := range s.Nodes {
		named[node.Name] = node
	}
	return named
}
