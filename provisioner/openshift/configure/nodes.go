// Package configure changes in the cluster what its API alone can: labels of nodes, the placement of routers, the storage of the
// image registry.
package configure

import (
	"context"
	"encoding/json"
	"slices"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

// Configurer sets up in the cluster what only its API can: where routers run, what nodes are labelled with, where the image
// registry stores. What others have changed since is left unchanged.
type Configurer struct{ connector *kubeapi.Connector }

// New returns a configurer of the connector's cluster.
func New(connector *kubeapi.Connector) *Configurer { return &Configurer{connector} }

// LabelNode adds the labels and taints that are missing: state.Found if none was, fault.NotFound if there is no such node.
func (c *Configurer) LabelNode(ctx context.Context, name string, labels map[string]string, taints []state.Taint) (state.Action, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	return kubeapi.RetryOnConflict(func() (state.Action, error) { return labelNode(ctx, api, name, labels, taints) })
}

func labelNode(ctx context.Context, api *kubeapi.Client, name string, labels map[string]string, taints []state.Taint) (state.Action, error) {
	node, exists, err := kubeapi.Get[corev1.Node](ctx, api, kubeapi.Nodes, name)
	if err != nil {
		return "", err
	}
	if !exists {
		return "", fault.Newf(fault.NotFound, "label node "+name, "it has not registered yet")
	}
	change := diffNode(node, labels, taints)
	if change == nil {
		return state.Found, nil
	}
	content, err := json.Marshal(change)
	if err != nil {
		return "", fault.New(fault.Internal, "label node "+name, err)
	}
	return state.Updated, api.Patch(ctx, kubeapi.Nodes, name, content)
}

// diffNode returns nil if nothing is missing. A merge patch replaces the whole list of taints, therefore it has the resource
// version of the node that it was computed from.
func diffNode(node corev1.Node, labels map[string]string, taints []state.Taint) map[string]any {
	metadata, spec := map[string]any{}, map[string]any{}
	if missing := diffLabels(node.Labels, labels); len(missing) > 0 {
		metadata["labels"] = missing
	}
	if wanted := withTaints(node.Spec.Taints, taints); !slices.Equal(wanted, node.Spec.Taints) {
		metadata["resourceVersion"] = node.ResourceVersion
		spec["taints"] = wanted
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

func diffLabels(present, wanted map[string]string) map[string]string {
	missing := map[string]string{}
	for key, value := range wanted {
		if got, found := present[key]; !found || got != value {
			missing[key] = value
		}
	}
	return missing
}

// withTaints merges by key and effect, which are unique on a node: a wanted taint replaces the present one.
func withTaints(present []corev1.Taint, wanted []state.Taint) []corev1.Taint {
	all := slices.Clone(present)
	for _, taint := range wanted {
		want := corev1.Taint{Key: taint.Key, Value: taint.Value, Effect: corev1.TaintEffect(taint.Effect)}
		switch at := slices.IndexFunc(all, func(got corev1.Taint) bool { return got.MatchTaint(&want) }); {
		case at < 0:
			all = append(all, want)
		case all[at].Value != want.Value:
			all[at] = want
		}
	}
	return all
}
