package install

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
	for name, decide := range map[string]func(*Installation){
		"by a key":  func(i *Installation) { i.ApproveNewKeys() },
		"by a flag": func(*Installation) {},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, board := &strict{}, provisioner.NewBoard(provisioner.Plan{})
			i := watching(&cluster.oracle)
			folder, err := state.Create(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			i.clients.Cluster, i.facts = cluster, state.NewFactsStore(state.Facts{}, folder.SaveFacts)
			i.spec.Sizing.ControlPlane.Count, i.spec.Sizing.Infra.Count, i.spec.Sizing.Storage.Count = 0, 0, 0
			i.nodes["worker-0"] = state.Instance{ID: "id-0"}
			if name == "by a flag" {
				i.options.NewKeys = []string{"worker-0"}
			}
			if _, err := i.pollOnce(t.Context(), board.Fold); err != nil {
				t.Fatal(err)
			}
			if len(board.CSRs) != 1 || board.CSRs[0].Decision != state.Undecided {
				t.Errorf("before the decision: %+v", board.CSRs)
			}
			if said := i.describeDecision(); name == "by a key" && !strings.Contains(said, "--approve-new-key worker-0") {
				t.Errorf("nobody is asked to decide: %q", said)
			}
			decide(i)
			if _, err := i.pollOnce(t.Context(), board.Fold); err != nil {
				t.Fatal(err)
			}
			if cluster.expected[0].Keys != 5 || board.CSRs[0].Decision != state.Approved {
				t.Errorf("after the decision: %+v, %+v", cluster.expected[0], board.CSRs)
			}
			facts, err := folder.LoadFacts()
			if err != nil || facts.NewKeys["id-0"] != 4 || i.listExpectedNodes()[0].NewKeys != 4 {
				t.Errorf("the next run does not know: %v, %v", facts.NewKeys, err)
			}
		})
	}
}
