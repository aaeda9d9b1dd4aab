package console

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
)

// PrintSummary prints the end of a run: why it failed and how to fix that, its results, their locations, and next actions. It prints
// no secrets, only their locations.
func PrintSummary(w io.Writer, board *provisioner.Board, facts state.Facts, where handover.Locations) {
	fmt.Fprintf(w, "\n%s\n", formatRunHeadline(board, facts, false))
	if board.Run.Result != "ok" {
		printLikeliestCause(w, board)
		printFailures(w, board)
	}
	printFacts(w, board, facts, where)
	switch {
	case board.Run.Result != "ok":
		fmt.Fprintf(w, "No rollback: all resources are kept. Resume with:\n  %s\n", SanitizeLine(where.Resume))
		if where.OperatorSimulated && board.Run.Result == "failed" {
			fmt.Fprintln(w, "This is a rehearsal: the resumed run assumes that the action was taken.")
		}
	case where.Rehearsal:
		fmt.Fprintln(w, "This was a rehearsal: no real resources were created, at no cost.")
		printSections(w, where.Handover.Later)
	default:
		printSections(w, where.Handover.Access, where.Handover.Remaining, where.Handover.Cost, where.Handover.Later)
	}
}

// formatRepairs returns what the run has repaired, by the rules of the findings.
func formatRepairs(board *provisioner.Board) string {
	var rules []string
	for _, repair := range board.Repairs {
		if !slices.Contains(rules, repair.Name) {
			rules = append(rules, repair.Name)
		}
	}
	return strings.Join(rules, ", ")
}

func printSections(w io.Writer, parts ...handover.Section) {
	for _, section := range parts {
		if len(section.Rows) == 0 {
			continue
		}
		fmt.Fprintln(w, section.Title)
		for _, row := range section.Rows {
			switch {
			case row.Command:
				fmt.Fprintf(w, "    %s\n", SanitizeLine(row.Text))
			case row.Name != "":
				fmt.Fprintf(w, "  %-12s %s\n", SanitizeLine(row.Name), SanitizeLine(row.Text))
			default:
				fmt.Fprintf(w, "  %s\n", wrapText(SanitizeLine(row.Text), " ", 2))
			}
		}
	}
}

func formatRunHeadline(board *provisioner.Board, facts state.Facts, killed bool) string {
	lasted := text.FormatDuration(board.Now.Sub(board.Began))
	subject := "Cluster " + SanitizeLine(facts.ClusterID)
	switch {
	case !facts.Destroyed.IsZero():
		return fmt.Sprintf("%s was destroyed on %s", subject, formatMinute(facts.Destroyed))
	case facts.Hibernation != nil && !facts.Hibernation.Stopped.IsZero() && len(facts.Hibernation.Starts) == 0:
		return fmt.Sprintf("%s was stopped on %s; start it before %s with exoshift start", subject, formatMinute(facts.Hibernation.Stopped), formatMinute(facts.Hibernation.StartBefore))
	case facts.Hibernation != nil && facts.Hibernation.Committed:
		return subject + " is being stopped or started: exoshift stop, or exoshift start, goes on"
	case board.Run.State == "":
		return subject + ": no run so far"
	case board.Run.State == provisioner.Started && killed:
		return fmt.Sprintf("%s: not running, the last run was killed after %s", subject, lasted)
	case board.Run.State == provisioner.Started:
		return fmt.Sprintf("%s: running for %s", subject, lasted)
	case board.Run.Result == "ok":
		return fmt.Sprintf("%s is installed (%s)", subject, lasted)
	}
	return fmt.Sprintf("%s is not complete: %s after %s", subject, SanitizeLine(board.Run.Result), lasted)
}

func printFacts(w io.Writer, board *provisioner.Board, facts state.Facts, where handover.Locations) {
	for _, row := range []struct{ name, value string }{
		{"OpenShift", text.Join(", ", facts.Version(), withPrefix("infrastructure ", facts.InfraID))},
		{"updates", formatUpdates(facts)},
		{"zone", facts.Zone},
		{"certificates", formatCertificates(facts, time.Now())},
		{"API", facts.APIAddress},
		{"ingress", facts.IngressAddress},
		{"console", facts.ConsoleURL},
		{"nodes", formatNodes(board)},
		{"repaired", formatRepairs(board)},
		{"etcd", formatEtcd(board)},
		{"version", formatVersion(board)},
		{"operators", formatOperatorCounts(board)},
		{"Project Syn", formatApplicationCounts(board.Applications)},
		{"objects", formatObjects(board)},
		{"durations", formatDurations(board)},
		{"kubeconfig", formatKubeconfig(facts, where)},
		{"folder", where.Folder},
		{"state", where.State},
		{"gathered", where.Gathered},
	} {
		if row.value != "" {
			fmt.Fprintf(w, "  %-12s %s\n", row.name, wrapValue(SanitizeLine(row.value), ", "))
		}
	}
}

