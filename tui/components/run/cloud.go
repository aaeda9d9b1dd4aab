package run

import (
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Cloud counts the cloud resources by kind and names the newest of each.
type Cloud struct {
	Theme   theme.Theme
	Objects []provisioner.ObjectView
	Offset  int // lines scrolled
	// Installed: it stood before the run, so that what the run has not touched exists, too.
	Installed bool
}

type kindCount struct {
	name          string
	exist, gone   int
	newest        provisioner.ObjectView
	created, used int
	changed       int
}

// The order is that of the first resource of a kind, but the machines, which cost most, come first.
func (p Cloud) countKinds() []kindCount {
	kinds := []kindCount{{name: KindInstance}}
	index := map[string]int{KindInstance: 0}
	for _, object := range p.Objects {
		i, known := index[object.Kind]
		if !known {
			i = len(kinds)
			index[object.Kind], kinds = i, append(kinds, kindCount{name: object.Kind})
		}
		kinds[i].add(object)
	}
	if len(p.Objects) == 0 || kinds[0] == (kindCount{name: KindInstance}) {
		return kinds[1:]
	}
	return kinds
}

// KindInstance is the kind of machines in events.
const KindInstance = "instance"

// FormatKind returns the name of a kind of resource for people.
func FormatKind(kind string) string {
	return strings.NewReplacer("anti-", "anti-", "ssh-", "SSH ", "dns-", "DNS ", "iam-", "IAM ", "api-", "API ", "-ip", " IP", "vault-", "Vault ", "lieutenant-", "Lieutenant ", "-", " ").Replace(kind)
}

func (k *kindCount) add(object provisioner.ObjectView) {
	k.newest = object
	switch state.Action(object.Action) {
	case state.Deleted:
		k.gone++
		return
	case state.Created:
		k.created++
	case state.Updated:
		k.changed++
	default:
		k.used++
	}
	k.exist++
}

// View draws a line for each kind.
func (p Cloud) View(width, height int) string {
	return cells.Fill(components.ScrollLines(p.Theme, p.renderLines(), p.Offset, height), width, height)
}

// CountLines returns the number of lines of the whole list.
func (p Cloud) CountLines(int) int { return len(p.renderLines()) }

func (p Cloud) renderLines() []string {
	t := p.Theme
	switch {
	case len(p.Objects) == 0 && p.Installed:
		return []string{t.Dim.Render("nothing changed yet")}
	case len(p.Objects) == 0:
		return []string{t.Dim.Render("no resources yet")}
	}
	var lines []string
	for _, k := range p.countKinds() {
		newest := t.Dim.Render(k.newest.Action+" ") + k.newest.Name
		lines = append(lines, fmt.Sprintf("%4d  %s %s", k.exist, cells.Fit(FormatKind(k.name), 20), newest))
	}
	return append(lines, "", t.Dim.Render(p.formatChanges()))
}

// formatChanges counts the created, the changed or found, and the deleted resources.
func (p Cloud) formatChanges() string {
	created, changed, used, gone := 0, 0, 0, 0
	for _, k := range p.countKinds() {
		created, changed, used, gone = created+k.created, changed+k.changed, used+k.used, gone+k.gone
	}
	parts := []string{fmt.Sprintf("%d created", created)}
	if changed > 0 {
		parts = append(parts, fmt.Sprintf("%d updated", changed))
	}
	if used > 0 {
		parts = append(parts, fmt.Sprintf("%d unchanged", used))
	}
	if gone > 0 {
		parts = append(parts, fmt.Sprintf("%d deleted", gone))
	}
	return strings.Join(parts, ", ")
}

// RenderSummary returns the counts of the kinds in one line, or that there are none.
func (p Cloud) RenderSummary() string {
	var parts []string
	for _, k := range p.countKinds() {
		if k.exist > 0 {
			parts = append(parts, text.Plural(k.exist, FormatKind(k.name)))
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case p.Installed:
		return "nothing changed yet"
	}
	return "nothing created yet"
}

// FormatRemaining counts what exists in a few words, e.g. "16 instances and 19 other objects".
func (p Cloud) FormatRemaining() string {
	machines, others := 0, 0
	for _, k := range p.countKinds() {
		if k.name == KindInstance {
			machines = k.exist
		} else {
			others += k.exist
		}
	}
	switch {
	case machines+others == 0 && p.Installed:
		return "nothing changed yet"
	case machines+others == 0:
		return "nothing created yet"
	case machines == 0 && others == 1:
		return "1 object stays"
	case machines == 0:
		return text.Plural(others, "object") + " stay"
	}
	return text.Plural(machines, "instance") + " and " + text.Plural(others, "other object") + " stay"
}
