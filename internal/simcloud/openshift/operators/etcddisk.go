package operators

import (
	"fmt"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// Effects of slow disks on etcd: the duration of a WAL fsync, and how long learners take.
const (
	slowFsync    = 3.537920 // seconds, the 99th percentile
	slowLearning = 3        // factor on a learner's catch-up time
	// measuredAfter is how long the monitoring, on its first node, needs to measure the disks.
	measuredAfter = time.Minute
)

// describeFsync returns what the etcd operator reads from the monitoring about the disks, "" if they are fast enough or not
// measured yet: the monitoring needs a node that is no master. The wording is from a report of a real cluster.
func describeFsync(k *loop, seen clusterSnapshot) string {
	measured := k.hasLasted("fsync", kube.FormatStatus(len(seen.listReady("node-role.kubernetes.io/worker")) > 0), measuredAfter)
	if last, _ := k.StateRecords.Get("fsync"); !k.Faults.SlowDisks || !measured || last.State != "True" {
		return ""
	}
	return fmt.Sprintf("etcd disk metrics exceeded known tresholds:  fsync duration value: %f", slowFsync)
}

func (k etcdOperator) reportHealth(o kube.Object, seen clusterSnapshot) {
	for _, controller := range []string{"EtcdCertSignerController", "ScriptController", "TargetConfigController", "ClusterMemberController"} {
		o.SetCondition(k.Timestamp(), controller+"Degraded", "False", "AsExpected", "")
	}
	if slow := describeFsync(k.loop, seen); slow != "" {
		o.SetCondition(k.Timestamp(), "FSyncControllerDegraded", "True", "Error", slow)
		return
	}
	o.SetCondition(k.Timestamp(), "FSyncControllerDegraded", "False", "AsExpected", "")
}

func (k etcdOperator) computeCatchUp(learner string) time.Duration {
	usually := learnerTime + cluster.Jitter(learner, 15*time.Second)
	if k.Faults.SlowDisks {
		return slowLearning * usually
	}
	return usually
}
