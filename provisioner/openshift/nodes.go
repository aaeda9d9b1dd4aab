package openshift

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

// patchAttempts is how often a change is tried when somebody else changed the object in between: the kubelet writes
// its node's status all the time.
const patchAttempts = 5

// Nodes lists the nodes that have registered, in the order of their names.
func (c *Cluster) Nodes(ctx context.Context) ([]state.NodeStatus, error) {
	api, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	found, err := list[corev1.Node](ctx, api, nodes, "")
	if err != nil {
		return nil, err
	}
	statuses := make([]state.NodeStatus, len(found))
	for i, node := range found {
		statuses[i] = nodeStatus(node)
	}
	slices.SortFunc(statuses, func(a, b state.NodeStatus) int { return strings.Compare(a.Name, b.Name) })
	return statuses, nil
}

func nodeStatus(node corev1.Node) state.NodeStatus {
	status := state.NodeStatus{Name: node.Name, Labels: node.Labels, Reason: "it has not reported yet"}
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

// LabelNode adds the labels and taints that are missing: state.Found if none was, fault.NotFound if there is no such
// node.
func (c *Cluster) LabelNode(ctx context.Context, name string, labels map[string]string, taints []state.Taint) (state.Action, error) {
	api, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	for range patchAttempts {
		var changed bool
		changed, err = api.labelNode(ctx, name, labels, taints)
		if err == nil && !changed {
			return state.Found, nil
		}
		if err == nil || !conflicts(err) {
			break
		}
	}
	if err != nil {
		return "", err
	}
	return state.Updated, nil
}

func (a *api) labelNode(ctx context.Context, name string, labels map[string]string, taints []state.Taint) (changed bool, err error) {
	node, exists, err := read[corev1.Node](ctx, a, nodes, name)
	if err != nil {
		return false, err
	}
	if !exists {
		return false, fault.Newf(fault.NotFound, "label node "+name, "it has not registered yet")
	}
	change := nodeChange(node, labels, taints)
	if change == nil {
		return false, nil
	}
	content, err := json.Marshal(change)
	if err != nil {
		return false, fault.New(fault.Internal, "label node "+name, err)
	}
	return true, a.patch(ctx, nodes, name, content)
}

// nodeChange returns the merge patch that adds what is missing, or nil. A merge patch replaces the whole list of
// taints, therefore it names the version of the node that it was made from.
func nodeChange(node corev1.Node, labels map[string]string, taints []state.Taint) map[string]any {
	metadata, spec := map[string]any{}, map[string]any{}
	if missing := missingLabels(node.Labels, labels); len(missing) > 0 {
		metadata["labels"] = missing
	}
	if added := withTaints(node.Spec.Taints, taints); len(added) > len(node.Spec.Taints) {
		metadata["resourceVersion"] = node.ResourceVersion
		spec["taints"] = added
	}
	change := map[string]any{}
	if len(metadata) > 0 {
		change["metadata"] = metadata
	}
	if len(spec) > 0 {
		change["spec"] = spec
	}
	if len(change) == 0 {
		return nil
	}
	return change
}

func missingLabels(present, wanted map[string]string) map[string]string {
	missing := map[string]string{}
	for key, value := range wanted {
		if got, found := present[key]; !found || got != value {
			missing[key] = value
		}
	}
	return missing
}

// withTaints returns the taints that are there, followed by the wanted ones that are not.
func withTaints(present []corev1.Taint, wanted []state.Taint) []corev1.Taint {
	all := slices.Clone(present)
	for _, taint := range wanted {
		want := corev1.Taint{Key: taint.Key, Value: taint.Value, Effect: corev1.TaintEffect(taint.Effect)}
		if !slices.ContainsFunc(all, func(got corev1.Taint) bool { return got.MatchTaint(&want) && got.Value == want.Value }) {
			all = append(all, want)
		}
	}
	return all
}
