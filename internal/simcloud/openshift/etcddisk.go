package openshift

import (
	"context"
	"errors"
	"fmt"
	"time"

	"exoshift/internal/simcloud/kube"
)

// Effects of slow disks on etcd: the duration of a WAL fsync, and how often and for how long the members have no leader because
// heartbeats are late.
const (
	slowFsync        = 3.537920 // seconds, the 99th percentile
	electionInterval = 4 * time.Minute
	electionTime     = 8 * time.Second
	slowLearning     = 3 // factor on a learner's catch-up time
	// measuredAfter is how long the monitoring, on its first node, needs to measure the disks.
	measuredAfter = time.Minute
)

var errLeaderLost = errors.New("etcdserver: leader changed")

// isElecting reports whether the members have no leader now because of slow disks. A single member needs no election.
func (c *cluster) isElecting() bool {
	if !c.faults.SlowDisks || len(c.members.List()) < 2 {
		return false
	}
	return time.Duration(c.clock.Now().UnixNano())%electionInterval < electionTime
}

// describeFsync returns what the etcd operator reads from the monitoring about the disks, "" if they are fast enough or not
// measured yet: the monitoring needs a node that is no master. The wording is from a report of a real cluster.
func (k *controllers) describeFsync(seen clusterSnapshot) string {
	measured := k.hasLasted("fsync", kube.FormatStatus(len(seen.listReady("node-role.kubernetes.io/worker")) > 0), measuredAfter)
	if last, _ := k.stateRecords.Get("fsync"); !k.faults.SlowDisks || !measured || last.State != "True" {
		return ""
	}
	return fmt.Sprintf("etcd disk metrics exceeded known tresholds:  fsync duration value: %f", slowFsync)
}

func (k *controllers) reportHealth(o kube.Object, seen clusterSnapshot) {
	for _, controller := range []string{"EtcdCertSignerController", "ScriptController", "TargetConfigController", "ClusterMemberController"} {
		o.SetCondition(k.now(), controller+"Degraded", "False", "AsExpected", "")
	}
	if slow := k.describeFsync(seen); slow != "" {
		o.SetCondition(k.now(), "FSyncControllerDegraded", "True", "Error", slow)
		return
	}
	o.SetCondition(k.now(), "FSyncControllerDegraded", "False", "AsExpected", "")
}

func (c *cluster) computeCatchUp(learner string) time.Duration {
	usually := learnerTime + computeJitter(learner, 15*time.Second)
	if c.faults.SlowDisks {
		return slowLearning * usually
	}
	return usually
}

// checkLeftoverData returns why a new member cannot start on the data of another cluster: here on the last master.
func (c *cluster) checkLeftoverData() error {
	if c.faults.LeftoverData && len(c.members.List()) > c.record().Replicas {
		return errors.New("couldn't validate cluster ID: cluster ID mismatch")
	}
	return nil
}

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

// injectDataLoss waits until the bootstrap is complete, and deletes etcd's data on the last master by name. The member can never
// rejoin: the cluster has recorded it as started.
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
