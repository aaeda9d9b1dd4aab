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
	slowFsync     = 3.537920 // seconds, of 99 in 100 writes
	electionEvery = 4 * time.Minute
	electionTime  = 8 * time.Second
	slowLearning  = 3 // how many times as long a learner takes to catch up
	// measuredAfter is how long the monitoring needs, on its first node, to know how fast the disks are.
	measuredAfter = time.Minute
)

var errLeaderLost = errors.New("etcdserver: leader changed")

// elects tells whether the members are without a leader now, for the slowness of their disks. One member is alone.
func (c *cluster) elects() bool {
	if !c.troubles.SlowDisks || len(c.members.List()) < 2 {
		return false
	}
	return time.Duration(c.clock.Now().UnixNano())%electionEvery < electionTime
}

// fsync tells what the etcd operator reads from the monitoring about the disks, "" if all is well or nothing is
// measured yet: the monitoring needs a node that is no master. The words are those of a report of a real cluster.
func (k *controllers) fsync(seen view) string {
	measured := k.held("fsync", truth(len(seen.ready("node-role.kubernetes.io/worker")) > 0), measuredAfter)
	if last, _ := k.sightings.Get("fsync"); !k.troubles.SlowDisks || !measured || last.State != "True" {
		return ""
	}
	return fmt.Sprintf("etcd disk metrics exceeded known tresholds:  fsync duration value: %f", slowFsync)
}

// reportHealth writes the conditions of the etcd operator's controllers, which are well but for that of the disks.
func (k *controllers) reportHealth(o kube.Object, seen view) {
	for _, controller := range []string{"EtcdCertSignerController", "ScriptController", "TargetConfigController", "ClusterMemberController"} {
		setCondition(o, k.now(), controller+"Degraded", "False", "AsExpected", "")
	}
	if slow := k.fsync(seen); slow != "" {
		setCondition(o, k.now(), "FSyncControllerDegraded", "True", "Error", slow)
		return
	}
	setCondition(o, k.now(), "FSyncControllerDegraded", "False", "AsExpected", "")
}

// catchUp is how long a learner takes to catch up.
func (c *cluster) catchUp(learner string) time.Duration {
	usually := learnerTime + jitter(learner, 15*time.Second)
	if c.troubles.SlowDisks {
		return slowLearning * usually
	}
	return usually
}

// leftover tells what keeps a new member from starting where another cluster's data is on its disk: here the last one.
func (c *cluster) leftover() error {
	if c.troubles.LeftoverData && len(c.members.List()) > c.record().Replicas {
		return errors.New("couldn't validate cluster ID: cluster ID mismatch")
	}
	return nil
}

// serveEtcd runs this master's member until it is removed, or loses its data.
func (k *kubelet) serveEtcd(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if k.cluster.troubles.MemberBreaks {
		k.running.Go(func() {
			if k.losesData(ctx) {
				cancel()
			}
		})
	}
	k.cluster.run(ctx, k.node, k.machine)
}

// losesData waits until the bootstrap is complete, and empties the disk of etcd on the last master by name. The member
// can never join again: the cluster knows it as one that has run.
func (k *kubelet) losesData(ctx context.Context) bool {
	complete := k.world.poll(ctx, 5*time.Second, func(context.Context) bool {
		status, _ := k.cluster.objects.Get(mapResource, "kube-system", "bootstrap")
		return status.Text("data.status") == "complete"
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
