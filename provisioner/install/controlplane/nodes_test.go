package controlplane

import (
	"strings"
	"testing"

	"exoshift/state"
)

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	s.Exoscale.Zone = "ch-gva-2"
	s.OpenShift.Version, s.OpenShift.SSHKey = "4.20.5", "ssh-ed25519 AAAA"
	return s
}

func TestDescribeReplaced_OldNode(t *testing.T) {
	left := func(node string) state.NodeRequest {
		return state.NodeRequest{Node: node, State: state.RequestPending, BlockedReason: state.SkippedRegistered}
	}
	seen := state.Snapshot{Nodes: []state.NodeStatus{{Name: "worker-1", Ready: true}, {Name: "worker-2"}}}
	seen.Requests = []state.NodeRequest{left("worker-1"), {Node: "worker-2", BlockedReason: "something else"}, left("worker-3")}
	if got := describeReplaced(seen); got != "" {
		t.Errorf("told of nodes in no need: %s", got)
	}
	seen.Requests = []state.NodeRequest{left("worker-2"), left("worker-2")}
	if got := describeReplaced(seen); strings.Count(got, "\noc delete node worker-2") != 1 {
		t.Errorf("told %q", got)
	}
}
