// Package ceph takes storage nodes with Rook and Ceph out of their cluster, and new ones in, without a moment in which data has fewer copies
// than before: the steps of it, what has to hold before, and everything that is switched meanwhile and switched back.
package ceph

import (
	"context"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/rook"
)

// Cluster is what administers the Ceph of a cluster.
type Cluster interface {
	// GetCeph returns what Ceph reports.
	GetCeph(ctx context.Context) (rook.Ceph, error)
	// RunCeph runs a command of Ceph: fault.Conflict if Ceph refuses it.
	RunCeph(ctx context.Context, arguments ...string) error
	// IsSafeToDestroy reports whether no data needs an OSD, or why it does.
	IsSafeToDestroy(ctx context.Context, osd int) (safe bool, reason string, err error)
	// GetCephOptions returns the options that are set, by section and name.
	GetCephOptions(ctx context.Context) (map[string]string, error)
	// GetCephSetup returns how Ceph is set up: fault.NotFound if the cluster has no Rook.
	GetCephSetup(ctx context.Context) (rook.Setup, error)
	// SetCephDevices sets how many disks Ceph is to use.
	SetCephDevices(ctx context.Context, count int) error
	// SetCephMonCheck sets how mons are checked, as JSON; "" removes it.
	SetCephMonCheck(ctx context.Context, content string) error
	// ScaleCephOperator scales Rook's operator.
	ScaleCephOperator(ctx context.Context, replicas int) error
	// StopOSD ends the pod of an OSD for good.
	StopOSD(ctx context.Context, osd int) error
	// ListCephDisks returns the disks of a node that OSDs have.
	ListCephDisks(ctx context.Context, node string) ([]rook.Disk, error)
	// DeleteCephDisk deletes what belongs to an OSD that was purged.
	DeleteCephDisk(ctx context.Context, disk rook.Disk) error
	// DeleteCephVolume deletes the volume of a disk whose machine is stopped for good.
	DeleteCephVolume(ctx context.Context, name string) error
	// ListCephMons returns the monitors, sorted by name.
	ListCephMons(ctx context.Context) ([]rook.Mon, error)
	// EvictPod evicts a pod: a *state.EvictionBlockedError if a disruption budget does not permit it now.
	EvictPod(ctx context.Context, pod state.Pod) (state.Action, error)
	// ListClusterNodes returns the nodes, sorted by name.
	ListClusterNodes(ctx context.Context) ([]state.ClusterNode, error)
	// GetSyncPolicies returns spec.syncPolicy.automated of those applications of Argo CD that exist, as JSON; "": it is off.
	GetSyncPolicies(ctx context.Context, names ...string) (map[string]string, error)
	// SetSyncPolicy sets spec.syncPolicy.automated of an application of Argo CD, as JSON; "" switches it off.
	SetSyncPolicy(ctx context.Context, name, automated string) error
	// Silence silences the alerts with a label, or extends the silence with that comment.
	Silence(ctx context.Context, label, value, comment string, now time.Time, length time.Duration) error
	// EndSilence ends the silences with that comment.
	EndSilence(ctx context.Context, comment string) error
}

// Work is the work on the Ceph of one cluster, a node at a time.
type Work struct {
	*switches
	waits waits
	disks disks
	mons  mons
}

// New returns work on the Ceph of the cluster of these facts. observe is called with what keeps a node from being changed now; with none, once
// that is over. It may be nil.
func New(cluster Cluster, facts *state.FactsStore, journal state.Recorder, clock provisioner.Clock, observe func(provisioner.Report, string, []string)) *Work {
	if observe == nil {
		observe = func(provisioner.Report, string, []string) {}
	}
	switched := &switches{records: records{cluster: cluster, facts: facts, journal: journal, clock: clock}}
	waiting := waits{switched, observe}
	return &Work{switched, waiting, disks{waiting}, mons{waiting}}
}

// Change is what is done with one storage node.
type Change struct {
	Node string
	// Next takes its place, and has joined the cluster; "": none does.
	Next string
	// IsCommitted: the answers do without the node already.
	IsCommitted bool
	// Devices are the disks that Ceph is to use with the node, which is a new one; 0: the node leaves.
	Devices int
	// IsConfigured: the verb has the configuration of the tenant ask for as many disks; otherwise a person has to, before.
	IsConfigured bool
}

const (
	pollInterval = 10 * time.Second
	// settleLimit is for how long something is waited for that Rook or Kubernetes does by itself.
	settleLimit = 10 * time.Minute
	// syncLimit is for how long Argo CD may take to apply what was compiled: it fetches the catalog every three minutes.
	syncLimit = 15 * time.Minute
	// osdLimit is for how long a disk may take to become an OSD: the disk of a new machine is filled with zeros first.
	osdLimit = 30 * time.Minute
	// monLimit is for how long a monitor may take to be replaced: Rook is known to fail at that.
	monLimit = 10 * time.Minute
	// retryLimit is for how long a call is made again that got no answer.
	retryLimit = time.Minute
	// idleWarning is after how long without a change it is said that data is not moved any more.
	idleWarning = 30 * time.Minute
	// silenceLength is renewed while the work goes on.
	silenceLength = time.Hour
)

// kind is that of what is switched, in the journal.
const kind = "ceph"

// records has what is set in the cluster recorded before.
type records struct {
	cluster Cluster
	facts   *state.FactsStore
	journal state.Recorder
	clock   provisioner.Clock
}

// get returns what is recorded of the change of a node, a copy.
func (w *records) get(node string) rook.Change {
	if known := w.facts.Get().Storage; known != nil && known.Node == node {
		return known.Clone()
	}
	return rook.Change{Node: node}
}

// isBegun reports whether Ceph may have signs of a change of a storage node: an addition brings none about before the machine is made.
func (w *records) isBegun(of Change) bool {
	known := w.facts.Get().Storage
	return known != nil && (of.Devices == 0 || known.Added)
}

// record changes what is recorded.
func (w *records) record(node string, change func(*rook.Change)) error {
	known := w.get(node)
	change(&known)
	return w.facts.Update(func(facts *state.Facts) { facts.Storage = &known })
}

// set records a change before it is made, in the facts and in the journal, and makes it.
func (w *records) set(ctx context.Context, node, name string, change func(*rook.Change), call func(context.Context) error) error {
	if err := w.record(node, change); err != nil {
		return err
	}
	return w.do(ctx, name, call)
}

// do makes a call that the journal has before it. All calls may be repeated.
func (w *records) do(ctx context.Context, name string, call func(context.Context) error) error {
	if err := w.journal.RecordIntent(kind, name); err != nil {
		return err
	}
	began := w.clock.Now()
	for err := call(ctx); err != nil; err = call(ctx) {
		if !fault.Is(err, fault.Transient) || w.clock.Now().Sub(began) > retryLimit {
			return err
		}
		if err := w.clock.Sleep(ctx, pollInterval); err != nil {
			return err
		}
	}
	return w.journal.RecordResult(kind, name, name, state.Updated)
}

// until polls; what does not answer now is asked again.
func (w *records) until(limit time.Duration, check func(context.Context) error) provisioner.StepFunc {
	return provisioner.PollUntil(w.clock, pollInterval, limit, func(ctx context.Context, _ provisioner.Report) error { return check(ctx) })
}
