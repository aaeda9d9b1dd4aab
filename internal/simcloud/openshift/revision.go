package openshift

import (
	"fmt"
	"strconv"
	"time"

	"exoshift/internal/simcloud/kube"
)

// replaceTime is how long the pod of the next revision takes on a node (inferred).
const replaceTime = 25 * time.Second

// computeRevision is the latest revision of an operand. That of etcd grows with every member that votes, because all others
// have to know it; it never shrinks.
func (k *controllers) computeRevision(operand operand, seen clusterSnapshot) int {
	if operand.resource != etcdResource {
		return 1
	}
	operator, _ := k.objects.Get(operand.resource, "", "cluster")
	return max(1+len(seen.etcd.listVoters()), getInt(operator, "status.latestAvailableRevision"))
}

// getInt reads a number of an object; 0 if there is none.
func getInt(o kube.Object, path string) int {
	found, _ := o.Get(path).(float64)
	return int(found)
}

// computeNodeRevision returns the revision of an operand that runs on a node: at first the latest. Nodes follow one after the
// other.
func (k *controllers) computeNodeRevision(operand operand, node string, latest int, mayMove bool) int {
	operator, _ := k.objects.Get(operand.resource, "", "cluster")
	current := latest
	for _, status := range operator.List("status.nodeStatuses") {
		if running := getInt(status, "currentRevision"); status.GetString("nodeName") == node && running > 0 {
			current = running
		}
	}
	if current < latest && mayMove && k.hasLasted("revision/"+operand.prefix+node, strconv.Itoa(latest), replaceTime) {
		return latest
	}
	return current
}

// checkRevisions tells that nodes do not run the latest revision of etcd yet.
func (k *controllers) checkRevisions() statusDetail {
	operator, _ := k.objects.Get(etcdResource, "", "cluster")
	latest, done, nodes := getInt(operator, "status.latestAvailableRevision"), 0, operator.List("status.nodeStatuses")
	for _, status := range nodes {
		if getInt(status, "currentRevision") == latest {
			done++
		}
	}
	if done == len(nodes) {
		return statusDetail{}
	}
	return statusDetail{"NodeInstaller", fmt.Sprintf("NodeInstallerProgressing: %d nodes are at earlier revisions; %d nodes have achieved new revision %d",
		len(nodes)-done, done, latest)}
}