// valueIndent is the column of values in a description.
const valueIndent = 15

// wrapValue breaks a value after separators, so that with its indentation it fits 80 columns.
func wrapValue(value, separator string) string { return wrapText(value, separator, valueIndent) }

func wrapText(value, separator string, indent int) string {
	var out strings.Builder
	column := indent
	for i, item := range strings.SplitAfter(value, separator) {
		if width := len([]rune(strings.TrimSpace(item))); i > 0 && column+width > 80 {
			out.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		}
		out.WriteString(item)
		column += len([]rune(item))
	}
	return strings.ReplaceAll(out.String(), " \n", "\n")
}

// printFailures prints each hint once, and not what a finding says. The error of the run as a whole is printed only if no step has
// reported it.
func printFailures(w io.Writer, board *provisioner.Board) {
	if board.Run.Result != "failed" {
		return
	}
	var advice []string
	known := false
	for _, step := range board.Steps {
		if step.State == provisioner.Failed {
			known = true
			step = step.OmitFindings(board.Findings)
			fmt.Fprintf(w, "  failed       %s\n  error        %s\n", SanitizeLine(step.Title), wrapValue(SanitizeLine(step.Text), " "))
			advice = append(advice, step.Hint)
		}
	}
	if !known {
		fmt.Fprintf(w, "  error        %s\n", wrapValue(SanitizeLine(board.Run.Text), " "))
		advice = append(advice, board.Run.Hint)
	}
	slices.Sort(advice)
	for _, next := range slices.Compact(advice) {
		if next != "" {
			printHint(w, next)
		}
	}
}

// printHint prints a hint. Multiple lines are meant to be copied: they are printed unchanged and without indentation.
func printHint(w io.Writer, advice string) {
	lines := sanitizeLines(advice)
	if len(lines) == 1 {
		fmt.Fprintf(w, "  next         %s\n", wrapValue(lines[0], " "))
		return
	}
	fmt.Fprintf(w, "  next\n\n%s\n\n", strings.Join(lines, "\n"))
}

func withPrefix(before, word string) string {
	if word == "" {
		return ""
	}
	return before + word
}

func joinAuthPath(folder, name string) string {
	return filepath.Join(folder, state.InstallDir, "auth", name)
}

// formatUpdates says who updates the cluster, if not this program, and what reads the release that it has now.
func formatUpdates(facts state.Facts) string {
	if facts.Syn.Lieutenant == "" || facts.Installed.IsZero() || !facts.Destroyed.IsZero() {
		return ""
	}
	return "by Project Syn; the release it has now: exoshift upgrade " + facts.ClusterID
}

// formatKubeconfig returns the path once the file exists, unless the hand-over contains it.
func formatKubeconfig(facts state.Facts, where handover.Locations) string {
	if facts.InfraID == "" || where.Rehearsal || len(where.Handover.Access.Rows) > 0 {
		return ""
	}
	return joinAuthPath(where.Folder, "kubeconfig")
}

func formatNodes(board *provisioner.Board) string {
	if len(board.Nodes) == 0 {
		return ""
	}
	ready := text.NewCounts(state.RoleMaster, state.RoleInfra, state.RoleStorage, state.RoleWorker)
	for _, node := range board.Nodes {
		if strings.EqualFold(node.State, "ready") {
			ready.Add(node.Role)
		}
	}
	return text.Join(": ", fmt.Sprintf("%d of %d ready", ready.Total(), len(board.Nodes)), ready.String())
}

func formatEtcd(board *provisioner.Board) string {
	if len(board.Etcd) == 0 {
		return ""
	}
	trail := make([]string, len(board.EtcdTrail))
	for i, n := range board.EtcdTrail {
		trail[i] = strconv.Itoa(n)
	}
	held := withPrefix("the bootstrap member is kept: ", board.EtcdHeld)
	return text.Join(", ", fmt.Sprintf("%s (over time: %s)", text.Plural(len(board.Etcd), "member"), strings.Join(trail, ", ")), held)
}

func formatObjects(board *provisioner.Board) string {
	actions := text.NewCounts(state.Created, state.Updated, state.Found, state.Deleted)
	for _, object := range board.Objects {
		actions.Add(object.Action)
	}
	return actions.String()
}

func formatDurations(board *provisioner.Board) string {
	var phases []string
	for _, phase := range board.Durations() {
		phases = append(phases, phase.Name+" "+handover.FormatPhase(phase))
	}
	return strings.Join(phases, ", ")
}
