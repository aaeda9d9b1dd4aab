package openshift

import (
	"context"
	"net/http"
	"time"

	"exoshift/internal/simcloud/kube"
)

// lease is an election that the replicas of a program hold through the API.
type lease struct {
	api       *client
	now       func() time.Time
	namespace string
	name      string
	holder    string
	lasts     time.Duration
}

// acquire tells whether this replica leads now; it does as long as it asks again in time.
func (l lease) acquire(ctx context.Context) (bool, error) {
	collection := "/apis/coordination.k8s.io/v1/namespaces/" + l.namespace + "/leases"
	found, err := l.api.get(ctx, collection+"/"+l.name)
	switch {
	case isCode(err, http.StatusNotFound):
		_, err = l.api.do(ctx, http.MethodPost, collection, l.renewed(kube.Object{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
			"metadata": kube.Object{"name": l.name, "namespace": l.namespace}}))
	case err != nil:
		return false, err
	case found.Text("spec.holderIdentity") != l.holder && !l.expired(found):
		return false, nil
	default:
		_, err = l.api.do(ctx, http.MethodPut, collection+"/"+l.name, l.renewed(found))
	}
	if isCode(err, http.StatusConflict) {
		return false, nil // another was faster
	}
	return err == nil, err
}

func (l lease) renewed(object kube.Object) kube.Object {
	object.Set("spec.holderIdentity", l.holder)
	object.Set("spec.leaseDurationSeconds", int(l.lasts.Seconds()))
	object.Set("spec.renewTime", l.now().UTC().Format(time.RFC3339Nano))
	return object
}

func (l lease) expired(object kube.Object) bool {
	renewed, err := time.Parse(time.RFC3339Nano, object.Text("spec.renewTime"))
	return err != nil || l.now().Sub(renewed) > l.lasts
}
