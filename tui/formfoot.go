package tui

import (
	"strings"

	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/x/ansi"
)

// helpLines is how many lines of help there are at most below a form that has none beside it.
const helpLines = 4

// below is what stands at the bottom of a form: what the outside says, and the help unless it stands beside the form.
func (f *form) below(width int) []string {
	lines := f.replies(width)
	if f.talk.roomy {
		return lines
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	about := f.row().field.Help
	if about == "" {
		_, about, _ = strings.Cut(f.Help(), "\n")
	} else if why := f.row().field.Why; why != "" {
		about += " " + why
	}
	help := pane.Wrap(cleanText(f.talk.titled(about), f.talk.ascii), "", width-3)
	if len(help) > helpLines {
		help = append(help[:helpLines-1], ansi.Truncate(help[helpLines-1], width-14, "")+" … F1: all")
	}
	for _, line := range help {
		lines = append(lines, "   "+f.talk.theme.Dim.Render(line))
	}
	return lines
}

// replies says what the outside was asked on this screen, and what it said.
func (f *form) replies(width int) []string {
	var lines []string
	for _, q := range f.talk.inquiries {
		if q.Screen != f.screen || !q.AskedOf(f.talk.spec()) {
			continue
		}
		lines = append(lines, f.reply(q, width)...)
		for _, fault := range q.reply.Faults {
			if f.talk.homeless(fault) {
				lines = append(lines, f.extra(pane.Failed, fault, width)...)
			}
		}
		for _, fault := range q.reply.Warnings {
			if f.talk.homeless(fault) {
				lines = append(lines, f.extra(pane.Warn, fault, width)...)
			}
		}
	}
	return lines
}

// replyLines is how many lines there are at most for why nobody could tell.
const replyLines = 3

// reply is what one inquiry brought. Why it brought nothing may need more than a line.
func (f *form) reply(q *inquiry, width int) []string {
	status := q.status(f.talk.now())
	mark := "   " + f.talk.theme.Mark(status) + " "
	if q.err == nil || status != pane.Warn {
		return []string{pane.Fit(mark+f.talk.replied(q), width)}
	}
	indent := strings.Repeat(" ", ansi.StringWidth(mark))
	lines := pane.Wrap(ansi.Strip(f.talk.replied(q)), "", width-len(indent)-2)
	if len(lines) > replyLines {
		lines = append(lines[:replyLines-1], lines[replyLines-1]+" …")
	}
	for i, line := range lines {
		lines[i] = pane.Fit(mark+f.talk.theme.Caution.Render(line), width)
		mark = indent
	}
	return lines
}

// extra is what the outside said about no field of ours.
func (f *form) extra(status pane.Status, fault wizard.Fault, width int) []string {
	t := f.talk.theme
	said := f.talk.sentence(fault)
	if status == pane.Warn {
		said = f.talk.advice(fault)
	}
	lines := pane.Wrap(said, "", width-9)
	for i, line := range lines {
		lines[i] = "       " + t.Style(status).Render(line)
	}
	return lines
}

// replied says in a line what an inquiry brought.
func (t *talk) replied(q *inquiry) string {
	title, now := cleanText(q.Title, t.ascii), t.now()
	switch {
	case q.busy(now):
		return title + ": " + t.theme.Active.Render("checking…")
	case !q.known:
		return t.theme.Dim.Render(title + ": asked as soon as its answers are there")
	case q.reply.Pending:
		return t.theme.Dim.Render(title + ": " + q.reply.Summary)
	case q.err != nil:
		return title + ": " + t.theme.Caution.Render("nobody could tell (ctrl+r tries again): "+cleanText(q.err.Error(), t.ascii))
	}
	return title + ": " + q.reply.Summary + t.theme.Dim.Render(" ("+ago(now.Sub(q.at))+")")
}
