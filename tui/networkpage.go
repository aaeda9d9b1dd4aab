package tui

import (
	"reflect"
	"strings"

	"exoshift/state"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// networkPage is the form of the network with a picture of what its answers mean, which follows what is being typed.
type networkPage struct {
	*form
	good typedAnswer
	seen addresses // remembered until one of the following changes

	given state.Spec
	of    typedAnswer
}

// typedAnswer is what was being typed when it was a good answer last.
type typedAnswer struct{ key, text string }

func newNetworkPage(t *talk) *networkPage { return &networkPage{form: newForm(t, wizard.Network)} }

// Update remembers what was typed as long as it is a good answer: the picture would flicker otherwise.
func (p *networkPage) Update(msg tea.Msg) tea.Cmd {
	cmd := p.form.Update(msg)
	key, text, typed := p.Editing()
	if !typed || key != p.good.key {
		p.good = typedAnswer{}
	}
	if _, good := whatIf(p.talk.fields(wizard.Network), p.talk.spec(), key, text); typed && good {
		p.good = typedAnswer{key, text}
	}
	return cmd
}

// View draws the form, and below it the picture, unless that stands beside it.
func (p *networkPage) View(width, height int) string {
	if p.talk.roomy || p.list != nil || width < stackWidth || height < stackHeight+addressesLeast {
		return p.form.View(width, height)
	}
	picture := margin{p.addresses()}
	tall := min(p.addresses().height(width-2), max(height*47/100, addressesLeast))
	return p.form.View(width, height-tall-1) + "\n" + p.talk.theme.Rule(width) + "\n" + picture.View(width, tall)
}

// Aside draws the picture beside the form.
func (p *networkPage) Aside(width, height int) string { return p.addresses().View(width, height) }

// addresses are what the answers mean as they are, with what is being typed.
func (p *networkPage) addresses() addresses {
	if spec := p.talk.spec(); p.seen.drawn.Ranges == nil || p.of != p.good || !reflect.DeepEqual(p.given, spec) {
		p.given, p.of = detached(spec), p.good
		if p.good.key != "" {
			spec, _ = whatIf(p.talk.fields(wizard.Network), spec, p.good.key, p.good.text)
		}
		p.seen = newAddresses(p.talk.theme, spec, p.good.key)
	}
	p.seen.names = strings.HasPrefix(p.row().key, "dns.")
	return p.seen
}

// whatIf returns the answers with one of them changed, if that is a good one.
func whatIf(fields []wizard.Field, spec state.Spec, key, text string) (state.Spec, bool) {
	for _, field := range fields {
		if field.Key == key {
			changed := detached(spec)
			if field.Set(&changed, text) == nil {
				return changed, true
			}
		}
	}
	return spec, false
}
