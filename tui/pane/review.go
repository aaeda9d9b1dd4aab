package pane

import (
	"fmt"
	"strings"
	"time"

	"exoshift/state"
)

// Review tells before anything is created what will be: what it costs, how long it takes, what people are asked for,
// the picture, and every object.
type Review struct {
	Theme Theme
	Spec  state.Spec

	Groups    []PlanGroup
	Quotas    []Quota
	Cost      Cost
	Minutes   [2]int   // how long it usually takes, from and to
	Human     []string // what a person will be asked for
	Warnings  []string
	Export    string // path of the answers file
	Change    string // of the tenant's configuration, as diff -u shows it; "" if there is none
	Command   string // does the same without questions
	Rehearsal bool   // nothing real is touched

	Open     map[int]bool // groups that are unfolded
	Selected int          // group, or -1
	Rows     int          // of the picture that are shown, 0 for all
	Offset   int          // lines scrolled
}

// Widths from which on the picture stands beside the plan, and how wide it is there.
const (
	reviewBeside = 120
	pictureShare = 48 // percent
)

// View draws the part of the review that fits.
func (p Review) View(width, height int) string {
	if width < reviewBeside {
		return Fill(window(p.Theme, p.lines(width), p.Offset, height), width, height)
	}
	side := width * pictureShare / 100
	text := window(p.Theme, p.told(width-side-2), p.Offset, height)
	picture := p.picture().lines(side, height)
	var lines []string
	for y := range height {
		lines = append(lines, Fit(orBlank(text, y), width-side-2)+"  "+orBlank(picture, y))
	}
	return Fill(lines, width, height)
}

// Lines returns how many lines there are to scroll through.
func (p Review) Lines(width int) int { return len(p.scrolled(width)) }

// LineOf returns the line of a group.
func (p Review) LineOf(group, width int) int {
	p.Selected = group
	marker := p.groupLine(group)
	for i, line := range p.scrolled(width) {
		if line == marker {
			return i
		}
	}
	return 0
}

// PictureHeight returns how many lines the picture has.
func (p Review) PictureHeight(width, height int) int {
	if width < reviewBeside {
		return p.picture().Height(width-2, pictureTall)
	}
	return p.picture().Height(width*pictureShare/100, height)
}

func (p Review) scrolled(width int) []string {
	if width < reviewBeside {
		return p.lines(width)
	}
	return p.told(width - width*pictureShare/100 - 2)
}

// pictureTall is how high a picture between texts may be.
const pictureTall = 40

func (p Review) picture() Architecture {
	return Architecture{Theme: p.Theme, Spec: p.Spec, Rows: p.Rows}
}

// lines are everything below each other.
func (p Review) lines(width int) []string {
	lines := append(p.decision(width), "")
	whole := p.picture()
	whole.Rows = 0
	picture, tall := p.picture().lines(width-2, pictureTall), whole.Height(width-2, pictureTall)
	for y := range tall {
		lines = append(lines, " "+orBlank(picture, y))
	}
	return append(append(lines, ""), p.rest(width)...)
}

// told are the lines without the picture.
func (p Review) told(width int) []string {
	return append(append(p.decision(width), ""), p.rest(width)...)
}

// decision is what has to be known to say yes or no.
func (p Review) decision(width int) []string {
	t := p.Theme
	lines := p.entry("Cluster", t.join(t.Bold.Render(Clean(p.Spec.Cluster.ID)), Clean(p.Spec.Domain()), Clean(p.Spec.Exoscale.Zone),
		p.product()+" "+Clean(p.Spec.OpenShift.Version)), width)
	lines = append(lines, p.entry("Plan", p.plan(), width)...)
	lines = append(lines, p.entry("Cost", p.price(), width)...)
	if p.Minutes[1] > 0 {
		lines = append(lines, p.entry("Time", p.time(), width)...)
	}
	for _, errand := range p.Human {
		lines = append(lines, p.entry("You", Clean(errand), width)...)
	}
	for _, warning := range p.Warnings {
		note := Fit(" "+t.Mark(Warn)+" "+t.Caution.Bold(true).Render("Note"), reviewName)
		lines = append(lines, wrapAfter(note, t.Plain, Clean(warning), p.margin(), width)...)
	}
	return lines
}

