package tui

import (
	"exoshift/state"
	"exoshift/wizard"
)

// networkPage is the form of the network with a picture of what its answers mean, which follows what is being typed.
type networkPage struct{ *form }

func newNetworkPage(t *talk) networkPage { return networkPage{newForm(t, wizard.Network)} }

// View draws the form, and below it the picture, unless that stands beside it.
func (p networkPage) View(width, height int) string {
	if p.talk.roomy || p.list != nil || width < stackWidth || height < stackHeight+addressesLeast {
		return p.form.View(width, height)
	}
	picture := margin{p.addresses()}
	tall := min(p.addresses().height(width-2), max(height*47/100, addressesLeast))
	return p.form.View(width, height-tall-1) + "\n" + p.talk.theme.Rule(width) + "\n" + picture.View(width, tall)
}

// Aside draws the picture beside the form.
func (p networkPage) Aside(width, height int) string { return p.addresses().View(width, height) }

// addresses are what the answers mean as they are, with what is being typed as soon as that is a good answer.
func (p networkPage) addresses() addresses {
	view := addresses{theme: p.talk.theme, spec: p.talk.spec()}
	key, text, typed := p.Editing()
	if !typed {
		return view
	}
	view.changing = key
	view.spec = whatIf(p.talk.fields(wizard.Network), view.spec, key, text)
	return view
}

// whatIf returns the answers with one of them changed, if that is a good one.
func whatIf(fields []wizard.Field, spec state.Spec, key, text string) state.Spec {
	for _, field := range fields {
		if field.Key == key {
			changed := detached(spec)
			if field.Set(&changed, text) == nil {
				return changed
			}
		}
	}
	return spec
}
