package operators

import (
	"fmt"
	"strconv"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// replaceTime is how long the replacement of a static pod takes on a node (inferred).
const replaceTime = 25 * time.Second

// computeRevision returns the latest revision of an operand. That of etcd increases with every voting member, because it is part
// of every member's configuration; it never decreases.
func (k staticPods) computeRevision(operand operand, seen clusterSnapshot) int {
	if operand.resource != cluster.EtcdResource {
		return 1
	}
	operator, _ := k.Objects.Get(operand.resource, "", "cluster")
	return max(1+len(seen.etcd.ListVoters()), operator.GetInt("status.latestAvailableRevision"))
}

// computeNodeRevision returns the revision of an operand on a node: at first the latest. Nodes are updated one after the other.
func (k staticPods) computeNodeRevision(operand operand, node string, latest int, mayMove bool) int {
	operator, _ := k.Objects.Get(operand.resource, "", "cluster")
	current := latest
	for _, status := range operator.List("status.nodeStatuses") {
		if running := status.GetInt("currentRevision"); status.GetString("nodeName") == node && running > 0 {
			current = running
		}
	}
	if current < latest && mayMove && k.hasLasted("revision/"+operand.prefix+node, strconv.Itoa(latest), replaceTime) {
		return latest
	}
	return current
}

// checkRevisions returns a detail while nodes do not run the latest revision of etcd.
func checkRevisions(objects *kube.Objects) statusDetail {
	operator, _ := objects.Get(cluster.EtcdResource, "", "cluster")
	latest, done, nodes := operator.GetInt("status.latestAvailableRevision"), 0, operator.List("status.nodeStatuses")
	for _, status := range nodes {
		if status.GetInt("currentRevision") == latest {
			done++
		}
	}
	if done == len(nodes) {
		return statusDetail{}
	}
	return statusDetail{"NodeInstaller", fmt.Sprintf("NodeInstallerProgressing: %d nodes are at earlier revisions; %d nodes have achieved new revision %d",
		len(nodes)-done, done, latest)}
}
