package tui

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
)

// View draws the review, and the buttons below it.
func (p *reviewPage) View(width, height int) string {
	buttons := []string{p.talk.theme.Rule(width), p.buttons(width)}
	switch {
	case height < 2:
		buttons = nil
	case height < 6:
		buttons = buttons[1:]
	}
	p.size = Rect{W: width, H: height - len(buttons)}
	text := p.text().View(width, height-len(buttons))
	if len(buttons) == 0 || width <= 0 {
		return text
	}
	return text + "\n" + pane.Fill(buttons, width, len(buttons))
}

// Grip: nothing is filled in here.
func (p *reviewPage) Grip() grip { return reading }

// Broad: the page explains itself.
func (p *reviewPage) Broad() bool { return true }

func (p *reviewPage) text() pane.View {
	t := p.talk.theme
	switch {
	case p.running:
		return pane.Lines{"", " " + t.Mark(pane.Running) + " " + t.Active.Bold(true).Render("READING") + "  what is there, to tell what will be created " + t.Dim.Render(p.waited())}
	case p.known && p.err != nil:
		return p.failure()
	case !p.known:
		return pane.Lines{"", " " + t.Mark(pane.Waiting) + " r reads what is there"}
	}
	return p.pane()
}

func (p *reviewPage) waited() string { return pane.Short(p.talk.now().Sub(p.began)) }

// failure says why there is no plan.
func (p *reviewPage) failure() pane.View {
	s := failedReview(p.err, p.talk.ascii)
	check := pane.Check{Title: s.Title, Marks: []pane.Status{pane.Failed}, Text: s.Text, Hint: s.Hint}
	if field, known := p.remedy(); known {
		check.Way = way(field)
	}
	return pane.Finding{Theme: p.talk.theme, Check: check}
}

// failedReview tells why there is no plan, as a check does.
func failedReview(err error, ascii bool) wizard.CheckState {
	return cleanCheck(wizard.CheckState{
		Title: "There is no plan", State: provisioner.Failed, Text: err.Error(), Hint: fault.HintOf(err),
	}, ascii)
}

func (p *reviewPage) lines() int {
	if !p.current() {
		return 0
	}
	return p.pane().Lines(p.size.W)
}

func (p *reviewPage) pane() pane.Review {
	r, interview := p.review, p.talk.interview
	view := pane.Review{
		Theme: p.talk.theme, Spec: p.spec, Groups: p.groups, Quotas: needRows(r.Quotas), Minutes: r.Minutes, Human: r.Human,
		Cost: pane.Cost{
			Theme: p.talk.theme, Hour: r.Estimate.Hour, Month: r.Estimate.Month, Date: r.Estimate.Date, Unknown: r.Estimate.Unknown,
		},
		Warnings: p.warnings(), Export: r.Export, Change: r.Difference, Command: p.command(), Rehearsal: interview.Rehearsal,
		Open: p.open, Selected: p.focus, Offset: p.offset,
	}
	if p.frame > 0 {
		view.Rows = max(view.PictureHeight(p.size.W, p.size.H)*p.frame/pictureFrames, 1)
	}
	return view
}

// command does the same without questions.
func (p *reviewPage) command() string {
	if p.review.Export == "" {
		return ""
	}
	if p.talk.interview.Rehearsal {
		return "exoshift rehearse --answers " + p.review.Export
	}
	return "exoshift install --answers " + p.review.Export + " --yes"
}

// warnings are what is amber, and what nobody could tell.
func (p *reviewPage) warnings() []string {
	var all []string
	faults := slices.Clone(p.talk.local.warnings)
	for _, q := range p.talk.inquiries {
		faults = append(faults, q.reply.Warnings...)
		if q.known && q.err != nil {
			all = append(all, fmt.Sprintf("%s: nobody could tell: %v", q.Title, q.err))
		}
	}
	for _, f := range faults {
		all = append(all, strings.TrimPrefix(f.Field+": "+f.Problem, ": "))
	}
	for i, warning := range all {
		all[i] = cleanText(warning, p.talk.ascii)
	}
	return all
}

