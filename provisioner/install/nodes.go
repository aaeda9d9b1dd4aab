package install

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

const (
	nodeBooting  = "Booting" // the machine runs; the node has not registered
	nodeNotReady = "NotReady"
	nodeReady    = "Ready"
)

// Each poll approves the certificate requests of the nodes that this installation started, and of no others.
func (i *Installation) waitNodes() provisioner.StepFunc {
	return i.waitWithActions(limitNodes, "wait until every node is Ready", func(seen state.Snapshot) error {
		return i.checkReadyNodes(seen.Nodes, i.spec.Nodes())
	})
}

// Recreated machines cannot join while the cluster has the nodes of the old ones: requests in the name of an existing
// node are not approved.
func describeReplaced(seen state.Snapshot) string {
	nodes := indexNodes(seen.Nodes)
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
	return "These nodes are not Ready while a machine asks to join in their name. If you replaced the machine:\n" + strings.Join(lines, "\n")
}

func (i *Installation) listExpectedNodes() []state.ExpectedNode {
	newKeys := i.Facts().NewKeys
	i.mu.Lock()
	defer i.mu.Unlock()
	var expected []state.ExpectedNode
	for _, machine := range i.spec.Nodes() {
		if instance, ok := i.nodes[machine.Name]; ok {
			expected = append(expected, state.ExpectedNode{
				Name: machine.Name, Role: machine.Role, Addresses: []string{instance.Address}, Created: instance.Created,
				NewKeys: newKeys[instance.ID], Keys: i.allowed[machine.Name],
			})
		}
	}
	return expected
}

// A node that is older than its machine is that of an earlier machine of the same name.
func (i *Installation) checkReadyNodes(nodes []state.NodeStatus, machines []state.Machine) error {
	known := indexNodes(nodes)
	var missing, unready []string
	for _, machine := range machines {
		instance, _ := i.findInstance(machine.Name)
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
		parts = append(parts, "not registered: "+joinLimited(missing))
	}
	if len(unready) > 0 {
		parts = append(parts, "registered, but not Ready: "+joinLimited(unready))
	}
	if len(parts) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d nodes are Ready; %s", total-len(missing)-len(unready), total, strings.Join(parts, "; "))
}

func joinLimited(names []string) string {
	const enough = 12
	if len(names) <= enough {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:enough], ", "), len(names)-enough)
}

func (i *Installation) labelNodes(ctx context.Context, report provisioner.Report) error {
	return provisioner.ForEach(ctx, i.spec.ComputeNodes(), func(ctx context.Context, machine state.Machine) error {
		labels, taints := getRoleLabels(machine.Role)
		action, err := i.clients.Cluster.LabelNode(ctx, machine.Name, labels, taints)
		if err != nil {
			return err
		}
		report.EmitObject("node", machine.Name, "", string(action))
		return nil
	})
}

// The labels and taints are those that APPUiO's components expect.
func getRoleLabels(role state.Role) (map[string]string, []state.Taint) {
	const prefix = "node-role.kubernetes.io/"
	switch role {
	case state.RoleInfra:
		return map[string]string{prefix + "infra": ""}, nil
	case state.RoleStorage:
		return map[string]string{prefix + "storage": ""},
			[]state.Taint{{Key: "storagenode", Value: "True", Effect: "NoSchedule"}}
	}
	return map[string]string{prefix + "app": ""}, nil
}

const ingressInterval = 10 * time.Second

func (i *Installation) waitIngressPlaced() provisioner.StepFunc {
	return provisioner.PollUntil(i.clients.Clock, ingressInterval, limitNodes, i.placeIngress)
}

func (i *Installation) placeIngress(ctx context.Context, report provisioner.Report) error {
	label := "node-role.kubernetes.io/infra"
	if i.spec.RouterRole() == state.RoleWorker {
		label = "node-role.kubernetes.io/app"
	}
	action, err := i.clients.Cluster.EnsureIngressPlacement(ctx, label, i.countRouters(), i.isProxied())
	if err != nil {
		return err
	}
	report.EmitObject("ingress-controller", "default", "", string(action))
	return nil
}

// Without load balancers, each node that the ingress's name resolves to needs a router.
func (i *Installation) countRouters() int {
	nodes := len(i.spec.Machines(i.spec.RouterRole()))
	if i.spec.IsRoundRobin() {
		return nodes
	}
	return min(2, nodes)
}

// Load balancers send the PROXY protocol.
func (i *Installation) isProxied() bool {
	return i.spec.LoadBalancer.ProxyProtocol && !i.spec.IsRoundRobin()
}
