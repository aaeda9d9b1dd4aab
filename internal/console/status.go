package console

import (
	"fmt"
	"io"

	"exoshift/provisioner"
	"exoshift/state"
)

// Status prints where an installation stands: its steps, what it waits for, etcd and the nodes. folder is the
// cluster's folder.
func Status(w io.Writer, board *provisioner.Board, facts state.Facts, folder string) {
	fmt.Fprintln(w, headline(board, facts))
	describe(w, board, facts, Whereabouts{Folder: folder, Rehearsal: facts.Rehearsal})
	fmt.Fprintln(w, "Steps")
	for _, step := range board.Steps {
		fmt.Fprintf(w, "  %s %s\n", mark(step.State), Clean(parts(": ", step.Title, remark(step, board))))
	}
	if len(board.Nodes)+len(board.Etcd) > 0 {
		fmt.Fprintln(w, "Nodes and members of etcd")
	}
	for _, node := range board.Nodes {
		fmt.Fprintf(w, "  %-16s %-10s %s\n", Clean(node.Name), Clean(node.Role), Clean(parts(", ", node.State, node.Reason)))
	}
	for _, member := range board.Etcd {
		fmt.Fprintf(w, "  %-16s %-10s %s\n", Clean(member.Name), "etcd", Clean(member.State))
	}
	failures(w, board)
}

// mark shows the state of a step with a word, as colour or symbols alone would say nothing in a log.
func mark(stepState string) string {
	marks := map[string]string{
		"": "[  ]", provisioner.Started: "[..]", provisioner.Done: "[ok]", provisioner.Failed: "[XX]", provisioner.Skipped: "[--]",
	}
	return marks[stepState]
}

// remark says what is worth knowing about a step beyond its state.
func remark(step provisioner.StepView, board *provisioner.Board) string {
	switch {
	case step.State == provisioner.Started && step.Wait != nil && step.Wait.Since != nil:
		return fmt.Sprintf("for %s of %s, last: %s", lasting(board.Now.Sub(*step.Wait.Since)), inSeconds(step.Wait.Limit), step.Wait.Last)
	case step.State == provisioner.Started:
		return "for " + lasting(board.Now.Sub(step.Began))
	case step.State == provisioner.Done && !step.Began.IsZero():
		return lasting(step.Ended.Sub(step.Began))
	case step.State == provisioner.Skipped:
		return step.Text
	}
	return ""
}
