package openshift

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/fault"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// establishing is how long the API may take to serve a kind that was defined a moment ago.
	establishing = 10 * time.Second
	mappingPause = 500 * time.Millisecond
)

// unservedKind is a kind that the API does not serve, or not yet.
type unservedKind struct{ kind, version string }

func (u unservedKind) Error() string {
	return sanitize(fmt.Sprintf("the cluster does not know the kind %s of %s yet", u.kind, u.version))
}

func unserved(err error) bool {
	var kind unservedKind
	return errors.As(err, &kind)
}

// mapping knows where the API keeps the objects of a kind, by what it says itself.
type mapping struct {
	api   *api
	known map[string][]metav1.APIResource // by apiVersion
}

// place returns where an object is. A kind that the API does not serve (yet) is fault.Transient: the operators of a young
// cluster still define theirs.
func (m *mapping) place(ctx context.Context, object *unstructured.Unstructured) (place, error) {
	op := "apply " + titled(object)
	resource, found, err := m.find(ctx, object)
	if err != nil {
		return "", err
	}
	if !found {
		return "", fault.New(fault.Transient, op, unservedKind{object.GetKind(), object.GetAPIVersion()})
	}
	where := object.GetAPIVersion() + "/" + resource.Name
	if !resource.Namespaced {
		object.SetNamespace("")
		return place(where), nil
	}
	if object.GetNamespace() == "" {
		return "", fault.Newf(fault.Invalid, op, "it names no namespace")
	}
	return place(where + "@" + object.GetNamespace()), nil
}

func (m *mapping) find(ctx context.Context, object *unstructured.Unstructured) (metav1.APIResource, bool, error) {
	version := object.GetAPIVersion()
	resources, asked := m.known[version]
	if !asked {
		var err error
		if resources, err = m.api.resources(ctx, version); err != nil {
			return metav1.APIResource{}, false, err
		}
		m.known[version] = resources
	}
	for _, resource := range resources {
		if resource.Kind == object.GetKind() && !strings.Contains(resource.Name, "/") {
			return resource, true, nil
		}
	}
	delete(m.known, version) // somebody may define it meanwhile
	return metav1.APIResource{}, false, nil
}

// await is place for a kind that was defined a moment ago.
func (m *mapping) await(ctx context.Context, c *Cluster, object *unstructured.Unstructured) (place, error) {
	began := c.net.Clock.Now()
	for {
		where, err := m.place(ctx, object)
		if !unserved(err) || c.net.Clock.Now().Sub(began) >= establishing {
			return where, err
		}
		if ended := c.net.Clock.Sleep(ctx, mappingPause); ended != nil {
			return "", ended
		}
	}
}

// resources returns what the API serves of a group and version; nothing if there is no such group.
func (a *api) resources(ctx context.Context, version string) ([]metav1.APIResource, error) {
	op := "ask for the kinds of " + version
	root := "apis"
	if !strings.Contains(version, "/") {
		root = "api"
	}
	a.tally.count("get", place(root+"/"+version))
	content, err := a.get(ctx, a.address.JoinPath(root, version), "kinds", version)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, a.explain(ctx, op, err)
	}
	var served metav1.APIResourceList
	err = decode(op, content, &served)
	return served.APIResources, err
}
