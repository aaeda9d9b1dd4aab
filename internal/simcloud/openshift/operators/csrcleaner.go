package operators

import (
	"context"
	"errors"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// Retention of certificate signing requests, as in kube-controller-manager's csrcleaner.
const (
	cleanInterval = 5 * time.Minute
	keepDecided   = time.Hour // issued, denied or failed
	keepPending   = 24 * time.Hour
)

// csrCleaner deletes old requests for certificates.
type csrCleaner struct {
	*cluster.Cluster
	lastCleaned time.Time
}

func (k *csrCleaner) sync(context.Context, clusterSnapshot) error {
	now := k.Clock.Now()
	if now.Sub(k.lastCleaned) < cleanInterval {
		return nil
	}
	k.lastCleaned = now
	var failures error
	for _, request := range k.Objects.List(cluster.CSRResource, "") {
		if isExpired(request, now) {
			_, err := k.Objects.Delete(cluster.CSRResource, "", request.Name())
			failures = errors.Join(failures, err)
		}
	}
	return failures
}

// isExpired keeps a request that is approved and not issued yet.
func isExpired(request kube.Object, now time.Time) bool {
	since, keep := request.GetString("metadata.creationTimestamp"), keepPending
	for _, kind := range []string{"Approved", "Denied", "Failed"} {
		decided := request.Condition(kind)
		if len(decided) == 0 {
			continue
		}
		if kind == "Approved" && request.GetString("status.certificate") == "" {
			return false
		}
		since, keep = decided.GetString("lastUpdateTime"), keepDecided
	}
	at, err := time.Parse(time.RFC3339, since)
	return err == nil && now.Sub(at) > keep
}
