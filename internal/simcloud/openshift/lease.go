package openshift

import (
	"context"
	"net/http"
	"time"

	"exoshift/internal/simcloud/kube"
)

// lease is a leader election between the replicas of a program through the API.
type lease struct {
	api       *client
	now       func() time.Time
	namespace string
	name      string
	holder    string
	duration  time.Duration
}

// acquire reports whether this replica leads; it must be called again before the lease expires.
func (l lease) acquire(ctx context.Context) (bool, error) {
	collection := "/apis/coordination.k8s.io/v1/namespaces/" + l.namespace + "/leases"
	found, err := l.api.get(ctx, collection+"/"+l.name)
	switch {
	case isCode(err, http.StatusNotFound):
		_, err = l.api.do(ctx, http.MethodPost, collection, l.withRenewal(kube.Object{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
			"metadata": kube.Object{"name": l.name, "namespace": l.namespace}}))
	case err != nil:
		return false, err
	case found.GetString("spec.holderIdentity") != l.holder && !l.isExpired(found):
		return false, nil
	default:
		_, err = l.api.do(ctx, http.MethodPut, collection+"/"+l.name, l.withRenewal(found))
	}
	if isCode(err, http.StatusConflict) {
		return false, nil // another was faster
	}
	return err == nil, err
}

func (l lease) withRenewal(object kube.Object) kube.Object {
	object.Set("spec.holderIdentity", l.holder)
	object.Set("spec.leaseDurationSeconds", int(l.duration.Seconds()))
	object.Set("spec.renewTime", l.now().UTC().Format(time.RFC3339Nano))
	return object
}

func (l lease) isExpired(object kube.Object) bool {
	renewed, err := time.Parse(time.RFC3339Nano, object.GetString("spec.renewTime"))
	return err != nil || l.now().Sub(renewed) > l.duration
}
