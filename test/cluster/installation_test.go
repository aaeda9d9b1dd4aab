package cluster

import (
	"net"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"exoshift/state"
)

func TestANodeJoinsThroughRequestsThatAreApproved(t *testing.T) {
	t.Parallel()
	s := begin(t)
	w := s.plane.watch(t, s.apiPort)
	worker := &machine{name: "worker-0", address: net.IPv4(198, 51, 100, 20), plane: s.plane, first: s.bootstrapper}
	w.expected = []state.ExpectedNode{worker.expected(state.RoleWorker)}
	w.look(t)
	w.look(t)
	request := worker.ask(t)
	w.look(t)
	decisions, err := w.Approve(t.Context())
	must(t, err)
	t.Log(decisions)
	own := worker.collect(t, request)
	worker.register(t, own)
	request = worker.askToServe(t, own)
	w.look(t)
	decisions, err = w.Approve(t.Context())
	must(t, err)
	t.Log(decisions)
	worker.collect(t, request)
	worker.report(t, own, corev1.ConditionTrue, "kubelet is posting ready status")
	t.Logf("%+v", w.look(t))
}
