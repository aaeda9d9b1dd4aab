package dashboard

import (
	"slices"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/components/cluster"
	"exoshift/tui/components/run"
	"exoshift/tui/theme"
)

// runState is what is known of the run: the board of its events, and whether it goes on.
type runState struct {
	board    *provisioner.Board
	nodes    cluster.NodeSummary // of the board's nodes
	expected []state.Machine     // the machines that become nodes
	clock    func() time.Time
	ascii    bool

	stopping     bool // the operator requested the stop
	ended        bool // the run has ended, or its events have
	eventsClosed bool // no further event will come
}

func newRunState(o Options) *runState {
	r := &runState{board: provisioner.NewBoard(sanitizePlan(o.Plan, o.ASCII)), expected: o.Nodes, clock: o.Now, ascii: o.ASCII}
	r.board.Verb = o.Verb
	r.countNodes()
	return r
}

func (r *runState) fold(events []provisioner.Event) {
	changed := false
	for _, e := range events {
		r.board.Fold(sanitizeEvent(e, r.ascii))
		changed = changed || e.Type == provisioner.TypeNode || e.Type == provisioner.TypeCSR
	}
	if changed {
		r.countNodes()
	}
}

func (r *runState) countNodes() {
	removed := map[string]bool{}
	nodes := slices.DeleteFunc(slices.Clone(r.board.Nodes), func(n provisioner.NodeView) bool {
		removed[n.Name] = n.State == provisioner.NodeRemoved
		return removed[n.Name]
	})
	expected := slices.DeleteFunc(slices.Clone(r.expected), func(m state.Machine) bool { return removed[m.Name] })
	r.nodes = cluster.CountNodes(nodes, r.board.CSRs, expected)
}

// now returns the time of the run while it goes on, and that of its last event afterwards.
func (r *runState) now() time.Time {
	if now := r.clock(); !r.ended && now.After(r.board.Now) {
		return now
	}
	return r.board.Now
}

func (r *runState) elapsed() time.Duration {
	if r.board.Began.IsZero() {
		return 0
	}
	return r.now().Sub(r.board.Began)
}

func (r *runState) describe() (status theme.Status, word string) {
	switch result := r.board.Run.Result; {
	case r.ended && result == "ok":
		return theme.OK, "DONE"
	case r.ended && result == "failed":
		return theme.Failed, "FAILED"
	case r.ended && r.board.Run.State != provisioner.Finished:
		return theme.Warn, "INTERRUPTED"
	case r.ended:
		return theme.Warn, "STOPPED"
	case r.stopping:
		return theme.Warn, "STOPPING"
	case r.board.Run.State == "":
		return theme.Waiting, "STARTING"
	}
	return theme.Running, "RUNNING"
}

func (r *runState) countSucceeded() int {
	n := 0
	for _, step := range r.board.Steps {
		if run.HasSucceeded(step) {
			n++
		}
	}
	return n
}

func (r *runState) countMasters() int {
	n := 0
	for _, machine := range r.expected {
		if machine.Role == state.RoleMaster {
			n++
		}
	}
	return n
}

// listUndecided returns the nodes that wait for the operator's approval of one more key.
func (r *runState) listUndecided() []string {
	var nodes []string
	for _, request := range r.board.CSRs {
		if request.Decision == state.Undecided && !slices.Contains(nodes, request.Node) {
			nodes = append(nodes, request.Node)
		}
	}
	return nodes
}

// isBootstrapped reports whether the cluster no longer needs the bootstrap machine.
func (r *runState) isBootstrapped() bool { return r.board.HasReached(state.PhaseMemberRemoved) }

func (r *runState) findStepTitle(id string) string {
	for i := range r.board.Steps {
		if r.board.Steps[i].ID == id {
			return r.board.Steps[i].Title
		}
	}
	return id
}
