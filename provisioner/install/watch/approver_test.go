package watch

import (
	"context"
	"net/netip"
	"strings"
	"testing"

	"exoshift/provisioner"
	"exoshift/state"
)

// strict is a cluster whose request for the fifth key of worker-0 is approved once the operator allows five.
type strict struct {
	oracle
	expected []state.ExpectedNode
}

func (s *strict) Poll(_ context.Context, _ netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error) {
	s.expected = expected
	request := state.NodeRequest{Name: "csr-5", Node: "worker-0", State: state.RequestPending}
	if expected[0].Keys < 5 {
		request.BlockedReason, request.Keys = "4 keys", 4
	}
	return state.Snapshot{Requests: []state.NodeRequest{request}}, nil
}

func (*strict) Approve(context.Context) ([]state.CSRDecision, error) {
	return []state.CSRDecision{{Name: "csr-5", Node: "worker-0", Decision: state.Approved, NewKey: 4}}, nil
}

func TestApproveNewKeys_DecidesForOneMoreKey(t *testing.T) {
	for name, decide := range map[string]func(*Watcher){
		"by a key":  func(w *Watcher) { w.ApproveNewKeys() },
		"by a flag": func(*Watcher) {},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, board := &strict{}, provisioner.NewBoard(provisioner.Plan{})
			of := depend(cluster)
			folder, err := state.Create(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			of.Facts = state.NewFactsStore(state.Facts{}, folder.SaveFacts)
			of.Spec.Sizing.ControlPlane.Count, of.Spec.Sizing.Infra.Count, of.Spec.Sizing.Storage.Count = 0, 0, 0
			of.Machines.Record(state.Instance{Name: "worker-0", ID: "id-0"})
			if name == "by a flag" {
				of.NewKeys = []string{"worker-0"}
			}
			w := New(of)
			if _, err := w.pollOnce(t.Context(), board.Fold); err != nil {
				t.Fatal(err)
			}
			if len(board.CSRs) != 1 || board.CSRs[0].Decision != state.Undecided {
				t.Errorf("before the decision: %+v", board.CSRs)
			}
			if text := w.DescribeDecision(); name == "by a key" && !strings.Contains(text, "--approve-new-key worker-0") {
				t.Errorf("nobody is asked to decide: %q", text)
			}
			decide(w)
			if _, err := w.pollOnce(t.Context(), board.Fold); err != nil {
				t.Fatal(err)
			}
			if cluster.expected[0].Keys != 5 || board.CSRs[0].Decision != state.Approved {
				t.Errorf("after the decision: %+v, %+v", cluster.expected[0], board.CSRs)
			}
			facts, err := folder.LoadFacts()
			if err != nil || facts.NewKeys["id-0"] != 4 || w.approver.listExpectedNodes()[0].NewKeys != 4 {
				t.Errorf("the next run does not know: %v, %v", facts.NewKeys, err)
			}
		})
	}
}
