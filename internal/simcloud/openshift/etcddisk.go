package openshift

import (
	"context"
	"errors"
	"fmt"
	"time"

	"exoshift/internal/simcloud/kube"
)

// What slow disks do to etcd: how long its log takes to reach the disk, and how often and for how long the members have
// no leader, because heartbeats come too late.
const (
	slowFsync        = 3.537920 // seconds, of 99 in 100 writes
	electionInterval = 4 * time.Minute
	electionTime     = 8 * time.Second
	slowLearning     = 3 // how many times as long a learner takes to catch up
	// measuredAfter is how long the monitoring needs, on its first node, to know how fast the disks are.
	measuredAfter = time.Minute
)

var errLeaderLost = errors.New("etcdserver: leader changed")

// isElecting tells whether the members are without a leader now, for the slowness of their disks. One member is alone.
func (c *cluster) isElecting() bool {
	if !c.faults.SlowDisks || len(c.members.List()) < 2 {
		return false
	}
	return time.Duration(c.clock.Now().UnixNano())%electionInterval < electionTime
}

// describeFsync tells what the etcd operator reads from the monitoring about the disks, "" if all is well or nothing is
// measured yet: the monitoring needs a node that is no master. The words are those of a report of a real cluster.
func (k *controllers) describeFsync(seen clusterSnapshot) string {
	measured := k.hasLasted("fsync", formatBool(len(seen.listReady("node-role.kubernetes.io/worker")) > 0), measuredAfter)
	if last, _ := k.stateRecords.Get("fsync"); !k.faults.SlowDisks || !measured || last.State != "True" {
		return ""
	}
	return fmt.Sprintf("etcd disk metrics exceeded known tresholds:  fsync duration value: %f", slowFsync)
}

// reportHealth writes the conditions of the etcd operator's controllers, which are well but for that of the disks.
func (k *controllers) reportHealth(o kube.Object, seen clusterSnapshot) {
	for _, controller := range []string{"EtcdCertSignerController", "ScriptController", "TargetConfigController", "ClusterMemberController"} {
		setCondition(o, k.now(), controller+"Degraded", "False", "AsExpected", "")
	}
	if slow := k.describeFsync(seen); slow != "" {
		setCondition(o, k.now(), "FSyncControllerDegraded", "True", "Error", slow)
		return
	}
	setCondition(o, k.now(), "FSyncControllerDegraded", "False", "AsExpected", "")
}

// computeCatchUp is how long a learner takes to catch up.
func (c *cluster) computeCatchUp(learner string) time.Duration {
	usually := learnerTime + computeJitter(learner, 15*time.Second)
	if c.faults.SlowDisks {
		return slowLearning * usually
	}
	return usually
}

// checkLeftoverData tells what keeps a new member from starting where another cluster's data is on its disk: here the last one.
func (c *cluster) checkLeftoverData() error {
	if c.faults.LeftoverData && len(c.members.List()) > c.record().Replicas {
		return errors.New("couldn't validate cluster ID: cluster ID mismatch")
	}
	return nil
}

// serveEtcd runs this master's member until it is removed, or loses its data.
func (k *kubelet) serveEtcd(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if k.cluster.faults.MemberBreaks {
		k.running.Go(func() {
			if k.injectDataLoss(ctx) {
				cancel()
			}
		})
	}
	k.cluster.run(ctx, k.node, k.machine)
}

// injectDataLoss waits until the bootstrap is complete, and empties the disk of etcd on the last master by name. The member
// can never join again: the cluster knows it as one that has run.
func (k *kubelet) injectDataLoss(ctx context.Context) bool {
	complete := k.clusters.poll(ctx, 5*time.Second, func(context.Context) bool {
		status, _ := k.cluster.objects.Get(mapResource, "kube-system", "bootstrap")
		return status.GetString("data.status") == "complete"
	})
	members := k.cluster.members.List() // by name
	if !complete || members[len(members)-1].Name != k.node {
		return false
	}
	k.machine.Console("etcd: panic: tocommit is out of range, was the raft log corrupted, truncated, or lost?")
	if err := k.machine.WriteFile(etcdDataFile, nil); err != nil {
		k.machine.Console("etcd: %v", err)
	}
	return true
}
