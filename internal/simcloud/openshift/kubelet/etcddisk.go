package kubelet

import (
	"context"
	"errors"
	"slices"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/etcd"
)

var (
	errBrokenDisk = errors.New("cannot access data directory: mkdir /var/lib/etcd/member: input/output error")
	errStopped    = errors.New("its manifest is in manifests-stopped")
)

// describeCrash returns why the container of a member does not run, which the operator then does not add; nil if it runs.
func describeCrash(err error) *waitingReason {
	if errors.Is(err, errBrokenDisk) || errors.Is(err, errStopped) {
		return &waitingReason{"CrashLoopBackOff", err.Error()}
	}
	return nil
}

// lostRecord begins the name of the record of a disk that has failed.
const lostRecord = "quorum lost "

func (e etcdMember) brokenDisk() string { return etcd.FormatDiskRecord(e.machine.ID()) }

// checkDisk returns why nothing can be written to the disk of the QuorumLost fault. It is that of one machine, not of the next of its name.
func (e etcdMember) checkDisk() error {
	if _, broken := e.cluster.StateRecords.Get(e.brokenDisk()); broken {
		return errBrokenDisk
	}
	if e.isLosing() && !e.isNew() {
		return errors.Join(errBrokenDisk, e.breakDisk())
	}
	return nil
}

// checkStopped starts a member that was stopped once there is a cluster that does not list it: its operator has installed another revision of
// the pod then, with a manifest of its own.
func (e etcdMember) checkStopped() error {
	if !etcd.IsStopped(e.machine) {
		return nil
	}
	if _, listed := e.cluster.Members.Get(e.node); listed || e.cluster.Members.CheckQuorum() != nil {
		return errStopped
	}
	return e.machine.WriteFile(etcd.StoppedManifest, nil)
}

// isNew reports whether the member has no data yet.
func (e etcdMember) isNew() bool {
	data, _ := e.machine.ReadFile(etcd.DataFile)
	return len(data) == 0
}

// isLosing reports whether the member is one of those that the QuorumLost fault destroys, a while after the installation: all but the first.
func (e etcdMember) isLosing() bool {
	members := e.cluster.Members.List() // by name
	at := slices.IndexFunc(members, func(m etcd.Member) bool { return m.Name == e.node })
	if !e.isDoomed() || at < 1 {
		return false
	}
	if _, lost := e.cluster.StateRecords.Get(lostRecord + e.node); lost {
		return false // the machine that has taken its place
	}
	installed := e.installedAt()
	return !installed.IsZero() && e.cluster.Clock.Now().Sub(installed) >= diskLife
}

// doomedRecord is the record of a zone that had the QuorumLost fault once: who opens it again need not name the scenario.
const doomedRecord = "quorum to be lost"

func (e etcdMember) isDoomed() bool {
	_, doomed := e.cluster.StateRecords.Get(doomedRecord)
	if doomed || !e.cluster.Faults.QuorumLost {
		return doomed
	}
	if err := e.cluster.StateRecords.Put(doomedRecord, cluster.StateRecord{What: doomedRecord, Since: e.cluster.Clock.Now()}); err != nil {
		e.machine.Console("etcd: %v", err)
	}
	return true
}

// installedAt returns when the installation was complete; zero: it is not.
func (e etcdMember) installedAt() (first time.Time) {
	version, _ := e.cluster.Objects.Get(cluster.VersionResource, "", "version")
	for _, entry := range version.List("status.history") {
		at, err := time.Parse(time.RFC3339, entry.GetString("completionTime"))
		if err == nil && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

func (e etcdMember) breakDisk() error {
	e.machine.Console("etcd: panic: wal: input/output error; the data on this disk is lost")
	now := e.cluster.Clock.Now()
	return errors.Join(
		e.cluster.StateRecords.Put(e.brokenDisk(), cluster.StateRecord{What: e.brokenDisk(), Since: now}),
		e.cluster.StateRecords.Put(lostRecord+e.node, cluster.StateRecord{What: lostRecord + e.node, Since: now}),
		e.machine.WriteFile(etcd.DataFile, nil),
	)
}

// diskLife is for how long the disks of the QuorumLost fault live after the installation.
const diskLife = 30 * time.Minute

// injectDiskFailure waits until the disk fails.
func (e etcdMember) injectDiskFailure(ctx context.Context) bool {
	if !e.cluster.Poll(ctx, time.Minute, func(context.Context) bool { return e.isLosing() }) {
		return false
	}
	if err := e.breakDisk(); err != nil {
		e.machine.Console("etcd: %v", err)
	}
	return true
}

// failedRecord is the record of a zone that had the MemberFails fault.
const failedRecord = "member has failed"

// injectMemberFailure waits until another master is cordoned, and has the disk of the last master by name fail.
func (e etcdMember) injectMemberFailure(ctx context.Context) bool {
	if _, failed := e.cluster.StateRecords.Get(failedRecord); failed {
		return false
	}
	members := e.cluster.Members.List() // by name
	if members[len(members)-1].Name != e.node || !e.cluster.Poll(ctx, 5*time.Second, func(context.Context) bool { return e.isOtherCordoned() }) {
		return false
	}
	err := e.cluster.StateRecords.Put(failedRecord, cluster.StateRecord{What: failedRecord, Since: e.cluster.Clock.Now()})
	if err = errors.Join(err, e.breakDisk()); err != nil {
		e.machine.Console("etcd: %v", err)
	}
	return true
}

func (e etcdMember) isOtherCordoned() bool {
	return slices.ContainsFunc(e.cluster.Objects.List(cluster.NodeResource, ""), func(node kube.Object) bool {
		_, master := node.Label("node-role.kubernetes.io/master")
		cordoned := node.GetBool("spec.unschedulable")
		return master && cordoned && node.Name() != e.node
	})
}
