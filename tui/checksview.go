package tui

import (
	"fmt"
	"time"

	"exoshift/provisioner"
	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
)

// View draws the checks.
func (p *checksPage) View(width, height int) string {
	if p.popup != nil {
		return p.popup.View(width, height)
	}
	return p.pane().View(width, height)
}

// Grip: nothing is filled in here, unless something is open.
func (p *checksPage) Grip() grip {
	if p.popup != nil {
		return open
	}
	return reading
}

// Broad: what is selected is explained on the page itself.
func (p *checksPage) Broad() bool { return true }

func (p *checksPage) pane() pane.Checks {
	checks := pane.Checks{
		Theme: p.talk.theme, Selected: p.place(), Endpoints: p.board.table(p.talk.theme), Details: p.board.details(p.talk.theme),
	}
	if n := p.board.findings(); n > 0 {
		checks.Details.Note = pane.Plural(n, "finding") + " " + p.talk.theme.Arrow + " firewall request (f)"
	}
	for _, row := range p.rows {
		checks.Rows = append(checks.Rows, p.check(row))
	}
	checks.Head = p.head(checks.Tally() + p.tallies())
	if p.well() {
		checks.Foot = p.talk.theme.Selected.Render("[ Next: review ]") + p.talk.theme.Dim.Render("  enter")
	}
	return checks
}

func (p *checksPage) check(row checkRow) pane.Check {
	check := pane.Check{Title: row.Title, Marks: []pane.Status{checkStatus(row.State)}, Text: row.Text, Hint: row.Hint}
	if !row.began.IsZero() && !row.ended.IsZero() {
		check.Took = row.ended.Sub(row.began)
	}
	if row.warns {
		check.Marks = []pane.Status{pane.Warn}
	}
	if row.State == provisioner.Failed {
		if field, known := wayOut(row.Field, p.spec); known {
			check.Way = way(field)
		}
	}
	return check
}

// way says where a field is.
func way(field wizard.Field) string {
	return fmt.Sprintf("%s on the screen %s (%s)", field.Title, field.Screen.Title(), field.Key)
}

func checkStatus(state string) pane.Status {
	switch state {
	case provisioner.Started, provisioner.Progress:
		return pane.Running
	case provisioner.Done:
		return pane.OK
	case provisioner.Failed:
		return pane.Failed
	case provisioner.Skipped:
		return pane.Skipped
	}
	return pane.Waiting
}

// head says in one line how the checks are as a whole, and how old that is.
func (p *checksPage) head(tally string) string {
	t := p.talk.theme
	age := t.Dim.Render(" " + t.Dot + " checked " + ago(p.talk.now().Sub(p.at)))
	head := func(status pane.Status, words string) string {
		return t.Mark(status) + " " + t.Style(status).Bold(true).Render(words) + "  "
	}
	switch {
	case p.zone.running && !p.running:
		return head(pane.Running, "LOOKING FROM THE ZONE") + tally + t.Dim.Render(" "+t.Dot+" "+pane.Short(p.talk.now().Sub(p.zone.began).Truncate(time.Second)))
	case p.running:
		return head(pane.Running, "CHECKING") + tally + t.Dim.Render(" "+t.Dot+" "+p.lasted()+"; nothing is created")
	case !p.known:
		return head(pane.Waiting, "NOT CHECKED") + "r checks everything"
	case !p.current():
		return head(pane.Waiting, "OLD") + "the answers have changed since; r checks again"
	case p.status() == pane.Failed:
		return head(pane.Failed, "SOMETHING IS IN THE WAY") + tally + age
	}
	if p.Mark() == pane.Warn {
		return head(pane.Warn, "NOTHING IS IN THE WAY") + tally + age
	}
	return head(pane.OK, "EVERYTHING IS IN PLACE") + tally + age
}

// tallies count what can be reached from each vantage.
func (p *checksPage) tallies() string {
	text, columns := "", p.board.columns()
	for vantage, name := range columns {
		if good, looked, worst := p.board.tally(vantage); looked > 0 {
			text += fmt.Sprintf(" %s %s %d/%d %s", p.talk.theme.Dim.Render(p.talk.theme.Dot), name, good, looked, p.talk.theme.Mark(worst))
		}
	}
	return text
}

func (p *checksPage) lasted() string {
	return pane.Short(p.talk.now().Sub(p.began).Truncate(time.Second))
}

// Hints names the keys that matter now.
func (p *checksPage) Hints() []key.Binding {
	if p.popup != nil {
		return p.popup.hints()
	}
	accept := key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "go on"), key.WithDisabled())
	switch {
	case p.well():
		accept.SetEnabled(true)
	case p.status() == pane.Failed:
		accept.SetEnabled(true)
		accept.SetHelp("enter", "to the fault")
	}
	zone, skip, request := hint("z", "zone"), hint("x", "skip"), hint("f", "request")
	zone.SetEnabled(p.talk.interview.CheckFromZone != nil && !p.zone.running)
	skip.SetEnabled(p.probed() != nil)
	request.SetEnabled(p.board.findings() > 0)
	return []key.Binding{accept, p.keys.Again, zone, skip, request, p.keys.Down}
}

// Help explains the page and what is selected.
func (p *checksPage) Help() string {
	help := "These checks look at everything that can be known beforehand, so that nothing breaks half way. They only read: nothing is created, and nothing costs.\n" +
		"A check that failed has to pass before the installation can begin. Enter on it goes to the answer to change, if there is one. r runs all checks again.\n" +
		"A check is skipped if one that it builds upon has failed."
	if len(p.board.rows) > 0 {
		help += "\nReach: the services that the installation needs. z looks from a small machine in the zone, too. tab changes the column that is " +
			"explained. a shows also what is well. x leaves a check out with a reason, which goes into the answers. c copies a command that shows " +
			"the same. f shows what to ask the network team for."
	}
	if row := p.probed(); row != nil {
		return help + "\n" + row.help()
	}
	if p.selected < len(p.rows) {
		row := p.rows[p.selected]
		help += "\n" + row.Title + ": " + checkStatus(row.State).Word() + ". " + row.Text
	}
	return help
}
