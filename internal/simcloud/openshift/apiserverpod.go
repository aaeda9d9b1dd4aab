package openshift

import (
	"context"
	"sync"
	"time"

	"exoshift/internal/simcloud/machine"
)

// runAPIServer runs an API server and the controllers on a master.
func runAPIServer(ctx context.Context, c *cluster, m machine.Machine, p *pod) error {
	if p.fromAPI {
		if c.waitScaled(ctx, 60*time.Second+computeJitter(p.name, 20*time.Second)) != nil {
			return nil
		}
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() {
		c.poll(ctx, 5*time.Second, func(context.Context) bool {
			p.ready.Store(c.members.checkQuorum() == nil)
			return false
		})
	})
	running.Go(func() { runControllers(ctx, c, m) })
	return serveAPI(ctx, c, m, true)
}
