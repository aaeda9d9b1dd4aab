package console

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
)

// Whereabouts say where a run's results are and how to go on with it.
type Whereabouts struct {
	Folder    string // of the cluster; empty if it is not kept
	Resume    string // the command that goes on with a run that did not end well
	Gathered  string // the folder with what may explain a failure; empty if there is none
	Rehearsal bool   // nothing real was touched
	Helped    bool   // a rehearsal goes on as if the people had acted that it needs
	Handover  handover.Report
}

// Summary prints the end of a run: what was built or what failed, where things are, and what to do next. It prints no
// secret, only where those are.
func Summary(w io.Writer, board *provisioner.Board, facts state.Facts, where Whereabouts) {
	fmt.Fprintf(w, "\n%s\n", headline(board, facts))
	describe(w, board, facts, where)
	switch {
	case board.Run.Result != "ok":
		printSurest(w, board)
		failures(w, board)
		fmt.Fprintf(w, "Nothing was rolled back. Go on with:\n  %s\n", Clean(where.Resume))
		if where.Helped && board.Run.Result == "failed" {
			fmt.Fprintln(w, "This is a rehearsal: it goes on as if somebody had done by then what is next.")
		}
	case where.Rehearsal:
		fmt.Fprintln(w, "This was a rehearsal: nothing real was created, and nothing costs.")
		sections(w, where.Handover.Later)
	default:
		sections(w, where.Handover.Access, where.Handover.Left, where.Handover.Cost, where.Handover.Later)
	}
}

// sections prints parts of a hand-over. Commands stay whole, to be copied.
func sections(w io.Writer, parts ...handover.Section) {
	for _, section := range parts {
		if len(section.Rows) == 0 {
			continue
		}
		fmt.Fprintln(w, section.Title)
		for _, row := range section.Rows {
			switch {
			case row.Command:
				fmt.Fprintf(w, "    %s\n", Clean(row.Text))
			case row.Name != "":
				fmt.Fprintf(w, "  %-12s %s\n", Clean(row.Name), Clean(row.Text))
			default:
				fmt.Fprintf(w, "  %s\n", broken(Clean(row.Text), " ", 2))
			}
		}
	}
}

// headline says in one line how far the cluster is.
func headline(board *provisioner.Board, facts state.Facts) string {
	lasted := lasting(board.Now.Sub(board.Began))
	subject := "Cluster " + Clean(facts.ClusterID)
	switch {
	case board.Run.State == "":
		return subject + ": no run so far"
	case board.Run.State == provisioner.Started:
		return fmt.Sprintf("%s: running for %s", subject, lasted)
	case board.Run.Result == "ok":
		return fmt.Sprintf("%s is installed (%s)", subject, lasted)
	}
	return fmt.Sprintf("%s is not complete: %s after %s", subject, Clean(board.Run.Result), lasted)
}

// describe prints what is known, a fact a line.
func describe(w io.Writer, board *provisioner.Board, facts state.Facts, where Whereabouts) {
	for _, row := range []struct{ name, value string }{
		{"OpenShift", parts(", ", facts.OpenShiftVersion, prefixed("infrastructure ", facts.InfraID))},
		{"zone", facts.Zone},
		{"certificates", certificates(facts, time.Now())},
		{"API", facts.APIAddress},
		{"ingress", facts.IngressAddress},
		{"console", facts.ConsoleURL},
		{"nodes", nodes(board)},
		{"etcd", etcd(board)},
		{"version", version(board)},
		{"operators", operatorCounts(board)},
		{"Project Syn", applicationCounts(board.Applications)},
		{"objects", objects(board)},
		{"durations", durations(board)},
		{"kubeconfig", kubeconfig(facts, where)},
		{"folder", where.Folder},
		{"gathered", where.Gathered},
	} {
		if row.value != "" {
			fmt.Fprintf(w, "  %-12s %s\n", row.name, wrapped(Clean(row.value), ", "))
		}
	}
}

// indent is where the values of a description begin.
const indent = 15

// wrapped breaks a value after separators, so that with its indentation it fits a terminal of 80 columns.
func wrapped(value, separator string) string { return broken(value, separator, indent) }

