package state

import "maps"

// Namespaces and names of Rook with Ceph, as Project Syn's component has them.
const (
	CephNamespace         = "syn-rook-ceph-cluster"
	CephOperatorNamespace = "syn-rook-ceph-operator"
	CephOperator          = "rook-ceph-operator"
)

// Ceph is what Ceph itself reports.
type Ceph struct {
	Health    string
	Checks    []CephCheck    // that fail, sorted by their codes
	Groups    map[string]int // placement groups by their state
	Degraded  int            // copies of objects that are missing
	Misplaced int            // copies of objects that are not where they are to be
	Mons      int
	Quorum    []string
	OSDs      []CephOSD // by ID
}

// CephCheck is a health check that fails.
type CephCheck struct{ Code, Severity, Message string }

// CephOSD is a daemon with its disk.
type CephOSD struct {
	ID          int
	Host        string
	Up, In      bool
	Weight      float64 // in the CRUSH map
	Used, Total int64   // bytes
}

// CephMon is a monitor.
type CephMon struct {
	Name  string
	Node  string // that its pod runs on, "" while it waits for one
	Pod   Pod
	Ready bool
}

// CephDisk is what belongs to an OSD in Kubernetes.
type CephDisk struct {
	OSD    int    `json:"osd"`
	Claim  string `json:"claim"`
	Volume string `json:"volume"`
}

// CephSetup is how Ceph is set up, and what runs it.
type CephSetup struct {
	Devices  int    // disks that Ceph is to use
	MonCheck string // JSON of spec.healthCheck.daemonHealth.mon
	Replicas int    // of the operator
	Pods     int    // of the operator, also those that are ending
	Ready    int    // of these
}

// StorageChange is what a change of a storage node has set in the cluster, each recorded before it is set. What was switched is switched back
// when the change has ended or was given up, at the latest by the next run.
type StorageChange struct {
	Node string `json:"node"`
	// Silenced: alerts of Ceph are silenced, by a silence whose comment names the node.
	Silenced bool `json:"silenced,omitzero"`
	// Policies are the values of spec.syncPolicy.automated before, as JSON, by the name of an application of Argo CD.
	Policies map[string]string `json:"policies,omitempty"`
	// Replicas are those of the operator before; nil: it was not scaled.
	Replicas *int `json:"replicas,omitempty"`
	// Options are the values of Ceph's options before, by section and name; "": it was not set.
	Options map[string]string `json:"options,omitempty"`
	// Weights are those of OSDs before, by their numbers, as long as data needs these.
	Weights map[int]float64 `json:"weights,omitempty"`
	// Flags of Ceph's OSDs that were not set before.
	Flags []string `json:"flags,omitempty"`
	// MonCheck is the JSON of the check of mons before; nil: it was not changed.
	MonCheck *string `json:"monCheck,omitempty"`

	Devices int        `json:"devices,omitzero"` // disks that Ceph is to use in the end; 0: not known yet
	Disks   []CephDisk `json:"disks,omitempty"`  // of the node, as long as not all of them are deleted
	Emptied bool       `json:"emptied,omitzero"` // nothing needs its OSDs any more: they are being removed
}

// IsSwitched reports whether something has to be switched back.
func (c StorageChange) IsSwitched() bool {
	return c.Silenced || len(c.Policies)+len(c.Options)+len(c.Weights)+len(c.Flags) > 0 || c.Replicas != nil || c.MonCheck != nil
}

// Clone returns a copy that shares no map or list.
func (c StorageChange) Clone() StorageChange {
	c.Policies, c.Options = maps.Clone(c.Policies), maps.Clone(c.Options)
	c.Weights = maps.Clone(c.Weights)
	c.Flags = append([]string(nil), c.Flags...)
	c.Disks = append([]CephDisk(nil), c.Disks...)
	return c
}
