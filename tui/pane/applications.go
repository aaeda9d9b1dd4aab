package pane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner"
	"exoshift/provisioner/handover"
)

// Applications shows how Project Syn takes the cluster over: its agent, Argo CD, and each application of the catalog,
// what is not well first.
type Applications struct {
	Theme        Theme
	Applications []provisioner.Event
	Now          time.Time
	Offset       int    // lines scrolled
	Filter       string // only applications that mention this word
	Typing       bool   // the word is being typed
}

// View draws the count, then a line for each application.
func (p Applications) View(width, height int) string {
	return Fill(window(p.Theme, p.lines(width), p.Offset, height), width, height)
}

// Lines returns how many lines there are to scroll through.
func (p Applications) Lines(width int) int { return len(p.lines(width)) }

func (p Applications) lines(width int) []string {
	if len(p.Applications) == 0 {
		return []string{p.Theme.Dim.Render("no application seen yet")}
	}
	lines := []string{p.Theme.Mark(p.status()) + " " + p.count()}
	if p.Typing || p.Filter != "" {
		lines = append(lines, p.Theme.filter(p.Filter, p.Typing))
	}
	for _, application := range p.sorted() {
		if mentions(p.Filter, application.Name, application.State, application.Sync, application.Reason) {
			lines = append(lines, p.rows(application, width)...)
		}
	}
	return lines
}

// whyLines is how many lines there are at most below an application for what is wrong with it.
const whyLines = 3

// rows is one application: its name, health, sync, since when, and why. What is wrong stands below where the line has no
// room for it.
func (p Applications) rows(application provisioner.Event, width int) []string {
	if width < 60 {
		return []string{p.row(application, width)}
	}
	row := p.row(application, width) + application.Reason
	if cells(row) <= width || applicationStatus(application) != Warn {
		return []string{row}
	}
	why := Wrap(application.Reason, "    ", width-2)
	if len(why) > whyLines {
		why = append(why[:whyLines-1], why[whyLines-1]+" …")
	}
	for i, line := range why {
		why[i] = p.Theme.Style(Warn).Render(line)
	}
	return append([]string{p.row(application, width)}, why...)
}

// row is one application in a line, in a wide pane without the reason.
func (p Applications) row(application provisioner.Event, width int) string {
	t, status := p.Theme, applicationStatus(application)
	line := t.Mark(status) + " " + Fit(application.Name, min(28, width/3)) + " "
	age := Short(p.Now.Sub(application.Beginning()))
	if width < 60 {
		return spread(line+t.Style(status).Render(concern(application)), t.Dim.Render(age), width)
	}
	line += t.Style(status).Render(Fit(application.State, 12)) + " " + Fit(application.Sync, 10) + " "
	return line + t.Dim.Render(Fit(age, 7))
}

// concern is the one thing to know about an application.
func concern(application provisioner.Event) string {
	if handover.Application(application).Health == "Healthy" && application.Sync != "" && application.Sync != "Synced" {
		return application.Sync + because(application.Reason, ": ", "")
	}
	return application.State + because(application.Reason, ": ", "")
}

func applicationStatus(e provisioner.Event) Status {
	switch {
	case handover.Application(e).Well():
		return OK
	case e.State == "Degraded", e.Reason != "" && (e.Sync == "Unknown" || e.State == "Unknown"):
		return Warn
	case e.State == "Missing", e.State == "Suspended", e.State == "":
		return Waiting
	}
	return Running
}

// sorted returns the applications in trouble first, then those on their way, then those that are well; the longest in
// their state first.
func (p Applications) sorted() []provisioner.Event {
	applications := slices.Clone(p.Applications)
	slices.SortStableFunc(applications, func(a, b provisioner.Event) int {
		return cmp.Or(
			cmp.Compare(applicationStatus(a).urgency(), applicationStatus(b).urgency()), a.Beginning().Compare(b.Beginning()))
	})
	return applications
}

func (p Applications) count() string {
	well, all := handover.Synthesis(p.Applications).Count()
	if all == 0 {
		return "no application of the catalog is there yet"
	}
	return fmt.Sprintf("%d of %d applications are synced and healthy", well, all)
}

// status is that of the worst application.
func (p Applications) status() Status {
	worst := OK
	for _, application := range p.Applications {
		if status := applicationStatus(application); status.urgency() < worst.urgency() {
			worst = status
		}
	}
	if worst == Waiting {
		return Running
	}
	return worst
}

// Summary returns the applications in one line, or "".
func (p Applications) Summary() string {
	if len(p.Applications) == 0 {
		return ""
	}
	parts := []string{p.Theme.Mark(p.status()) + " " + p.brief()}
	for _, application := range p.sorted() {
		if status := applicationStatus(application); status != OK {
			parts = append(parts, p.Theme.Mark(status)+" "+application.Name)
		}
	}
	return strings.Join(parts[:min(len(parts), 5)], "  ")
}

func (p Applications) brief() string {
	well, all := handover.Synthesis(p.Applications).Count()
	if all == 0 {
		return "begins"
	}
	return fmt.Sprintf("%d of %d well", well, all)
}
