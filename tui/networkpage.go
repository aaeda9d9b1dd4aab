package tui

import (
	"reflect"
	"strings"

	"exoshift/state"
	"exoshift/tui/components"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// networkPage is the form of the network with a picture of the address ranges, which follows the edit.
type networkPage struct {
	*form
	lastValid typedAnswer
	cached    addresses // computed again when one of the following changes

	cachedSpec state.Spec
	cachedEdit typedAnswer
}

// typedAnswer is the latest valid text of the edit.
type typedAnswer struct{ key, text string }

func newNetworkPage(t *pageContext) *networkPage {
	return &networkPage{form: newForm(t, wizard.Network)}
}

// Update remembers the edit as long as it is valid: the picture would flicker otherwise.
func (p *networkPage) Update(msg tea.Msg) tea.Cmd {
	cmd := p.form.Update(msg)
	key, text, typed := p.CurrentEdit()
	if !typed || key != p.lastValid.key {
		p.lastValid = typedAnswer{}
	}
	if _, good := withAnswer(p.session.Fields(wizard.Network), p.session.Spec(), key, text); typed && good {
		p.lastValid = typedAnswer{key, text}
	}
	return cmd
}

// View draws the form, and below it the picture, unless that is beside it.
func (p *networkPage) View(width, height int) string {
	if p.session.helpBeside || p.list != nil || width < minFormWidth || height < minFormHeight+minAddressesHeight {
		return p.form.View(width, height)
	}
	picture := components.Margin{Content: p.buildAddresses()}
	tall := min(p.buildAddresses().countLines(width-2), max(height*47/100, minAddressesHeight))
	return p.form.View(width, height-tall-1) + "\n" + p.session.theme.RenderRule(width) + "\n" + picture.View(width, tall)
}

// RenderSide draws the picture beside the form.
func (p *networkPage) RenderSide(width, height int) string {
	return p.buildAddresses().View(width, height)
}

func (p *networkPage) buildAddresses() addresses {
	if spec := p.session.Spec(); p.cached.ranges.Ranges == nil || p.cachedEdit != p.lastValid || !reflect.DeepEqual(p.cachedSpec, spec) {
		p.cachedSpec, p.cachedEdit = copyGroups(spec), p.lastValid
		if p.lastValid.key != "" {
			spec, _ = withAnswer(p.session.Fields(wizard.Network), spec, p.lastValid.key, p.lastValid.text)
		}
		p.cached = newAddresses(p.session.theme, spec, p.lastValid.key)
	}
	p.cached.namesFirst = strings.HasPrefix(p.selectedRow().key, "dns.")
	return p.cached
}

func withAnswer(fields []wizard.Field, spec state.Spec, key, text string) (state.Spec, bool) {
	for _, field := range fields {
		if field.Key == key {
			changed := copyGroups(spec)
			if field.Set(&changed, text) == nil {
				return changed, true
			}
		}
	}
	return spec, false
}
