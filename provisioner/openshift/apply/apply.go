// Package apply applies manifests by server-side apply, in an order that works.
package apply

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Applier applies manifests to the cluster.
type Applier struct{ connector *kubeapi.Connector }

// New returns an applier to the connector's cluster.
func New(connector *kubeapi.Connector) *Applier { return &Applier{connector} }

// Apply applies manifests, YAML documents or one JSON List, by server-side apply: kinds, namespaces and access first, webhooks
// and policies last. Fields that others own are a fault.Conflict that names them; these objects are left unchanged. A kind that
// is not served yet is fault.Transient after all others are applied. What was applied is returned beside an error; to continue,
// apply the same again. Contents of secrets are never part of an error.
func (a *Applier) Apply(ctx context.Context, manifests []byte) ([]state.AppliedObject, error) {
	objects, err := decodeManifests(manifests)
	if err != nil {
		return nil, err
	}
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	all := applyRun{restMapper: restMapper{api: api, known: map[string][]metav1.APIResource{}}, own: listDefinedGroups(objects)}
	var applied []state.AppliedObject
	var skipped error // of the first object whose kind is not served yet
	for _, object := range sortObjects(objects) {
		where, err := all.resolve(ctx, object)
		if isUnserved(err) {
			skipped = cmp.Or(skipped, err)
			continue
		}
		if err != nil {
			return applied, err
		}
		action, err := all.apply(ctx, where, object)
		if err != nil {
			return applied, err
		}
		applied = append(applied, state.AppliedObject{
			Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(), Action: action,
		})
	}
	return applied, skipped
}

type applyRun struct {
	restMapper
	own map[string]bool // groups of kinds that the manifests define
}

func (r *applyRun) resolve(ctx context.Context, object *unstructured.Unstructured) (kubeapi.ResourcePath, error) {
	if r.own[parseGroup(object)] {
		return r.await(ctx, object)
	}
	return r.restMapper.resolve(ctx, object)
}

// apply waits for the storage of a kind that these manifests define: an API server creates it after it begins to serve the kind.
func (r *applyRun) apply(ctx context.Context, where kubeapi.ResourcePath, object *unstructured.Unstructured) (state.Action, error) {
	var action state.Action
	var failed error
	_, ended := r.api.Network.Clock.Poll(ctx, mappingPause, establishTimeout, func() (bool, error) {
		action, failed = applyObject(ctx, r.api, where, object)
		return !r.own[parseGroup(object)] || !apierrors.IsTooManyRequests(failed), nil
	})
	if ended != nil {
		return "", ended
	}
	return action, failed
}

// version holds the fields that change with every change of an object.
type version struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
}

// applyObject compares versions to report whether the object changed.
func applyObject(ctx context.Context, api *kubeapi.Client, where kubeapi.ResourcePath, object *unstructured.Unstructured) (state.Action, error) {
	before, exists, err := kubeapi.Get[version](ctx, api, where, object.GetName())
	if err != nil {
		return "", err
	}
	op := "apply " + formatObject(object)
	content, err := json.Marshal(object.Object)
	if err != nil {
		return "", fault.Newf(fault.Internal, op, "it cannot be written")
	}
	after, err := api.Apply(ctx, where, object.GetName(), content)
	switch {
	case err != nil:
		return "", toApplyFault(ctx, api, op, object, err)
	case !exists:
		return state.Created, nil
	case after.GetResourceVersion() == before.Metadata.ResourceVersion:
		return state.Found, nil
	}
	return state.Updated, nil
}

func toApplyFault(ctx context.Context, api *kubeapi.Client, op string, object *unstructured.Unstructured, err error) error {
	if others := describeConflicts(err); others != "" {
		return fault.Newf(fault.Conflict, op, "others own some of its fields: %s", others).
			WithHint("check the object: delete it, or revert the changes of others, and run again")
	}
	failure := api.ToFault(ctx, op, err)
	switch {
	case apierrors.IsNotFound(err):
		return fault.Newf(fault.Transient, op, "the namespace %q does not exist yet", object.GetNamespace())
	case apierrors.HasStatusCause(err, "NamespaceTerminating"):
		return fault.Newf(fault.Transient, op, "the namespace %q is being deleted", object.GetNamespace())
	case object.GetKind() == "Secret":
		return kubeapi.RedactMessage(failure)
	}
	return kubeapi.TruncateMessage(failure)
}

func formatObject(object *unstructured.Unstructured) string {
	name := object.GetName()
	if object.GetNamespace() != "" {
		name = object.GetNamespace() + "/" + name
	}
	return kubeapi.Sanitize(object.GetKind() + " " + name)
}

const maxConflicts = 5

// describeConflicts returns "" if the apply failed for another reason. The API names fields and managers, but no values.
func describeConflicts(err error) string {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) || answer.Status().Details == nil {
		return ""
	}
	var named []string
	for _, cause := range answer.Status().Details.Causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			named = append(named, fmt.Sprintf("%s of %s", kubeapi.Sanitize(cause.Field), kubeapi.Sanitize(parseManager(cause.Message))))
		}
	}
	if more := len(named) - maxConflicts; more > 0 {
		named = append(named[:maxConflicts], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(named, ", ")
}

// parseManager parses the API's message: conflict with "kubectl" using apps/v1.
func parseManager(message string) string {
	if parts := strings.SplitN(message, `"`, 3); len(parts) == 3 {
		return parts[1]
	}
	return "someone else"
}
