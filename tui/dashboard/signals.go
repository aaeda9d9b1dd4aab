package dashboard

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/tui/app"
	"exoshift/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// attention calls the operator by the signals of the terminal: when the run waits for them, and when it has ended.
type attention struct {
	signals app.Signals
	called  string // for what the last call was
	title   string // that the window has
}

// maxEventAge is the age up to which an event is news: whoever opens a run later is not called for what was before.
const maxEventAge = 15 * time.Second

// update shows the state of the run, and calls once for whatever needs the operator.
func (a *attention) update(d *dashboard) tea.Cmd {
	var commands []tea.Cmd
	call, isNews := describeCall(d), d.run.clock().Sub(d.run.board.Now) < time.Duration(max(d.options.Speed, 1)*float64(maxEventAge))
	if call != "" && call != a.called && isNews && d.options.Player == nil {
		commands = append(commands, a.signals.Notify(d.options.Title, call))
	}
	a.called = call
	status, _ := d.run.describe()
	progress, steps := app.ProgressNormal, max(len(d.run.board.Steps), 1)
	title := fmt.Sprintf("%s %d/%d", d.options.Title, d.run.countSucceeded(), steps)
	if call != "" {
		title += ": " + call
	}
	switch {
	case d.run.ended && status == theme.OK:
		progress = app.ProgressHidden
	case status == theme.Failed || status == theme.Warn:
		progress = app.ProgressFailed
	case call != "":
		status, progress = theme.Warn, app.ProgressWaiting
	}
	if title = ansi.Strip(d.theme.Mark(status)) + " " + title; title != a.title {
		commands = append(commands, a.signals.Show(title, progress, d.run.countSucceeded()*100/steps))
	}
	a.title = title
	return tea.Batch(commands...)
}

// describeCall returns for what the operator is needed, or how the run has ended; "" while it goes on by itself.
func describeCall(d *dashboard) string {
	if what, pending := d.panes().buildAction().IsPending(); pending && !d.run.ended {
		return "action needed: " + what
	}
	status, word := d.run.describe()
	failed := d.panes().buildStatus().ListFailed()
	switch {
	case !d.run.ended || d.run.board.Run.State == "":
		return ""
	case status == theme.Failed && len(failed) > 0:
		return "failed: " + failed[0].Title
	}
	return strings.ToLower(word)
}

// listLinks returns the web addresses that the screen may show whole.
func listLinks(d *dashboard) []string {
	links := []string{d.panes().buildAction().Text()}
	if d.handover.report != nil && d.handover.open {
		for _, section := range d.handover.report.Sections() {
			for _, row := range section.Rows {
				links = append(links, strings.Fields(row.Text)...)
			}
		}
	}
	return slices.DeleteFunc(links, func(link string) bool { return !strings.HasPrefix(link, "https://") || strings.Contains(link, "\n") })
}
