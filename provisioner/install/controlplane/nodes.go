package controlplane

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/provisioner/install/watch"
	"exoshift/state"
)

// Recreated machines cannot join while the cluster has the nodes of the old ones: requests in the name of an existing
// node are not approved.
func describeReplaced(seen state.Snapshot) string {
	nodes := seen.NodesByName()
	var lines []string
	for _, request := range seen.Requests {
		line := "oc delete node " + request.Node
		node, registered := nodes[request.Node]
		stale := request.BlockedReason == state.SkippedRegistered && registered && !node.Ready
		if stale && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	slices.Sort(lines)
	return "These nodes are not Ready, and a machine requests to join under their names. If you replaced the machine:\n" + strings.Join(lines, "\n")
}

// A node that is older than its machine is that of an earlier machine of the same name.
func (c *ControlPlane) checkReadyNodes(seen state.Snapshot, machines []state.Machine) error {
	known := seen.NodesByName()
	var missing, unready []string
	for _, machine := range machines {
		instance, _ := c.machines.Find(machine.Name)
		switch node, registered := known[machine.Name]; {
		case !registered || node.Created.Before(instance.Created):
			missing = append(missing, machine.Name)
		case !node.Ready:
			unready = append(unready, machine.Name)
		}
	}
	return newWaitError(len(machines), missing, unready)
}

func newWaitError(total int, missing, unready []string) error {
	var parts []string
	if len(missing) > 0 {
		parts = append(parts, "not registered: "+watch.JoinNodes(missing))
	}
	if len(unready) > 0 {
		parts = append(parts, "registered, but not Ready: "+watch.JoinNodes(unready))
	}
	if len(parts) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d nodes are Ready; %s", total-len(missing)-len(unready), total, strings.Join(parts, "; "))
}
