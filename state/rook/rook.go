// Package rook is the vocabulary of storage nodes: what Rook and Ceph report, and what is recorded while they are changed.
package rook

import (
	"maps"
	"strings"
	"time"
)

// Namespaces and names of Rook with Ceph, as Project Syn's component has them.
const (
	Namespace         = "syn-rook-ceph-cluster"
	OperatorNamespace = "syn-rook-ceph-operator"
	Operator          = "rook-ceph-operator"
)

// Ceph is what Ceph itself reports.
type Ceph struct {
	Health    string
	Checks    []Check        // that fail, sorted by their codes
	Groups    map[string]int // placement groups by their state
	Degraded  int            // copies of objects that are missing
	Misplaced int            // copies of objects that are not where they are to be
	Mons      int
	Quorum    []string
	OSDs      []OSD // by ID
}

// Flags returns the flags of the OSDs that are set, such as noout.
func (c Ceph) Flags() []string {
	for _, check := range c.Checks {
		if check.Code == "OSDMAP_FLAGS" {
			flags, _, _ := strings.Cut(check.Message, " ")
			return strings.Split(flags, ",")
		}
	}
	return nil
}

// Check is a health check that fails.
type Check struct{ Code, Severity, Message string }

// OSD is a daemon with its disk.
type OSD struct {
	ID          int
	Host        string
	Up, In      bool
	Weight      float64 // in the CRUSH map
	Used, Total int64   // bytes
}

// Disk is what belongs to an OSD in Kubernetes.
type Disk struct {
	OSD    int    `json:"osd"`
	Claim  string `json:"claim"`
	Volume string `json:"volume"`
}

// Setup is how Ceph is set up, and what runs it.
type Setup struct {
	Devices  int    // disks that Ceph is to use
	MonCheck string // JSON of spec.healthCheck.daemonHealth.mon
	Replicas int    // of the operator
	Pods     int    // of the operator, also those that are ending
	Ready    int    // of these
}

// Change is what a change of a storage node has set in the cluster, each recorded before it is set. What was switched is switched back
// when the change has ended or was given up, at the latest by the next run.
type Change struct {
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

	// Added: the node is a new one that the answers have, and whose addition has not ended.
	Added bool `json:"added,omitzero"`

	Devices int    `json:"devices,omitzero"` // disks that Ceph is to use in the end, without a node that is added; 0: not known yet
	Disks   []Disk `json:"disks,omitempty"`  // of the node, as long as not all of them are deleted
	Emptied bool   `json:"emptied,omitzero"` // nothing needs its OSDs any more: they are being removed
}

// IsSwitched reports whether something has to be switched back.
func (c Change) IsSwitched() bool {
	return c.Silenced || len(c.Policies)+len(c.Options)+len(c.Weights)+len(c.Flags) > 0 || c.Replicas != nil || c.MonCheck != nil
}

// Clone returns a copy that shares no map or list.
func (c Change) Clone() Change {
	c.Policies, c.Options = maps.Clone(c.Policies), maps.Clone(c.Options)
	c.Weights = maps.Clone(c.Weights)
	c.Flags = append([]string(nil), c.Flags...)
	c.Disks = append([]Disk(nil), c.Disks...)
	return c
}

// Mon is a monitor.
type Mon struct {
	Name            string
	Node            string // that its pod runs on, or is to run on
	PodName, PodUID string // "": it has no pod
	Ready           bool
}

// Status is one Ceph cluster as its operator reports it.
type Status struct {
	Name    string
	Health  string   // HEALTH_OK, HEALTH_WARN or HEALTH_ERR
	Checks  []string // "<code>: <message>", sorted
	Flags   []string // of the OSDs that are set, such as noout
	Phase   string
	Checked time.Time // when the operator read all that
}