// reviewName is how wide the names of entries are.
const reviewName = 10

func (p Review) margin() string { return strings.Repeat(" ", 1+reviewName) }

func (p Review) entry(name, text string, width int) []string {
	return wrapAfter(" "+p.Theme.Label.Render(Fit(name, reviewName-1)), p.Theme.Plain, text, p.margin(), width)
}

func (p Review) product() string {
	if p.Spec.OpenShift.Distribution == "okd" {
		return "OKD"
	}
	return "OpenShift"
}

// plan counts what is done to how many objects.
func (p Review) plan() string {
	count := map[string]int{}
	for _, group := range p.Groups {
		count[group.Action] += len(group.Items)
	}
	if count["create"]+count["update"]+count["delete"] == 0 {
		return fmt.Sprintf("Nothing needs to change: %s there already.", are(count["found"]))
	}
	plan := Plural(count["create"], "object") + " to create"
	for _, more := range []struct{ action, text string }{{"update", " to change"}, {"delete", " to delete"}, {"found", " there already"}} {
		if n := count[more.action]; n > 0 {
			plan += fmt.Sprintf(", %d%s", n, more.text)
		}
	}
	return plan
}

func are(n int) string {
	if n == 1 {
		return "1 object is"
	}
	return Plural(n, "object") + " are"
}

func (p Review) price() string {
	c := p.Cost
	if p.Rehearsal {
		return fmt.Sprintf("nothing, as this is a rehearsal; the real cluster costs about %s, %s", c.perHour(), c.perMonth())
	}
	text := fmt.Sprintf("about %s, %s (CHF, EUR or USD), for as long as it exists; prices of %s, without object storage, traffic and volumes of applications",
		c.perHour(), c.perMonth(), Clean(c.Date))
	for _, unknown := range c.unpriced() {
		text += "; " + unknown
	}
	return text
}

func (p Review) time() string {
	from, to := time.Duration(p.Minutes[0])*time.Minute, time.Duration(p.Minutes[1])*time.Minute
	if p.Rehearsal {
		return fmt.Sprintf("%s to %s for real; the rehearsal is much faster", Short(from), Short(to))
	}
	return fmt.Sprintf("usually %s to %s", Short(from), Short(to))
}

// rest is what may be looked up.
func (p Review) rest(width int) []string {
	lines := append(p.changes(width), p.plans()...)
	if len(p.Quotas) > 0 {
		quotas := Quotas{Theme: p.Theme, Rows: p.Quotas}
		lines = append(lines, "")
		for line := range strings.SplitSeq(quotas.View(width-2, quotas.Height()), "\n") {
			lines = append(lines, " "+line)
		}
	}
	if p.Export != "" {
		lines = append(append(lines, ""), p.entry("Answers", Clean(p.Export), width)...)
		lines = append(lines, p.entry("", "The same without questions:", width)...)
		lines = append(lines, Wrap(Clean(p.Command), p.margin(), width)...)
	}
	return lines
}

func (p Review) plans() []string {
	var lines []string
	action := ""
	for i, group := range p.Groups {
		if group.Action != action {
			if action = group.Action; i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, " "+p.Theme.Label.Render(planHeading(action, p.count(action))))
		}
		lines = append(lines, p.groupLine(i))
		if p.Open[i] {
			lines = append(lines, group.rows(p.Theme)...)
		}
	}
	return lines
}

func (p Review) count(action string) int {
	n := 0
	for _, group := range p.Groups {
		if group.Action == action {
			n += len(group.Items)
		}
	}
	return n
}

func (p Review) groupLine(i int) string {
	t, fold, cursor := p.Theme, "+", " "
	if p.Open[i] {
		fold = "-"
	}
	if i == p.Selected {
		cursor, fold = t.Focus.Render(t.Prong), t.Focus.Render(fold)
	}
	return " " + cursor + " " + fold + " " + p.Groups[i].summary(t)
}
