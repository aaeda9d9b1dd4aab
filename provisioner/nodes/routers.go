package nodes

import (
	"context"
	"fmt"
	"sync"

	"exoshift/state"
)

// routerGuard keeps the routers of a cluster serving while nodes are drained, also where no disruption budget does: one is evicted only if
// all others are ready.
type routerGuard struct {
	cluster Cluster

	mu     sync.Mutex     // held from the check to the eviction, as nodes are drained at the same time
	wanted map[string]int // by ingress controller: one that was evicted counts, though it may not be there yet
}

// read counts the routers before anything is evicted.
func (g *routerGuard) read(ctx context.Context) error {
	routers, err := g.cluster.ListRouters(ctx)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wanted = map[string]int{}
	for _, router := range routers {
		if !router.Ending && !router.Finished {
			g.wanted[router.Labels[state.RouterLabel]]++
		}
	}
	return nil
}

// evict evicts a pod unless it is a router that has to stay for now, which is what reason says.
func (g *routerGuard) evict(ctx context.Context, pod state.Pod) (action state.Action, reason string, err error) {
	if pod.Namespace != state.RouterNamespace {
		action, err = g.cluster.EvictPod(ctx, pod)
		return action, "", err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	routers, err := g.cluster.ListRouters(ctx)
	if err != nil {
		return "", "", err
	}
	controller, others := pod.Labels[state.RouterLabel], 0
	for _, router := range routers {
		if router.UID != pod.UID && router.Labels[state.RouterLabel] == controller && router.Ready && !router.Ending {
			others++
		}
	}
	if wanted := g.wanted[controller]; others < wanted-1 {
		return "", fmt.Sprintf("%d of the %d other routers are ready", others, wanted-1), nil
	}
	action, err = g.cluster.EvictPod(ctx, pod)
	return action, "", err
}
