package openshift

import (
	"cmp"

	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

// nodeStatuses returns how the nodes are, sorted by name.
func nodeStatuses(nodes []corev1.Node) []state.NodeStatus {
	statuses := make([]state.NodeStatus, len(nodes))
	for i := range nodes {
		statuses[i] = nodeStatus(nodes[i])
	}
	sortedBy(statuses, func(node state.NodeStatus) string { return node.Name })
	return statuses
}

func nodeStatus(node corev1.Node) state.NodeStatus {
	status := state.NodeStatus{Name: node.Name, Created: node.CreationTimestamp.Time, Labels: node.Labels, Reason: "it has not reported yet"}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			status.Ready = condition.Status == corev1.ConditionTrue
			status.Reason = cmp.Or(condition.Message, condition.Reason)
		}
	}
	if status.Ready {
		status.Reason = ""
	}
	for _, address := range node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP && status.Address == "" {
			status.Address = address.Address
		}
	}
	for _, taint := range node.Spec.Taints {
		status.Taints = append(status.Taints, state.Taint{Key: taint.Key, Value: taint.Value, Effect: string(taint.Effect)})
	}
	return status
}
