package pane

import (
	"fmt"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// Cloud counts the objects of the cloud by kind and names the newest of each.
type Cloud struct {
	Theme   Theme
	Objects []provisioner.ObjectView
	Offset  int // lines scrolled
}

// kind is what there is of one kind of object.
type kind struct {
	name          string
	exist, gone   int
	newest        provisioner.ObjectView
	created, used int
	changed       int
}

// kinds returns the kinds in the order of their first object, but the machines, which cost most, first.
func (p Cloud) kinds() []kind {
	kinds := []kind{{name: instance}}
	index := map[string]int{instance: 0}
	for _, object := range p.Objects {
		i, known := index[object.Kind]
		if !known {
			i = len(kinds)
			index[object.Kind], kinds = i, append(kinds, kind{name: object.Kind})
		}
		kinds[i].add(object)
	}
	if len(p.Objects) == 0 || kinds[0] == (kind{name: instance}) {
		return kinds[1:]
	}
	return kinds
}

// instance is the kind of a machine.
const instance = "instance"

// kindName returns a kind as people write it.
func kindName(kind string) string {
	return strings.NewReplacer("anti-", "anti-", "ssh-", "SSH ", "dns-", "DNS ", "iam-", "IAM ", "api-", "API ", "-ip", " IP", "vault-", "Vault ", "lieutenant-", "Lieutenant ", "-", " ").Replace(kind)
}

func (k *kind) add(object provisioner.ObjectView) {
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
	return Fill(window(p.Theme, p.lines(), p.Offset, height), width, height)
}

// Lines returns how many lines there are to scroll through.
func (p Cloud) Lines(int) int { return len(p.lines()) }

func (p Cloud) lines() []string {
	t := p.Theme
	if len(p.Objects) == 0 {
		return []string{t.Dim.Render("nothing created or found yet")}
	}
	var lines []string
	for _, k := range p.kinds() {
		newest := t.Dim.Render(k.newest.Action+" ") + k.newest.Name
		lines = append(lines, fmt.Sprintf("%4d  %s %s", k.exist, Fit(kindName(k.name), 20), newest))
	}
	return append(lines, "", t.Dim.Render(p.Balance()))
}

// Balance counts what was created, what was changed since or was there, and what is gone again.
func (p Cloud) Balance() string {
	created, changed, used, gone := 0, 0, 0, 0
	for _, k := range p.kinds() {
		created, changed, used, gone = created+k.created, changed+k.changed, used+k.used, gone+k.gone
	}
	parts := []string{fmt.Sprintf("%d created", created)}
	if changed > 0 {
		parts = append(parts, fmt.Sprintf("%d updated", changed))
	}
	if used > 0 {
		parts = append(parts, fmt.Sprintf("%d already there", used))
	}
	if gone > 0 {
		parts = append(parts, fmt.Sprintf("%d deleted again", gone))
	}
	return strings.Join(parts, ", ")
}

// Summary returns the counts of the kinds in one line, or says that there is nothing.
func (p Cloud) Summary() string {
	var parts []string
	for _, k := range p.kinds() {
		if k.exist > 0 {
			parts = append(parts, Plural(k.exist, kindName(k.name)))
		}
	}
	if len(parts) == 0 {
		return "nothing created yet"
	}
	return strings.Join(parts, ", ")
}

// Stay counts what there is in a few words, e.g. "16 instances and 19 other objects".
func (p Cloud) Stay() string {
	machines, others := 0, 0
	for _, k := range p.kinds() {
		if k.name == instance {
			machines = k.exist
		} else {
			others += k.exist
		}
	}
	switch {
	case machines+others == 0:
		return "nothing was created yet"
	case machines == 0:
		return Plural(others, "object") + " stay"
	}
	return Plural(machines, "instance") + " and " + Plural(others, "other object") + " stay"
}
