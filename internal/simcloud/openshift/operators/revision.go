package operators

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/etcd"
)

// replaceTime is how long the replacement of a static pod takes on a node (inferred).
const replaceTime = 25 * time.Second

// computeRevision returns the latest revision of an operand, which never decreases. That of etcd increases with every voting member of a new
// cluster, because it is part of every member's configuration, and later with every other set of members that is complete: with fewer the
// operator considers no roll-out safe. That of the API servers increases with every change of the members that they use. Both increase with
// an update.
func (k staticPods) computeRevision(operand operand, seen clusterSnapshot) int {
	operator, _ := k.Objects.Get(operand.resource, "", "cluster")
	latest := max(1, operator.GetInt("status.latestAvailableRevision"))
	voters := seen.etcd.ListVoters()
	var update string
	switch operand.resource {
	case cluster.EtcdResource:
		latest = max(1+len(voters), latest)
		if len(voters) < k.Record().Replicas {
			return latest
		}
		update = k.updates.Revision("etcd", seen.turn)
	case apiServerResource:
		update = k.updates.Revision("kube-apiserver", seen.turn)
	default:
		return 1
	}
	if !seen.bootstrapped || seen.etcd.Has(etcd.BootstrapMember) || !k.isChanged("voters of "+operand.resource, formatVoters(voters)+update) {
		return latest
	}
	return latest + 1
}

func formatVoters(voters []etcd.Member) string {
	ids := make([]string, len(voters))
	for i, m := range voters {
		ids[i] = m.ID
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// isChanged reports whether something was in another state when it was asked for last; at first it was not.
func (k staticPods) isChanged(what, state string) bool {
	last, known := k.StateRecords.Get(what)
	if known && last.State == state {
		return false
	}
	if err := k.StateRecords.Put(what, cluster.StateRecord{What: what, State: state, Since: k.Clock.Now()}); err != nil {
		k.machine.Console("etcd: %v", err)
	}
	return known
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

// checkRevisions returns a detail while nodes do not run the latest revision of an operand.
func checkRevisions(objects *kube.Objects, resource string) statusDetail {
	operator, _ := objects.Get(resource, "", "cluster")
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

// isAtLaterRevision reports whether the API servers have another configuration than that of the installation.
func isAtLaterRevision(objects *kube.Objects) bool {
	operator, _ := objects.Get(apiServerResource, "", "cluster")
	return operator.GetInt("status.latestAvailableRevision") > 1
}
