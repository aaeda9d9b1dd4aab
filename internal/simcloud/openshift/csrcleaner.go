package openshift

import (
	"context"
	"errors"
	"time"

	"exoshift/internal/simcloud/kube"
)

// How long requests for certificates are kept, as kube-controller-manager's csrcleaner keeps them.
const (
	cleanEvery  = 5 * time.Minute
	keepDecided = time.Hour // issued, denied or failed
	keepPending = 24 * time.Hour
)

// cleanRequests deletes requests that are of no use to anybody any more.
func (k *controllers) cleanRequests(context.Context, view) error {
	now := k.clock.Now()
	if now.Sub(k.cleaned) < cleanEvery {
		return nil
	}
	k.cleaned = now
	var failures error
	for _, request := range k.objects.List(requestResource, "") {
		if expired(request, now) {
			_, err := k.objects.Delete(requestResource, "", request.Name())
			failures = errors.Join(failures, err)
		}
	}
	return failures
}

// expired tells whether the time of a request is over. One that is approved and not issued yet is kept.
func expired(request kube.Object, now time.Time) bool {
	since, keep := request.Text("metadata.creationTimestamp"), keepPending
	for _, kind := range []string{"Approved", "Denied", "Failed"} {
		decided := condition(request, kind)
		if len(decided) == 0 {
			continue
		}
		if kind == "Approved" && request.Text("status.certificate") == "" {
			return false
		}
		since, keep = decided.Text("lastUpdateTime"), keepDecided
	}
	at, err := time.Parse(time.RFC3339, since)
	return err == nil && now.Sub(at) > keep
}
