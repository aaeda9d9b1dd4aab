package state

import (
	"cmp"
	"time"

	"exoshift/state/recovery"
	"exoshift/state/rook"
	"exoshift/state/rotation"
	"exoshift/state/upgrade"
)

// Facts are what an installation discovered or generated and must not lose. They hold no secret.
type Facts struct {
	Schema           int            `json:"schema"`
	ClusterID        string         `json:"clusterId"`
	Zone             string         `json:"zone"`
	Rehearsal        bool           `json:"rehearsal,omitzero"`        // the zone was a simulated one
	OpenShiftVersion string         `json:"openshiftVersion,omitzero"` // exact, whatever channel was requested; that of openshift-install and of the boot image
	CurrentVersion   string         `json:"currentVersion,omitzero"`   // of the cluster since its last update; "": OpenShiftVersion
	OpenShiftAsked   string         `json:"openshiftAsked,omitzero"`   // the version of the answers at that time
	ReleaseImage     string         `json:"releaseImage,omitzero"`     // its payload, with the digest
	InfraID          string         `json:"infraId,omitzero"`
	IgnitionCreated  time.Time      `json:"ignitionCreated,omitzero"` // from when the bootstrap certificates are valid
	IgnitionExpires  time.Time      `json:"ignitionExpires,omitzero"` // when the first of them ends
	RootCAHash       string         `json:"rootCaHash,omitzero"`      // sha256, hex: a rerun never mixes two generations
	Template         string         `json:"template,omitzero"`
	TemplateMD5      string         `json:"templateMd5,omitzero"`   // of the image that was registered as it
	UploadMinutes    int            `json:"uploadMinutes,omitzero"` // that its upload would take from here, if that was measured and is long
	APIAddress       string         `json:"apiAddress,omitzero"`
	IngressAddress   string         `json:"ingressAddress,omitzero"`
	NodesFirst       bool           `json:"nodesFirst,omitzero"`    // nodes were requested, and no bootstrap machine ever was
	NodeAddresses    []string       `json:"nodeAddresses,omitzero"` // for which bootstrap.ign leaves the proxy out
	BootstrapRemoved time.Time      `json:"bootstrapRemoved,omitzero"`
	RouterProtocol   string         `json:"routerProtocol,omitzero"` // PROXY or TCP, as the routers were told last
	Installed        time.Time      `json:"installed,omitzero"`
	ConsoleURL       string         `json:"consoleUrl,omitzero"`
	NewKeys          map[string]int `json:"newKeys,omitzero"`     // for how many keys beyond its first one a machine got its first certificate, by ID
	NodeIndices      map[Role][]int `json:"nodeIndices,omitzero"` // of the machines of groups in which removals left gaps
	Removals         []NodeRemoval  `json:"removals,omitempty"`   // of nodes, begun and not ended
	// Balancers are replacements of load balancers, begun and not ended.
	Balancers   []BalancerReplacement `json:"balancers,omitzero"`
	Storage     *rook.Change          `json:"storage,omitempty"`    // a change of a storage node, begun and not ended; nil: there is none
	Hibernation *Hibernation          `json:"hibernation,omitzero"` // a stop of the cluster, until it was started again; nil: there is none
	Rotation    *rotation.Keys        `json:"rotation,omitzero"`    // a rotation of API keys, begun and not ended; nil: there is none
	Upgrade     *upgrade.Change       `json:"upgrade,omitzero"`     // an update to another release, begun and not ended; nil: there is none
	Recovery    *recovery.Change      `json:"recovery,omitempty"`   // of etcd, begun and not ended; nil: there is none
	Destroyed   time.Time             `json:"destroyed,omitzero"`   // when the teardown found nothing of the cluster left

	PoolMembers   map[Role][]string `json:"poolMembers,omitzero"`   // names of the machines that instance pools have made
	SkippedChecks []SkippedCheck    `json:"skippedChecks,omitzero"` // of reachability, when the installation started
	Syn           SynFacts          `json:"syn,omitzero"`           // of Project Syn
}

// Version is the release that the cluster has, as far as it is known; "": none.
func (f Facts) Version() string { return cmp.Or(f.CurrentVersion, f.OpenShiftVersion) }

// IsBootstrapped reports whether the bootstrap is over: its machine, and what only it needs, must not be created again.
func (f Facts) IsBootstrapped() bool { return !f.BootstrapRemoved.IsZero() }

// SkippedCheck is a check that the operator excluded.
type SkippedCheck struct {
	ID     string    `json:"id"`
	Target string    `json:"target"` // "host:port"
	Reason string    `json:"reason"`
	Until  time.Time `json:"until,omitzero"`
}
