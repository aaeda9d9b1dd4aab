package destroy

import (
	"context"
	"fmt"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

// The cluster may be broken, which is a reason to destroy it: the timeout is short.
const (
	clusterLimit = 10 * time.Second
	clusterPause = 3 * time.Second
)

// queryCluster lists the cloud objects that the cluster created itself. A cluster that does not answer does not stop the
// teardown.
func (t *Teardown) queryCluster(ctx context.Context, found []Found) error {
	const missed = "load balancers and volumes that it made are not proven to be its own, and stay"
	silent := ""
	switch {
	case t.clients.Cluster == nil:
		silent = "the cluster was not asked, for there is no kubeconfig"
	case !slices.ContainsFunc(found, func(f Found) bool { return f.Kind == state.KindInstance }):
		silent = "the cluster was not asked, for it has no machines"
	default:
		claims, err := t.pollClaims(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			silent = fmt.Sprintf("the cluster does not answer (%v)", err)
		}
		t.sources.addClaims(claims)
	}
	if silent != "" {
		t.notes = append(t.notes, silent+": "+missed)
	}
	return nil
}

func (t *Teardown) pollClaims(ctx context.Context) ([]state.Claim, error) {
	ctx, cancel := context.WithTimeout(ctx, clusterLimit)
	defer cancel()
	var last error
	for {
		claims, err := t.clients.Cluster.ListClaims(ctx)
		if ctx.Err() != nil && last != nil {
			return nil, last
		}
		if last = err; !fault.Is(err, fault.Transient) || t.clients.Clock.Sleep(ctx, clusterPause) != nil {
			return claims, err
		}
	}
}
