package kubelet

import (
	"context"
	"sync"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/operators"
)

// runAPIServer runs an API server and the controllers on a master.
func runAPIServer(ctx context.Context, c *cluster.Cluster, m machine.Machine, p *pod) error {
	if p.fromAPI {
		if c.WaitScaled(ctx, 60*time.Second+cluster.Jitter(p.name, 20*time.Second)) != nil {
			return nil
		}
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() {
		c.Poll(ctx, 5*time.Second, func(context.Context) bool {
			p.ready.Store(c.Members.CheckQuorum() == nil)
			return false
		})
	})
	running.Go(func() { operators.Run(ctx, c, m) })
	return cluster.ServeAPI(ctx, c, m, true, func(pod kube.Object, container string, command []string) apiserver.ExecResult {
		return execCommand(c, pod, container, command)
	})
}
