package console

import (
	"fmt"
	"io"
	"slices"

	"exoshift/provisioner"
	"exoshift/state"
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
	sentence := healthOf(e).String()
	if counted := applicationCounts(a.newest); healthOf(e).Well() && counted != "" {
		sentence += "; " + counted
	}
	p.line(e, "application", sentence)
}

// healthOf is what an event says about an application.
func healthOf(e provisioner.Event) state.ApplicationStatus {
	return state.ApplicationStatus{Name: e.Name, Sync: e.Sync, Health: e.State, Message: e.Reason}
}

// applicationCounts counts the applications of the catalog, or returns "": the agent and Argo CD have no sync.
func applicationCounts(newest []provisioner.Event) string {
	well, all := 0, 0
	for _, e := range newest {
		if e.Sync == "" {
			continue
		}
		if all++; healthOf(e).Well() {
			well++
		}
	}
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
		if !healthOf(e).Well() {
			fmt.Fprintf(w, "  %-*s  %s\n", widest, Clean(e.Name),
				Clean(parts(", ", e.State, e.Sync, "for "+lasting(board.Now.Sub(e.Beginning())), e.Reason)))
		}
	}
}
