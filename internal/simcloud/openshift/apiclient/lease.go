package apiclient

import (
	"context"
	"net/http"
	"time"

	"exoshift/internal/simcloud/kube"
)

// Lease is a leader election between the replicas of a program through the API.
type Lease struct {
	API       *Client
	Now       func() time.Time
	Namespace string
	Name      string
	Holder    string
	Duration  time.Duration
}

// Acquire reports whether this replica leads; it must be called again before the lease expires.
func (l Lease) Acquire(ctx context.Context) (bool, error) {
	collection := "/apis/coordination.k8s.io/v1/namespaces/" + l.Namespace + "/leases"
	found, err := l.API.Get(ctx, collection+"/"+l.Name)
	switch {
	case IsCode(err, http.StatusNotFound):
		_, err = l.API.Do(ctx, http.MethodPost, collection, l.withRenewal(kube.Object{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
			"metadata": kube.Object{"name": l.Name, "namespace": l.Namespace}}))
	case err != nil:
		return false, err
	case found.GetString("spec.holderIdentity") != l.Holder && !l.isExpired(found):
		return false, nil
	default:
		_, err = l.API.Do(ctx, http.MethodPut, collection+"/"+l.Name, l.withRenewal(found))
	}
	if IsCode(err, http.StatusConflict) {
		return false, nil // another was faster
	}
	return err == nil, err
}

func (l Lease) withRenewal(object kube.Object) kube.Object {
	object.Set("spec.holderIdentity", l.Holder)
	object.Set("spec.leaseDurationSeconds", int(l.Duration.Seconds()))
	object.Set("spec.renewTime", l.Now().UTC().Format(microTime))
	return object
}

// microTime is the only format that the API accepts for a lease's time.
const microTime = "2006-01-02T15:04:05.000000Z07:00"

func (l Lease) isExpired(object kube.Object) bool {
	renewed, err := time.Parse(time.RFC3339Nano, object.GetString("spec.renewTime"))
	return err != nil || l.Now().Sub(renewed) > l.Duration
}
