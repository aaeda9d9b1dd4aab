package state

import (
	"time"

	"exoshift/state/rook"
)

// Hibernation is a stop of a whole cluster, from its beginning until the cluster was started again and every node is ready. What the stop
// sets in the cluster is recorded before it is set.
type Hibernation struct {
	Begun       time.Time `json:"begun"`
	StartBefore time.Time `json:"startBefore,omitzero"` // when Limit ends
	Limit       string    `json:"limit,omitzero"`       // what ends then
	Cordoned    []string  `json:"cordoned,omitempty"`   // nodes that the stop cordoned; ended by the start, or if the stop is given up
	Flags       []string  `json:"flags,omitempty"`      // of Ceph that the stop set; as the cordons
	Suspended   []string  `json:"suspended,omitempty"`  // UpgradeConfigs that the stop suspended; as the cordons
	Committed   bool      `json:"committed,omitzero"`   // machines are being stopped: a stop can only be ended, or the cluster started
	Stopped     time.Time `json:"stopped,omitzero"`     // when every machine was
	// Starts are when the start of a machine was requested, by its ID: older requests for certificates of its node are refused.
	Starts map[string]time.Time `json:"starts,omitempty"`
}

// StopConditions are what a cluster reports that decides whether it may be stopped, beyond its health.
type StopConditions struct {
	CertificateEnd time.Time // of the signer by which API servers reach kubelets
	Ceph           []rook.Status
	UpgradeConfigs []string // names of those that are not suspended
	ManagedConfigs []string // names of those of them that Argo CD would set back
	UpgradeJobs    []string // names of those that have not ended
}
