package operators

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// listTaints returns a node's taints: those in its spec and those that follow from its state, which Kubernetes adds to the spec,
// too.
func listTaints(node kube.Object) []kube.Object {
	list := node.List("spec.taints")
	switch node.Condition("Ready").GetString("status") {
	case "True":
	case "Unknown":
		list = append(list, kube.Object{"key": cluster.UnreachableTaint, "effect": cluster.NoSchedule})
	default:
		list = append(list, kube.Object{"key": cluster.NotReadyTaint, "effect": cluster.NoSchedule})
	}
	if isCordoned(node) {
		list = append(list, kube.Object{"key": cluster.CordonTaint, "effect": cluster.NoSchedule})
	}
	return list
}

func isCordoned(node kube.Object) bool {
	return node.GetBool("spec.unschedulable")
}

func isTolerated(tolerations []kube.Object, taint kube.Object) bool {
	return slices.ContainsFunc(tolerations, func(t kube.Object) bool {
		key, effect, exists := t.GetString("key"), t.GetString("effect"), t.GetString("operator") == "Exists"
		if effect != "" && effect != taint.GetString("effect") {
			return false
		}
		return key == "" && exists || key == taint.GetString("key") && (exists || t.GetString("value") == taint.GetString("value"))
	})
}

// findUntolerated returns nil if all are tolerated. PreferNoSchedule is ignored.
func findUntolerated(list, tolerations []kube.Object) kube.Object {
	for _, taint := range list {
		if taint.GetString("effect") != "PreferNoSchedule" && !isTolerated(tolerations, taint) {
			return taint
		}
	}
	return nil
}

func describeMisfit(node, spec kube.Object, tolerations []kube.Object) string {
	for key, value := range spec.Map("nodeSelector") {
		if got, ok := node.Label(key); !ok || got != value {
			return "didn't match Pod's node affinity/selector"
		}
	}
	if taint := findUntolerated(listTaints(node), tolerations); taint != nil {
		return fmt.Sprintf("had untolerated taint {%s: %s}", taint.GetString("key"), taint.GetString("value"))
	}
	return ""
}

// formatUnschedulable returns the scheduler's message about a pod without a feasible node.
func formatUnschedulable(nodes []kube.Object, misfits func(node kube.Object) string) string {
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

func describeUnschedulable(masters []kube.Object) string {
	if slices.ContainsFunc(masters, func(node kube.Object) bool { return !cluster.HasTaint(node, cluster.CloudTaint) }) {
		return ""
	}
	if len(masters) == 0 {
		return "no schedulable master is ready"
	}
	return formatUnschedulable(masters, func(node kube.Object) string {
		return describeMisfit(node, nil, []kube.Object{{"key": cluster.MasterTaint, "operator": "Exists"}})
	})
}
