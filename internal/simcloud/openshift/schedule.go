package openshift

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/simcloud/kube"
)

const (
	masterTaint = "node-role.kubernetes.io/master"
	// cloudTaint is on every node of a cluster with an external cloud provider until a cloud controller has seen it.
	cloudTaint       = "node.cloudprovider.kubernetes.io/uninitialized"
	notReadyTaint    = "node.kubernetes.io/not-ready"
	unreachableTaint = "node.kubernetes.io/unreachable"
	cordonTaint      = "node.kubernetes.io/unschedulable"
	noSchedule       = "NoSchedule"
)

// taints returns the taints that keep pods from a node: those written on it and those that follow from its state, which
// Kubernetes writes there, too.
func taints(node kube.Object) []kube.Object {
	list := node.List("spec.taints")
	switch condition(node, "Ready").Text("status") {
	case "True":
	case "Unknown":
		list = append(list, kube.Object{"key": unreachableTaint, "effect": noSchedule})
	default:
		list = append(list, kube.Object{"key": notReadyTaint, "effect": noSchedule})
	}
	if cordoned, _ := node.Get("spec.unschedulable").(bool); cordoned {
		list = append(list, kube.Object{"key": cordonTaint, "effect": noSchedule})
	}
	return list
}

// tolerates tells whether one of the tolerations is for the taint.
func tolerates(tolerations []kube.Object, taint kube.Object) bool {
	return slices.ContainsFunc(tolerations, func(t kube.Object) bool {
		key, effect, exists := t.Text("key"), t.Text("effect"), t.Text("operator") == "Exists"
		if effect != "" && effect != taint.Text("effect") {
			return false
		}
		return key == "" && exists || key == taint.Text("key") && (exists || t.Text("value") == taint.Text("value"))
	})
}

// untolerated returns the first of the taints that nothing tolerates; nil if there is none. Those that only express a
// preference do not count.
func untolerated(list, tolerations []kube.Object) kube.Object {
	for _, taint := range list {
		if taint.Text("effect") != "PreferNoSchedule" && !tolerates(tolerations, taint) {
			return taint
		}
	}
	return nil
}

// misfit tells in the scheduler's words why a pod cannot run on a node, "" if it can.
func misfit(node, spec kube.Object, tolerations []kube.Object) string {
	labels := node.Labels()
	for key, value := range spec.Map("nodeSelector") {
		if got, ok := labels[key]; !ok || got != value {
			return "didn't match Pod's node affinity/selector"
		}
	}
	if taint := untolerated(taints(node), tolerations); taint != nil {
		return fmt.Sprintf("had untolerated taint {%s: %s}", taint.Text("key"), taint.Text("value"))
	}
	return ""
}

// unschedulable is the scheduler's message about a pod for which there is no node.
func unschedulable(nodes []kube.Object, misfits func(node kube.Object) string) string {
	if len(nodes) == 0 {
		return "no nodes available to schedule pods"
	}
	counts := map[string]int{}
	for _, node := range nodes {
		counts[misfits(node)]++
	}
	var parts []string
	for reason, count := range counts {
		parts = append(parts, fmt.Sprintf("%d node(s) %s", count, reason))
	}
	slices.Sort(parts)
	return fmt.Sprintf("0/%d nodes are available: %s.", len(nodes), strings.Join(parts, ", "))
}

// withoutPlace tells why the release's operators have no node to run on, "" if they have one: they tolerate masters,
// but not nodes that no cloud controller has seen.
func withoutPlace(masters []kube.Object) string {
	if slices.ContainsFunc(masters, func(node kube.Object) bool { return !tainted(node, cloudTaint) }) {
		return ""
	}
	if len(masters) == 0 {
		return "no schedulable master is ready"
	}
	return unschedulable(masters, func(node kube.Object) string {
		return misfit(node, nil, []kube.Object{{"key": masterTaint, "operator": "Exists"}})
	})
}