func broken(value, separator string, indent int) string {
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

// failures prints what failed in a run that did not end well, with the cause and what to do about it, each advice
// once. What the run as a whole says is printed only if no step said it.
func failures(w io.Writer, board *provisioner.Board) {
	if board.Run.Result != "failed" {
		return
	}
	var advice []string
	told := false
	for _, step := range board.Steps {
		if step.State == provisioner.Failed {
			told = true
			fmt.Fprintf(w, "  failed       %s\n  cause        %s\n", Clean(step.Title), wrapped(Clean(step.Text), " "))
			advice = append(advice, step.Hint)
		}
	}
	if !told {
		fmt.Fprintf(w, "  cause        %s\n", wrapped(Clean(board.Run.Text), " "))
		advice = append(advice, board.Run.Hint)
	}
	slices.Sort(advice)
	for _, next := range slices.Compact(advice) {
		if next != "" && !fixes(board, next) {
			todo(w, next)
		}
	}
}

// todo prints an advice. One of several lines holds what is to be copied, line by line, as a whole and at the margin.
func todo(w io.Writer, advice string) {
	lines := cleanLines(advice)
	if len(lines) == 1 {
		fmt.Fprintf(w, "  next         %s\n", wrapped(lines[0], " "))
		return
	}
	fmt.Fprintf(w, "  next\n\n%s\n\n", strings.Join(lines, "\n"))
}

func prefixed(before, word string) string {
	if word == "" {
		return ""
	}
	return before + word
}

func inAuth(folder, name string) string {
	return filepath.Join(folder, state.InstallDir, "auth", name)
}

// kubeconfig names the file once it has been generated, unless the hand-over does.
func kubeconfig(facts state.Facts, where Whereabouts) string {
	if facts.InfraID == "" || where.Rehearsal || len(where.Handover.Access.Rows) > 0 {
		return ""
	}
	return inAuth(where.Folder, "kubeconfig")
}

// nodes counts the nodes by state and the ready ones by role.
func nodes(board *provisioner.Board) string {
	if len(board.Nodes) == 0 {
		return ""
	}
	ready := inOrder(state.RoleMaster, state.RoleInfra, state.RoleStorage, state.RoleWorker)
	for _, node := range board.Nodes {
		if strings.EqualFold(node.State, "ready") {
			ready.add(node.Role)
		}
	}
	return parts(": ", fmt.Sprintf("%d of %d ready", ready.total(), len(board.Nodes)), ready.String())
}

func etcd(board *provisioner.Board) string {
	if len(board.Etcd) == 0 {
		return ""
	}
	trail := make([]string, len(board.EtcdTrail))
	for i, n := range board.EtcdTrail {
		trail[i] = strconv.Itoa(n)
	}
	held := prefixed("the bootstrap member stays: ", board.EtcdHeld)
	return parts(", ", fmt.Sprintf("%s (over time: %s)", count(len(board.Etcd), "member"), strings.Join(trail, ", ")), held)
}

func objects(board *provisioner.Board) string {
	actions := inOrder(state.Created, state.Updated, state.Found, state.Deleted)
	for _, object := range board.Objects {
		actions.add(object.Action)
	}
	return actions.String()
}

// durations says how long each phase took.
func durations(board *provisioner.Board) string {
	var phases []string
	for _, phase := range board.Durations() {
		phases = append(phases, phase.Name+" "+lasting(phase.Took))
	}
	return strings.Join(phases, ", ")
}

// tally counts words: those of a usual order first, others in the order of their first appearance.
type tally struct {
	words  []string
	counts map[string]int
}

func inOrder[word ~string](usual ...word) tally {
	t := tally{counts: map[string]int{}}
	for _, w := range usual {
		t.words = append(t.words, string(w))
	}
	return t
}

func (t *tally) add(word string) {
	if !slices.Contains(t.words, word) {
		t.words = append(t.words, word)
	}
	t.counts[word]++
}

func (t *tally) total() int {
	sum := 0
	for _, n := range t.counts {
		sum += n
	}
	return sum
}

func (t *tally) String() string {
	var counted []string
	for _, word := range t.words {
		if t.counts[word] > 0 {
			counted = append(counted, fmt.Sprintf("%d %s", t.counts[word], word))
		}
	}
	return strings.Join(counted, ", ")
}
