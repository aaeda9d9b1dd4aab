package openshift

import (
	"context"
	"encoding/json"
	"slices"

	"exoshift/internal/fault"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

// patchAttempts is how often a change is tried when somebody else changed the object in between: the kubelet writes
// its node's status all the time.
const patchAttempts = 5

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
