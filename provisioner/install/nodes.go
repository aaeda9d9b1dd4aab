package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// States of a node as events tell them.
const (
	nodeBooting  = "Booting" // the machine runs; the node has not registered
	nodeNotReady = "NotReady"
	nodeReady    = "Ready"
)

// masters waits until every master is a Ready node.
func (i *Installation) masters() body {
	return i.until(pollCluster, limitMaster, func(ctx context.Context, report provisioner.Report) error {
		return i.readyNodes(ctx, report, i.spec.Machines(state.RoleMaster))
	})
}

// everyNode approves the certificate requests of the nodes that this installation started, and of no others, until
// all of them are Ready.
func (i *Installation) everyNode() body {
	var errand string
	wait := i.until(pollCluster, limitNodes, func(ctx context.Context, report provisioner.Report) error {
		decisions, err := i.world.Cluster.ApproveCSRs(ctx, i.expected())
		if err != nil {
			return err
		}
		for _, d := range decisions {
			i.tellCSR(report, d)
		}
		err = i.readyNodes(ctx, report, i.spec.Nodes())
		if errand = i.replaced(decisions); i.changed("replaced", errand) {
			tellErrand(report, errand)
		}
		return err
	})
	return func(ctx context.Context, report provisioner.Report) error {
		err := wait(ctx, report)
		var limit *provisioner.LimitError
		if errand == "" || !errors.As(err, &limit) {
			return err
		}
		return fault.New(fault.Timeout, "wait until every node is Ready", err).WithHint("%s\nThen run the same command again.", errand)
	}
}

// replaced says what to do about machines that were made again while the cluster still has the nodes of the old ones:
// what asks for a certificate in the name of a node that exists is not let in.
func (i *Installation) replaced(decisions []state.CSRDecision) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	var lines []string
	for _, d := range decisions {
		line := "oc delete node " + d.Node
		stale := d.Reason == state.LeftRegistered && strings.HasPrefix(i.seen["node/"+d.Node], nodeNotReady)
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
			})
		}
	}
	return expected
}

func (i *Installation) tellCSR(report provisioner.Report, d state.CSRDecision) {
	if i.changed("csr/"+d.Name, d.Decision+d.Reason) {
		report(provisioner.Event{Type: provisioner.TypeCSR, Name: d.Name, Node: d.Node, Decision: d.Decision, Reason: d.Reason})
	}
}

// readyNodes looks at the nodes, tells what changed, and returns who is still missing.
func (i *Installation) readyNodes(ctx context.Context, report provisioner.Report, machines []state.Machine) error {
	nodes, err := i.world.Cluster.Nodes(ctx)
	if err != nil {
		return err
	}
	known := make(map[string]state.NodeStatus, len(nodes))
	for _, node := range nodes {
		known[node.Name] = node
	}
	var missing, unready []string
	for _, machine := range machines {
		node, registered := known[machine.Name]
		switch {
		case !registered:
			i.tellNode(report, machine, nodeBooting, "")
			missing = append(missing, machine.Name)
		case !node.Ready:
			i.tellNode(report, machine, nodeNotReady, node.Reason)
			unready = append(unready, machine.Name)
		default:
			i.tellNode(report, machine, nodeReady, "")
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

func (i *Installation) tellNode(report provisioner.Report, machine state.Machine, nodeState, reason string) {
	if i.changed("node/"+machine.Name, nodeState+reason) {
		report(provisioner.Event{Type: provisioner.TypeNode, Name: machine.Name, Role: string(machine.Role), State: nodeState, Reason: reason})
	}
}

// labelNodes gives each node the role it was sized for.
func (i *Installation) labelNodes(ctx context.Context, report provisioner.Report) error {
	return sideBySide(ctx, i.computeNodes(), func(ctx context.Context, machine state.Machine) error {
		labels, taints := roleMarks(machine.Role)
		action, err := i.world.Cluster.LabelNode(ctx, machine.Name, labels, taints)
		if err != nil {
			return err
		}
		object(report, "node", machine.Name, "", action)
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

// placeRouters waits for the ingress operator, which makes the controller that is to be placed.
func (i *Installation) placeRouters() body { return i.until(pollCluster, limitNodes, i.placeIngress) }

func (i *Installation) placeIngress(ctx context.Context, report provisioner.Report) error {
	label := "node-role.kubernetes.io/infra"
	if i.routerRole() == state.RoleWorker {
		label = "node-role.kubernetes.io/app"
	}
	action, err := i.world.Cluster.PlaceIngress(ctx, label, i.routers(), i.proxied())
	if err != nil {
		return err
	}
	object(report, "ingress-controller", "default", "", action)
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

func (i *Installation) clusterVersion() body {
	return i.until(15*time.Second, limitNodes, func(ctx context.Context, report provisioner.Report) error {
		status, err := i.world.Cluster.Version(ctx)
		if err != nil {
			return err
		}
		if status.Message != "" && i.changed("version", status.Message) {
			progress(report, status.Message)
		}
		switch {
		case !status.Installed():
			return fmt.Errorf("%s", status.Message)
		case len(status.Unstable) > 0:
			return fmt.Errorf("%d of %d operators are not stable: %s", len(status.Unstable), status.Total, strings.Join(status.Unstable, ", "))
		}
		return nil
	})
}
