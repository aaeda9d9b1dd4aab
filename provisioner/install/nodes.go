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

// States of a node as events tell them.
const (
	nodeBooting  = "Booting" // the machine runs; the node has not registered
	nodeNotReady = "NotReady"
	nodeReady    = "Ready"
)

// everyNode waits until all nodes are Ready. Meanwhile each look approves the certificate requests of the nodes that
// this installation started, and of no others.
func (i *Installation) everyNode() provisioner.Body {
	return i.attended(limitNodes, "wait until every node is Ready", func(seen state.Observation) error {
		return i.readyNodes(seen.Nodes, i.spec.Nodes())
	})
}

// replaced says what to do about machines that were made again while the cluster still has the nodes of the old ones:
// what asks for a certificate in the name of a node that exists is not let in.
func replaced(seen state.Observation) string {
	nodes := nodesByName(seen.Nodes)
	var lines []string
	for _, request := range seen.Requests {
		line := "oc delete node " + request.Node
		node, registered := nodes[request.Node]
		stale := request.Refusal == state.LeftRegistered && registered && !node.Ready
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

func (i *Installation) expected() []state.ExpectedNode {
	i.mu.Lock()
	defer i.mu.Unlock()
	var expected []state.ExpectedNode
	for _, machine := range i.spec.Nodes() {
		if instance, ok := i.nodes[machine.Name]; ok {
			expected = append(expected, state.ExpectedNode{
				Name: machine.Name, Role: machine.Role, Addresses: []string{instance.Address}, Created: instance.Created,
				NewKeys: i.facts.NewKeys[instance.ID], Keys: i.keys[machine.Name],
			})
		}
	}
	return expected
}

// readyNodes says which of the machines are not Ready nodes yet. A node that is older than its machine is that of an
// earlier machine of the same name.
func (i *Installation) readyNodes(nodes []state.NodeStatus, machines []state.Machine) error {
	known := nodesByName(nodes)
	var missing, unready []string
	for _, machine := range machines {
		instance, _ := i.instanceOf(machine.Name)
		switch node, registered := known[machine.Name]; {
		case !registered || node.Created.Before(instance.Created):
			missing = append(missing, machine.Name)
		case !node.Ready:
			unready = append(unready, machine.Name)
		}
	}
	return waitingFor(len(machines), missing, unready)
}

func waitingFor(total int, missing, unready []string) error {
	var parts []string
	if len(missing) > 0 {
		parts = append(parts, "not registered: "+few(missing))
	}
	if len(unready) > 0 {
		parts = append(parts, "registered, but not Ready: "+few(unready))
	}
	if len(parts) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d nodes are Ready; %s", total-len(missing)-len(unready), total, strings.Join(parts, "; "))
}

// few lists names, but no more than a person reads.
func few(names []string) string {
	const enough = 12
	if len(names) <= enough {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:enough], ", "), len(names)-enough)
}

// labelNodes gives each node the role it was sized for.
func (i *Installation) labelNodes(ctx context.Context, report provisioner.Report) error {
	return sideBySide(ctx, i.computeNodes(), func(ctx context.Context, machine state.Machine) error {
		labels, taints := roleMarks(machine.Role)
		action, err := i.world.Cluster.LabelNode(ctx, machine.Name, labels, taints)
		if err != nil {
			return err
		}
		report.Object("node", machine.Name, "", string(action))
		return nil
	})
}

// roleMarks returns the labels and taints of a role, as APPUiO's components expect them.
func roleMarks(role state.Role) (map[string]string, []state.Taint) {
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

// placeEvery is how often the ingress operator is asked for the controller that is to be placed.
const placeEvery = 10 * time.Second

// placeRouters waits for the ingress operator, which makes the controller that is to be placed.
func (i *Installation) placeRouters() provisioner.Body {
	return provisioner.Until(i.world.Clock, placeEvery, limitNodes, i.placeIngress)
}

func (i *Installation) placeIngress(ctx context.Context, report provisioner.Report) error {
	label := "node-role.kubernetes.io/infra"
	if i.routerRole() == state.RoleWorker {
		label = "node-role.kubernetes.io/app"
	}
	action, err := i.world.Cluster.PlaceIngress(ctx, label, i.routers(), i.proxied())
	if err != nil {
		return err
	}
	report.Object("ingress-controller", "default", "", string(action))
	return nil
}

// routers is how many there are. Where DNS balances the load, each node that the ingress's name leads to has one.
func (i *Installation) routers() int {
	nodes := len(i.spec.Machines(i.routerRole()))
	if i.spec.RoundRobin() {
		return nodes
	}
	return min(2, nodes)
}

// proxied tells whether routers are told who their clients are; without load balancers there is nobody to tell them.
func (i *Installation) proxied() bool {
	return i.spec.LoadBalancer.ProxyProtocol && !i.spec.RoundRobin()
}
