package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// killer ends a process at a call that changes something: before its effect or after it. From then on nothing has an effect.
type killer struct {
	nodes.Cloud
	nodes.Cluster
	at    int
	after bool
	calls *int
}

var errKilled = errors.New("killed")

func (k killer) do(change func() (state.Action, error)) (state.Action, error) {
	*k.calls++
	switch {
	case *k.calls > k.at, *k.calls == k.at && !k.after:
		return "", errKilled
	case *k.calls == k.at:
		_, err := change()
		return "", errors.Join(errKilled, err)
	}
	return change()
}

func (k killer) SetCordon(ctx context.Context, node string, cordoned bool) (state.Action, error) {
	return k.do(func() (state.Action, error) { return k.Cluster.SetCordon(ctx, node, cordoned) })
}

func (k killer) EvictPod(ctx context.Context, pod state.Pod) (state.Action, error) {
	return k.do(func() (state.Action, error) { return k.Cluster.EvictPod(ctx, pod) })
}

func (k killer) DeleteNode(ctx context.Context, node string) (state.Action, error) {
	return k.do(func() (state.Action, error) { return k.Cluster.DeleteNode(ctx, node) })
}

func (k killer) StopInstance(ctx context.Context, id string) (state.Action, error) {
	return k.do(func() (state.Action, error) { return k.Cloud.StopInstance(ctx, id) })
}

func (k killer) DeleteInstance(ctx context.Context, id string) (state.Action, error) {
	return k.do(func() (state.Action, error) { return k.Cloud.DeleteInstance(ctx, id) })
}

func (k killer) DeleteRecords(ctx context.Context, zone, name, kind string, useless func(string) bool) (state.Action, error) {
	return k.do(func() (state.Action, error) { return k.Cloud.DeleteRecords(ctx, zone, name, kind, useless) })
}

// removalKilled removes a node for each call at which its removal is killed, in one cluster: it is made again in between.
func removalKilled(t *testing.T, s run.Run, _ *simcloud.Zone) {
	serveWeb(t, s, 4, 2)
	for at := 1; ; at++ {
		for _, after := range []bool{false, true} {
			calls := 0
			out, err := removeNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, func(clients *nodes.Clients) {
				k := killer{clients.Cloud, clients.Cluster, at, after, &calls}
				clients.Cloud, clients.Cluster = k, k
			})
			if calls < at {
				if at < 5 {
					t.Errorf("there were only %d calls", calls)
				}
				return
			}
			if err == nil {
				t.Errorf("killed at call %d, after: %t, it went on:\n%s", at, after, lastLines(out))
			}
			if out, err := removeNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, nil); err != nil && !strings.Contains(err.Error(), "it is gone already") {
				t.Fatalf("killed at call %d, after: %t: %v\n%s", at, after, err, lastLines(out))
			}
			checkRemoved(t, s, "worker-1", 10)
			again := s
			again.Spec.Sizing.Workers.Count = 4
			installed(t, again)
		}
	}
}
