// Package objectrestore compares objects of a backup with those of the cluster, and applies them by server-side apply.
package objectrestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/apply"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state/restoration"
)

// Restorer restores objects.
type Restorer struct{ connector *kubeapi.Connector }

// New returns a restorer into the connector's cluster.
func New(connector *kubeapi.Connector) *Restorer { return &Restorer{connector} }

// ListServedKinds returns the kinds that the API serves and objects can be restored of, each in the version that its group prefers, in the
// order of the API.
func (r *Restorer) ListServedKinds(ctx context.Context) ([]restoration.Kind, error) {
	api, err := r.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	versions, err := api.ListVersions(ctx)
	if err != nil {
		return nil, err
	}
	var kinds []restoration.Kind
	known := map[string]bool{}
	for _, version := range versions {
		resources, err := api.ListResources(ctx, version)
		if err != nil {
			if version == "v1" || ctx.Err() != nil {
				return nil, err
			}
			continue // an aggregated API that does not answer
		}
		for _, resource := range resources {
			kind := newKind(version, resource)
			if strings.Contains(resource.Name, "/") || known[kind.Name()] || !slices.Contains(resource.Verbs, "patch") {
				continue
			}
			known[kind.Name()] = true
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

func newKind(version string, resource metav1.APIResource) restoration.Kind {
	kind := restoration.Kind{
		Version: version, Resource: resource.Name, Kind: resource.Kind, Singular: resource.SingularName, ShortNames: resource.ShortNames, Namespaced: resource.Namespaced,
	}
	if group, rest, grouped := strings.Cut(version, "/"); grouped {
		kind.Group, kind.Version = group, rest
	}
	kind.Rank = apply.RankKind(kind.Group, kind.Kind, false)
	return kind
}

func pathOf(object restoration.Object) kubeapi.ResourcePath {
	where := object.Version + "/" + object.Kind.Resource
	if object.Kind.Namespaced {
		where += "@" + object.Namespace
	}
	return kubeapi.ResourcePath(where)
}

// GetLiveObject returns the object that the cluster has, nil: none.
func (r *Restorer) GetLiveObject(ctx context.Context, object restoration.Object) (json.RawMessage, error) {
	api, err := r.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	content, exists, err := kubeapi.Get[json.RawMessage](ctx, api, pathOf(object), object.Name)
	if !exists {
		content = nil
	}
	return content, err
}

const applications kubeapi.ResourcePath = "argoproj.io/v1alpha1/applications"

// ListApplications returns the names of the applications of Argo CD.
func (r *Restorer) ListApplications(ctx context.Context) ([]string, error) {
	api, err := r.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	all, err := kubeapi.List[metav1.PartialObjectMetadata](ctx, api, applications, "")
	var names []string
	for _, one := range all {
		names = append(names, one.Name)
	}
	return names, err
}

// PreviewObject returns what the cluster would have after RestoreObject, and changes nothing. A *restoration.RefusedError says why the API
// refuses the object.
func (r *Restorer) PreviewObject(ctx context.Context, object restoration.Object) (json.RawMessage, error) {
	return r.apply(ctx, object, true)
}

// RestoreObject applies an object by server-side apply, and takes over the fields that others have changed. A *restoration.RefusedError says
// why the API refuses it.
func (r *Restorer) RestoreObject(ctx context.Context, object restoration.Object) error {
	_, err := r.apply(ctx, object, false)
	return err
}

func (r *Restorer) apply(ctx context.Context, object restoration.Object, dry bool) (json.RawMessage, error) {
	op := "restore " + object.ID()
	api, err := r.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	after, err := api.ApplyAs(ctx, restoration.FieldManager, pathOf(object), object.Name, object.Content, dry)
	if err != nil {
		return nil, toApplyError(ctx, api, op, object, err)
	}
	return encode(op, after)
}

func encode(op string, object *unstructured.Unstructured) (json.RawMessage, error) {
	content, err := json.Marshal(object.Object)
	if err != nil {
		return nil, fault.Newf(fault.Internal, op, "the response cannot be written")
	}
	return content, nil
}

// toApplyError quotes no value of the object: it may be a secret.
func toApplyError(ctx context.Context, api *kubeapi.Client, op string, object restoration.Object, err error) error {
	switch {
	case apierrors.HasStatusCause(err, "NamespaceTerminating"):
		return &restoration.RefusedError{Reason: fmt.Sprintf("the namespace %s is being deleted", object.Namespace)}
	case apierrors.IsNotFound(err):
		return &restoration.RefusedError{Reason: fmt.Sprintf("the API does not serve %s in the version %s, or there is no namespace %s", object.Kind.Name(), object.Version, object.Namespace)}
	case apierrors.IsInvalid(err):
		return &restoration.RefusedError{Reason: describeInvalid(err)}
	case apierrors.IsForbidden(err) && !strings.Contains(err.Error(), "cannot patch"), apierrors.IsBadRequest(err), apierrors.IsMethodNotSupported(err):
		return &restoration.RefusedError{Reason: "the API rejects it: " + describeRejection(object, err)}
	}
	return kubeapi.RedactMessage(api.ToFault(ctx, op, err))
}

// describeRejection returns the words of the API, unless the object is a secret, which they may quote.
func describeRejection(object restoration.Object, err error) string {
	if object.Kind.Name() == "secrets" {
		return string(apierrors.ReasonForError(err))
	}
	return kubeapi.Sanitize(err.Error())
}

const maxCauses = 3

// describeInvalid names the fields, and what is wrong with them, without their values.
func describeInvalid(err error) string {
	var named []string
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Details != nil {
		for _, cause := range status.Status().Details.Causes {
			what := "it is not valid"
			switch {
			case strings.Contains(cause.Message, "immutable"), strings.Contains(cause.Message, "updates to statefulset spec"), strings.Contains(cause.Message, "cannot change roleRef"):
				what = "it cannot be changed: immutable"
			case cause.Type == metav1.CauseTypeFieldValueRequired:
				what = "it is required"
			case cause.Type == metav1.CauseTypeFieldValueDuplicate, strings.Contains(cause.Message, "already allocated"):
				what = "its value is in use already"
			}
			named = append(named, kubeapi.Sanitize(cause.Field)+": "+what)
		}
	}
	if len(named) == 0 {
		return "the API rejects it as invalid"
	}
	if more := len(named) - maxCauses; more > 0 {
		named = append(named[:maxCauses], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(named, "; ")
}
