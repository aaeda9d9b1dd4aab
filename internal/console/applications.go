package console

import (
	"fmt"
	"io"
	"slices"

	"exoshift/provisioner"
	"exoshift/provisioner/handover"
)

// applications are what is known of Project Syn on the cluster: the newest of each application, in order.
type applications struct {
	newest []provisioner.Event
	told   map[string]bool // by name and state
}

// application tells each state of an application once: some come and go for a while.
func (p *plain) application(e provisioner.Event) {
	a := &p.applications
	if a.told == nil {
		a.told = map[string]bool{}
	}
	at := slices.IndexFunc(a.newest, func(other provisioner.Event) bool { return other.Name == e.Name })
	if at < 0 {
		a.newest = append(a.newest, e)
	} else {
		a.newest[at] = e
	}
	key := fmt.Sprintf("%q %q %q", e.Name, e.State, e.Sync)
	if a.told[key] {
		return
	}
	a.told[key] = true
	sentence := handover.Application(e).String()
	if counted := applicationCounts(a.newest); handover.Application(e).Well() && counted != "" {
		sentence += "; " + counted
	}
	p.line(e, "application", sentence)
}

// applicationCounts counts the applications of the catalog, or returns "": the agent and Argo CD have no sync.
func applicationCounts(newest []provisioner.Event) string {
	well, all := handover.Synthesis(newest).Count()
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d applications are synced and healthy", well, all)
}

// printApplications counts the applications, and lists those that are not well.
func printApplications(w io.Writer, board *provisioner.Board) {
	if len(board.Applications) == 0 {
		return
	}
	fmt.Fprintln(w, "Project Syn")
	if counted := applicationCounts(board.Applications); counted != "" {
		fmt.Fprintln(w, "  "+counted)
	}
	widest := 0
	for _, e := range board.Applications {
		widest = max(widest, len(Clean(e.Name)))
	}
	for _, e := range board.Applications {
		if !handover.Application(e).Well() {
			fmt.Fprintf(w, "  %-*s  %s\n", widest, Clean(e.Name),
				Clean(parts(", ", e.State, e.Sync, "for "+lasting(board.Now.Sub(e.Beginning())), e.Reason)))
		}
	}
}
