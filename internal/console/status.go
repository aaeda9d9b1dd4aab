package console

import (
	"fmt"
	"io"
	"strings"

	"exoshift/provisioner/handover"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/state"
)

// PrintStatus prints the state of an installation: findings, steps and their waits, etcd, nodes, operators and the
// applications of Project Syn.
func PrintStatus(w io.Writer, board *provisioner.Board, facts state.Facts, where handover.Locations) {
	fmt.Fprintln(w, formatRunHeadline(board, facts, where.Killed))
	where.Rehearsal = facts.Rehearsal
	if !facts.Destroyed.IsZero() {
		printDestroyed(w, board, facts, where)
		return
	}
	printFacts(w, board, facts, where)
	printFindings(w, board)
	fmt.Fprintln(w, "Steps")
	printSteps(w, board)
	printMembers(w, board)
	printNodes(w, board)
	printOperators(w, board)
	printApplications(w, board)
	printFailures(w, board)
	if where.Killed {
		printKilled(w, board)
	}
}

func printKilled(w io.Writer, board *provisioner.Board) {
	if board.Run.Command == "" {
		fmt.Fprintln(w, "No run is active: the last one was killed. The same command resumes.")
		return
	}
	fmt.Fprintf(w, "No run is active: the last one was killed. Resume with:\n  %s\n", SanitizeLine(board.Run.Command))
}

// printDestroyed prints what is left of a cluster: its folder, and the record of its last installation. The events, from which
// the board is folded, know nothing of a teardown: their nodes and addresses no longer exist.
func printDestroyed(w io.Writer, board *provisioner.Board, facts state.Facts, where handover.Locations) {
	left := state.Facts{ClusterID: facts.ClusterID, Zone: facts.Zone, OpenShiftVersion: facts.Version()}
	printFacts(w, &provisioner.Board{}, left, where)
	if board.Run.State != "" {
		fmt.Fprintln(w, "Steps of its last installation")
		printSteps(w, board)
	}
}

func printSteps(w io.Writer, board *provisioner.Board) {
	for _, step := range board.Steps {
		fmt.Fprintf(w, "  %s %s\n", formatMark(step.State), SanitizeLine(text.Join(": ", step.Title, formatStepDetail(step, board))))
	}
}

func printMembers(w io.Writer, board *provisioner.Board) {
	if len(board.Etcd) > 0 {
		fmt.Fprintln(w, "Members of etcd")
	}
	for _, member := range board.Etcd {
		revision := ""
		if member.Revision > 0 {
			revision = fmt.Sprintf("revision %d", member.Revision)
		}
		fmt.Fprintf(w, "  %-16s %s\n", SanitizeLine(member.Name), SanitizeLine(text.Join(", ", member.State, revision)))
	}
}

// maxListedNodes limits the nodes listed one by one; beyond it, ready nodes are only counted.
const maxListedNodes = 30

func printNodes(w io.Writer, board *provisioner.Board) {
	if len(board.Nodes) == 0 {
		return
	}
	fmt.Fprintln(w, "Nodes")
	left := 0
	for _, node := range board.Nodes {
		if strings.EqualFold(node.State, "ready") && len(board.Nodes) > maxListedNodes {
			left++
			continue
		}
		fmt.Fprintf(w, "  %-16s %-10s %s\n", SanitizeLine(node.Name), SanitizeLine(node.Role), SanitizeLine(text.Join(", ", node.State, formatCertificate(node), node.Reason)))
	}
	if left > 0 {
		fmt.Fprintf(w, "  and %d ready\n", left)
	}
}

func formatCertificate(node provisioner.NodeView) string {
	if strings.EqualFold(node.State, "booting") {
		return withPrefix("its certificate request is ", node.Client)
	}
	return ""
}

func printOperators(w io.Writer, board *provisioner.Board) {
	heading, widest := "Unstable operators\n", 0
	for _, operator := range board.Operators {
		if operator.State != "stable" {
			widest = max(widest, len(SanitizeLine(operator.Name)))
		}
	}
	for _, operator := range board.Operators {
		if operator.State == "stable" {
			continue
		}
		fmt.Fprintf(w, "%s  %-*s %-11s %s\n", heading, widest, SanitizeLine(operator.Name), SanitizeLine(operator.State),
			SanitizeLine(text.Join(", ", "for "+text.FormatDuration(board.Now.Sub(operator.StartTime())), operator.Reason)))
		heading = ""
	}
}

// formatMark uses a word, as colour or symbols alone are lost in a log.
func formatMark(stepState string) string {
	marks := map[string]string{
		"": "[  ]", provisioner.Started: "[..]", provisioner.Done: "[ok]", provisioner.Failed: "[XX]", provisioner.Skipped: "[--]",
	}
	return marks[stepState]
}

func formatStepDetail(step provisioner.StepView, board *provisioner.Board) string {
	switch {
	case step.State == provisioner.Started && step.Wait != nil && step.Wait.Since != nil:
		return fmt.Sprintf("for %s of %s, last: %s", text.FormatDuration(board.Now.Sub(*step.Wait.Since)), formatSeconds(step.Wait.Limit), step.Wait.Last)
	case step.State == provisioner.Started:
		return "for " + text.FormatDuration(board.Now.Sub(step.Began))
	case step.State == provisioner.Done && !step.Began.IsZero():
		return text.FormatDuration(step.Ended.Sub(step.Began))
	case step.State == provisioner.Skipped:
		return step.Text
	}
	return ""
}
