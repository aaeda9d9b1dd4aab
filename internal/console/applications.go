package console

import (
	"fmt"
	"io"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
)

// applicationTracker holds the latest event of each Project Syn application, in order.
type applicationTracker struct {
	newest  []provisioner.Event
	printed map[string]bool // by name and state
}

// formatApplicationCounts counts the applications of the catalog, or returns "": the agent and Argo CD have no sync.
func formatApplicationCounts(newest []provisioner.Event) string {
	well, all := handover.ToSynStatus(newest).Count()
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d applications are synced and healthy", well, all)
}

func printApplications(w io.Writer, board *provisioner.Board) {
	if len(board.Applications) == 0 {
		return
	}
	fmt.Fprintln(w, "Project Syn")
	if counted := formatApplicationCounts(board.Applications); counted != "" {
		fmt.Fprintln(w, "  "+counted)
	}
	widest := 0
	for _, e := range board.Applications {
		widest = max(widest, len(SanitizeLine(e.Name)))
	}
	for _, e := range board.Applications {
		if !handover.ToApplicationStatus(e).IsHealthy() {
			fmt.Fprintf(w, "  %-*s  %s\n", widest, SanitizeLine(e.Name),
				SanitizeLine(text.Join(", ", e.State, e.Sync, "for "+text.FormatDuration(board.Now.Sub(e.StartTime())), e.Reason)))
		}
	}
}
