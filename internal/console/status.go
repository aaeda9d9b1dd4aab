package console

import (
	"fmt"
	"io"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// Status prints where an installation stands: what is wrong, its steps and what they wait for, etcd, the nodes, the
// operators and the applications of Project Syn. folder is the cluster's folder.
func Status(w io.Writer, board *provisioner.Board, facts state.Facts, folder string) {
	fmt.Fprintln(w, headline(board, facts))
	describe(w, board, facts, Whereabouts{Folder: folder, Rehearsal: facts.Rehearsal})
	printFindings(w, board)
	fmt.Fprintln(w, "Steps")
	for _, step := range board.Steps {
		fmt.Fprintf(w, "  %s %s\n", mark(step.State), Clean(parts(": ", step.Title, remark(step, board))))
	}
	printMembers(w, board)
	printNodes(w, board)
	printOperators(w, board)
	printApplications(w, board)
	failures(w, board)
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
		fmt.Fprintf(w, "  %-16s %s\n", Clean(member.Name), Clean(parts(", ", member.State, revision)))
	}
}

// fewNodes is how many nodes are listed one by one; of more, those that are ready are only counted.
const fewNodes = 30

func printNodes(w io.Writer, board *provisioner.Board) {
	if len(board.Nodes) == 0 {
		return
	}
	fmt.Fprintln(w, "Nodes")
	left := 0
	for _, node := range board.Nodes {
		if strings.EqualFold(node.State, "ready") && len(board.Nodes) > fewNodes {
			left++
			continue
		}
		fmt.Fprintf(w, "  %-16s %-10s %s\n", Clean(node.Name), Clean(node.Role), Clean(parts(", ", node.State, certificate(node), node.Reason)))
	}
	if left > 0 {
		fmt.Fprintf(w, "  and %d that are ready\n", left)
	}
}

// certificate says how far a node that has not registered is with its certificate.
func certificate(node provisioner.NodeView) string {
	if strings.EqualFold(node.State, "booting") {
		return prefixed("its request for a certificate is ", node.Client)
	}
	return ""
}

// printOperators lists the operators that are not stable.
func printOperators(w io.Writer, board *provisioner.Board) {
	heading, widest := "Operators that are not stable\n", 0
	for _, operator := range board.Operators {
		if operator.State != "stable" {
			widest = max(widest, len(Clean(operator.Name)))
		}
	}
	for _, operator := range board.Operators {
		if operator.State == "stable" {
			continue
		}
		fmt.Fprintf(w, "%s  %-*s %-11s %s\n", heading, widest, Clean(operator.Name), Clean(operator.State),
			Clean(parts(", ", "for "+lasting(board.Now.Sub(operator.Beginning())), operator.Reason)))
		heading = ""
	}
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
