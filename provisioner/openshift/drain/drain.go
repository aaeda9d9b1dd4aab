// Package drain does with nodes of a running cluster what only its API can: it cordons them, evicts their pods within their
// disruption budgets, and deletes them.
package drain

import (
	"context"
	"errors"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	podsOfAll   kubeapi.ResourcePath = "v1/pods"
	routers     kubeapi.ResourcePath = "v1/pods@" + state.RouterNamespace
	budgets     kubeapi.ResourcePath = "policy/v1/poddisruptionbudgets"
	attachments kubeapi.ResourcePath = "storage.k8s.io/v1/volumeattachments"
	volumes     kubeapi.ResourcePath = "v1/persistentvolumes"
)

// Drainer cordons, drains and deletes nodes.
type Drainer struct{ connector *kubeapi.Connector }

// New returns a drainer of the connector's cluster.
func New(connector *kubeapi.Connector) *Drainer { return &Drainer{connector} }

// SetCordon cordons a node or ends that, state.Found if it is so already. fault.NotFound: there is no such node.
func (d *Drainer) SetCordon(ctx context.Context, node string, cordoned bool) (state.Action, error) {
	api, err := d.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	found, exists, err := kubeapi.Get[nodeFields](ctx, api, kubeapi.Nodes, node)
	switch {
	case err != nil:
		return "", err
	case !exists:
		return "", fault.Newf(fault.NotFound, "change node "+node, "there is no such node")
	case found.Spec.Unschedulable == cordoned:
		return state.Found, nil
	}
	change := `{"spec":{"unschedulable":true}}`
	if !cordoned {
		change = `{"spec":{"unschedulable":null}}`
	}
	return state.Updated, api.Patch(ctx, kubeapi.Nodes, node, []byte(change))
}

// EvictPod asks for the eviction of a pod: a *state.EvictionBlockedError if a disruption budget does not permit it now, state.Found if the pod
// is gone or is another one of the same name.
func (d *Drainer) EvictPod(ctx context.Context, pod state.Pod) (state.Action, error) {
	op := "evict pod " + pod.ID()
	api, err := d.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	_, err = api.Request(ctx, kubeapi.ResourcePath("v1/pods@"+pod.Namespace), map[string]any{
		"apiVersion": "policy/v1", "kind": "Eviction", "metadata": map[string]any{"name": pod.Name, "namespace": pod.Namespace},
		"deleteOptions": map[string]any{"preconditions": map[string]any{"uid": pod.UID}},
	}, "eviction")
	switch {
	case err == nil:
		return state.Deleted, nil
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return state.Found, nil
	case apierrors.IsTooManyRequests(err), strings.Contains(err.Error(), "more than one PodDisruptionBudget"):
		return "", &state.EvictionBlockedError{Pod: pod.ID(), Message: describeBlock(err)}
	}
	return "", api.ToFault(ctx, op, err)
}

// describeBlock prefers the cause, which names the budget.
func describeBlock(err error) string {
	var answer apierrors.APIStatus
	if errors.As(err, &answer) && answer.Status().Details != nil {
		for _, cause := range answer.Status().Details.Causes {
			if cause.Message != "" {
				return kubeapi.Sanitize(cause.Message)
			}
		}
	}
	return kubeapi.Sanitize(err.Error())
}

// DeleteNode deletes the Node of that UID, state.Found if it is gone.
func (d *Drainer) DeleteNode(ctx context.Context, node string) (state.Action, error) {
	api, err := d.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	found, exists, err := kubeapi.Get[nodeFields](ctx, api, kubeapi.Nodes, node)
	if err != nil || !exists {
		return state.Found, err
	}
	uid := types.UID(found.Metadata.UID)
	err = api.Delete(ctx, kubeapi.Nodes, node, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	switch {
	case apierrors.IsNotFound(err):
		return state.Found, nil
	case err != nil:
		return "", api.ToFault(ctx, "delete node "+node, err)
	}
	return state.Deleted, nil
}

// ListAttachments returns the names of the volumes that are attached to a node, or are to be.
func (d *Drainer) ListAttachments(ctx context.Context, node string) ([]string, error) {
	api, err := d.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	all, err := kubeapi.List[attachmentFields](ctx, api, attachments, "")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, one := range all {
		if one.Spec.NodeName == node {
			names = append(names, one.Spec.Source.Volume)
		}
	}
	slices.Sort(names)
	return names, nil
}

// ListLocalVolumes returns the claims, as namespace and name, of the persistent volumes that only one node has.
func (d *Drainer) ListLocalVolumes(ctx context.Context, node string) ([]string, error) {
	api, err := d.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	all, err := kubeapi.List[volumeFields](ctx, api, volumes, "")
	if err != nil {
		return nil, err
	}
	var claims []string
	for _, volume := range all {
		if volume.isBoundTo(node) {
			claims = append(claims, volume.Spec.Claim.Namespace+"/"+volume.Spec.Claim.Name)
		}
	}
	slices.Sort(claims)
	return claims, nil
}
