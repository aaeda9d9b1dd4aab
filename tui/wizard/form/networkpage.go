package form

import (
	"reflect"
	"strings"

	"exoshift/state"
	"exoshift/tui/components"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// Network is the form of the network with a picture of the address ranges, which follows the edit.
type Network struct {
	*Form
	lastValid typedAnswer
	cached    addresses // computed again when one of the following changes

	cachedSpec state.Spec
	cachedEdit typedAnswer
}

// typedAnswer is the latest valid text of the edit.
type typedAnswer struct{ key, text string }

// NewNetwork returns the page of the network.
func NewNetwork(t *page.Context) *Network {
	return &Network{Form: New(t, wizard.Network)}
}

// Update remembers the edit as long as it is valid: the picture would flicker otherwise.
func (p *Network) Update(msg tea.Msg) tea.Cmd {
	cmd := p.Form.Update(msg)
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
func (p *Network) View(width, height int) string {
	if p.session.HelpBeside || p.list != nil || width < minFormWidth || height < minFormHeight+minAddressesHeight {
		return p.Form.View(width, height)
	}
	picture := components.Margin{Content: p.buildAddresses()}
	tall := min(p.buildAddresses().countLines(width-2), max(height*47/100, minAddressesHeight))
	return p.Form.View(width, height-tall-1) + "\n" + p.session.Theme.RenderRule(width) + "\n" + picture.View(width, tall)
}

// RenderSide draws the picture beside the form.
func (p *Network) RenderSide(width, height int) string {
	return p.buildAddresses().View(width, height)
}

func (p *Network) buildAddresses() addresses {
	if spec := p.session.Spec(); p.cached.ranges.Ranges == nil || p.cachedEdit != p.lastValid || !reflect.DeepEqual(p.cachedSpec, spec) {
		p.cachedSpec, p.cachedEdit = session.CopyGroups(spec), p.lastValid
		if p.lastValid.key != "" {
			spec, _ = withAnswer(p.session.Fields(wizard.Network), spec, p.lastValid.key, p.lastValid.text)
		}
		p.cached = newAddresses(p.session.Theme, spec, p.lastValid.key)
	}
	p.cached.namesFirst = strings.HasPrefix(p.selectedRow().key, "dns.")
	return p.cached
}

func withAnswer(fields []wizard.Field, spec state.Spec, key, text string) (state.Spec, bool) {
	for _, field := range fields {
		if field.Key == key {
			changed := session.CopyGroups(spec)
			if field.Set(&changed, text) == nil {
				return changed, true
			}
		}
	}
	return spec, false
}