// obstacle says what keeps a reviewed cluster from being created; empty if nothing does.
func (p *reviewPage) obstacle() string {
	for _, quota := range p.review.Quotas {
		if !quota.Sufficient {
			return "the quota of " + quota.Resource + " does not suffice"
		}
	}
	for _, screen := range wizard.Screens() {
		if len(p.talk.blocking(screen)) > 0 {
			return "something is wrong on the screen " + screen.Title()
		}
	}
	return ""
}

// buttons are the two things to do, the focused one with a mark before it.
func (p *reviewPage) buttons(width int) string {
	t := p.talk.theme
	line := " " + p.button("Back", p.backButton())
	if label := p.goLabel(width); label != "" {
		line += "  " + p.button(label, p.goButton())
	}
	if obstacle := p.obstacle(); obstacle != "" && p.current() {
		line += "  " + t.Mark(pane.Failed) + " " + obstacle
	}
	return line
}

func (p *reviewPage) button(label string, at int) string {
	t := p.talk.theme
	if p.focus == at {
		return t.Focus.Render(t.Prong) + " " + t.Selected.Render("[ "+label+" ]")
	}
	return "  [ " + label + " ]"
}

// goLabel is what the second button does; empty if there is nothing to do.
func (p *reviewPage) goLabel(width int) string {
	_, known := p.remedy()
	switch {
	case p.running:
		return ""
	case p.err != nil && p.known && known:
		return "Change the answer"
	case !p.current():
		return "Read again"
	case p.talk.interview.CheckOnly:
		return "Done: nothing is created"
	case p.obstacle() != "":
		return ""
	case p.talk.interview.Rehearsal:
		return "Rehearse it: nothing real is touched"
	case width < plainWidth:
		return "Create: costs money"
	}
	return "Create it: costs money from now on"
}

// Hints names the keys that matter.
func (p *reviewPage) Hints() []key.Binding {
	accept := p.keys.Accept
	if p.focus < len(p.groups) {
		accept.SetHelp("enter", "unfold")
	}
	next, down := p.keys.Next, p.keys.Down
	next.SetHelp("tab", "next")
	down.SetHelp("up/down", "scroll")
	return []key.Binding{accept, next, down, p.keys.Again}
}

// Help explains the page.
func (p *reviewPage) Help() string {
	return "This is everything that the installation would do, read from Exoscale just now. Nothing was created yet, and nothing is before you choose the right button.\n" +
		"Up and down scroll. Tab moves to the kinds of objects, where enter shows them one by one, and to the buttons.\n" +
		"The time is what such installations usually take. You may leave and come back: the same command goes on where it was.\n" +
		"Everything that is created bears the cluster's ID, and exoshift destroy deletes it again."
}

func needRows(needs []wizard.QuotaNeed) []pane.Quota {
	rows := make([]pane.Quota, 0, len(needs))
	for _, q := range needs {
		rows = append(rows, pane.Quota{Resource: q.Resource, Used: q.Used, Limit: q.Limit, Need: q.Need})
	}
	return rows
}

func planned(changes []wizard.Planned) []pane.Planned {
	plan := make([]pane.Planned, 0, len(changes))
	for _, c := range changes {
		plan = append(plan, pane.Planned{Action: c.Action, Kind: c.Kind, Name: c.Name, Detail: c.Detail})
	}
	return plan
}

// cleanReview makes what was read harmless for the terminal.
func cleanReview(r wizard.Review, ascii bool) wizard.Review {
	r.Changes, r.Human, r.Quotas = slices.Clone(r.Changes), slices.Clone(r.Human), slices.Clone(r.Quotas)
	for i := range r.Changes {
		for _, s := range []*string{&r.Changes[i].Action, &r.Changes[i].Kind, &r.Changes[i].Name, &r.Changes[i].Detail} {
			*s = cleanText(*s, ascii)
		}
	}
	for i := range r.Human {
		r.Human[i] = cleanText(r.Human[i], ascii)
	}
	for i := range r.Quotas {
		r.Quotas[i].Resource = cleanText(r.Quotas[i].Resource, ascii)
	}
	r.Export = cleanText(r.Export, ascii)
	if r.Difference = pane.CleanDifference(r.Difference); ascii {
		r.Difference = toASCII(r.Difference)
	}
	return r
}
