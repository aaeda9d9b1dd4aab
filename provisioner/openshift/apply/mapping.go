package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// establishTimeout is how long the API may take to serve a kind that was just defined.
	establishTimeout = 10 * time.Second
	mappingPause     = 500 * time.Millisecond
)

type unservedKindError struct{ kind, version string }

func (u unservedKindError) Error() string {
	return kubeapi.Sanitize(fmt.Sprintf("the cluster does not know the kind %s of %s yet", u.kind, u.version))
}

func isUnserved(err error) bool {
	var kind unservedKindError
	return errors.As(err, &kind)
}

type restMapper struct {
	api   *kubeapi.Client
	known map[string][]metav1.APIResource // by apiVersion
}

// resolve returns fault.Transient for a kind that the API does not serve (yet): the operators of a new cluster still define
// theirs.
func (m *restMapper) resolve(ctx context.Context, object *unstructured.Unstructured) (kubeapi.ResourcePath, error) {
	op := "apply " + formatObject(object)
	resource, found, err := m.find(ctx, object)
	if err != nil {
		return "", err
	}
	if !found {
		return "", fault.New(fault.Transient, op, unservedKindError{object.GetKind(), object.GetAPIVersion()})
	}
	where := object.GetAPIVersion() + "/" + resource.Name
	if !resource.Namespaced {
		object.SetNamespace("")
		return kubeapi.ResourcePath(where), nil
	}
	if object.GetNamespace() == "" {
		return "", fault.Newf(fault.Invalid, op, "it has no namespace")
	}
	return kubeapi.ResourcePath(where + "@" + object.GetNamespace()), nil
}

func (m *restMapper) find(ctx context.Context, object *unstructured.Unstructured) (metav1.APIResource, bool, error) {
	version := object.GetAPIVersion()
	resources, asked := m.known[version]
	if !asked {
		var err error
		if resources, err = m.api.ListResources(ctx, version); err != nil {
			return metav1.APIResource{}, false, err
		}
		m.known[version] = resources
	}
	for _, resource := range resources {
		if resource.Kind == object.GetKind() && !strings.Contains(resource.Name, "/") {
			return resource, true, nil
		}
	}
	delete(m.known, version) // the kind may be defined meanwhile
	return metav1.APIResource{}, false, nil
}

// await is resolve for a kind that was just defined.
func (m *restMapper) await(ctx context.Context, object *unstructured.Unstructured) (kubeapi.ResourcePath, error) {
	var where kubeapi.ResourcePath
	var failed error
	_, ended := m.api.Network.Clock.Poll(ctx, mappingPause, establishTimeout, func() (bool, error) {
		where, failed = m.resolve(ctx, object)
		return !isUnserved(failed), nil
	})
	if ended != nil {
		return "", ended
	}
	return where, failed
}
