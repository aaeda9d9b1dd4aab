package observe

import (
	"cmp"
	"context"
	"slices"

	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nodeFields omits most of a v1 Node, which would be ten times as much: kubelets list their images.
type nodeFields struct {
	Metadata struct {
		Name    string            `json:"name"`
		Labels  map[string]string `json:"labels"`
		Created metav1.Time       `json:"creationTimestamp"`
	} `json:"metadata"`
	Spec struct {
		Taints []corev1.Taint `json:"taints"`
	} `json:"spec"`
	Status struct {
		Addresses  []corev1.NodeAddress   `json:"addresses"`
		Conditions []corev1.NodeCondition `json:"conditions"`
	} `json:"status"`
}

func (n nodeFields) toNode() corev1.Node {
	return corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.Metadata.Name, Labels: n.Metadata.Labels, CreationTimestamp: n.Metadata.Created},
		Spec:       corev1.NodeSpec{Taints: n.Spec.Taints},
		Status:     corev1.NodeStatus{Addresses: n.Status.Addresses, Conditions: n.Status.Conditions},
	}
}

func listNodes(ctx context.Context, api *kubeapi.Client) ([]corev1.Node, error) {
	found, err := kubeapi.List[nodeFields](ctx, api, kubeapi.Nodes, "")
	if err != nil {
		return nil, err
	}
	all := make([]corev1.Node, len(found))
	for i := range found {
		all[i] = found[i].toNode()
	}
	return all, nil
}

func toNodeStatuses(nodes []corev1.Node) []state.NodeStatus {
	statuses := make([]state.NodeStatus, len(nodes))
	for i := range nodes {
		statuses[i] = toNodeStatus(nodes[i])
	}
	stable.Sort(statuses, func(a, b state.NodeStatus) int { return cmp.Compare(a.Name, b.Name) })
	return statuses
}

func toNodeStatus(node corev1.Node) state.NodeStatus {
	status := state.NodeStatus{Name: node.Name, Created: node.CreationTimestamp.Time, Labels: node.Labels, Reason: "it has not reported yet"}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			status.Ready = condition.Status == corev1.ConditionTrue
			status.Reason = cmp.Or(condition.Message, condition.Reason)
			status.Heartbeat = condition.LastHeartbeatTime.Time
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

type pool struct {
	Metadata kubeapi.Named `json:"metadata"`
	Status   struct {
		Conditions kubeapi.Conditions `json:"conditions"`
		Machines   int                `json:"machineCount"`
		Updated    int                `json:"updatedMachineCount"`
		Ready      int                `json:"readyMachineCount"`
	} `json:"status"`
}

// toStatus prefers the other conditions: Degraded only summarizes them (inferred).
func (p pool) toStatus() state.PoolStatus {
	status := state.PoolStatus{
		Name: p.Metadata.Name, Machines: p.Status.Machines, Updated: p.Status.Updated, Ready: p.Status.Ready,
	}
	for _, kind := range []string{"RenderDegraded", "NodeDegraded", "Degraded"} {
		if p.Status.Conditions.Is(kind) {
			status.Degraded = true
			status.Message = cmp.Or(status.Message, p.Status.Conditions.Find(kind).Message)
		}
	}
	return status
}

type scheduler struct {
	Spec struct {
		MastersSchedulable bool `json:"mastersSchedulable"`
	} `json:"spec"`
}

func (l *pollResult) listPoolStatuses() []state.PoolStatus {
	var statuses []state.PoolStatus
	for _, pool := range l.pools {
		statuses = append(statuses, pool.toStatus())
	}
	stable.Sort(statuses, func(a, b state.PoolStatus) int { return cmp.Compare(a.Name, b.Name) })
	return statuses
}

// listRouterNodes takes every pod of the namespace for a router: it holds nothing else (inferred).
func (l *pollResult) listRouterNodes() []string {
	var names []string
	for _, pod := range l.routers {
		if pod.Status.Phase == corev1.PodRunning && pod.Spec.NodeName != "" {
			names = append(names, pod.Spec.NodeName)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
