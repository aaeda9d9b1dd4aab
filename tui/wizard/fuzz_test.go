package wizard

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"exoshift/tui/tuitest"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"
)

// wizardKeyNames are the keys that bytes of the fuzzer are mapped to; the other bytes are text.
var wizardKeyNames = numberKeys("enter down up tab shift+tab esc left right home end pgup pgdown backspace delete space " +
	"ctrl+v ctrl+y ctrl+u ctrl+w ctrl+k alt+d alt+backspace ctrl+left f1 f9 ctrl+r ctrl+l ctrl+c " +
	"alt+1 alt+2 alt+3 alt+4 alt+5 alt+6 alt+7 alt+8 alt+left")

// numberKeys assigns bytes from 0x83 on to names.
func numberKeys(names string) map[byte]string {
	numbered := map[byte]string{}
	for i, name := range strings.Fields(names) {
		numbered[byte(0x83+i)] = name
	}
	return numbered
}

// FuzzWizard handles any input at any size: no panic, and always a whole screen.
func FuzzWizard(f *testing.F) {
	f.Add([]byte("\xa0c-demo-1\x83example.net\x83"), uint8(80), uint8(24))
	f.Add([]byte("\x84\x91\x80paste me"), uint8(20), uint8(5))
	f.Add([]byte("\xa1\xa2\x84\xff\xfe\x82世界👩‍👩‍👧‍👦e\u0301"), uint8(100), uint8(40))
	f.Add([]byte("\x9e\x84\x83"), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, keys []byte, width, height uint8) {
		pressFuzzed(t, keys[:min(len(keys), 400)], int(width), int(height))
	})
}

func TestWizard_AnyInput(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		names := rapid.SampledFrom(slices.Collect(maps.Keys(wizardKeyNames)))
		keys := rapid.SliceOfN(rapid.OneOf(names, rapid.Byte(), rapid.ByteRange(' ', '~')), 1, 80).Draw(r, "keys")
		width, height := rapid.IntRange(0, 210).Draw(r, "width"), rapid.IntRange(0, 65).Draw(r, "height")
		pressFuzzed(t, keys, width, height)
	})
}

func pressFuzzed(t *testing.T, keys []byte, width, height int) {
	t.Helper()
	o := openWizard(t, newFullInterview(t), width, height, nil)
	for len(keys) > 0 && !o.Quit {
		keys = o.sendFuzzed(keys)
		tuitest.CheckScreen(t, o.View(), o.width, o.height)
	}
	if err := o.close(); err != nil {
		t.Error(err)
	}
}

// newFullInterview is an interview with every kind of field.
func newFullInterview(t *testing.T) *fakeInterview {
	reply := newZones()
	reply.Warnings = []wizard.Problem{{Field: "exoscale.zone", Message: "世界 is far away"}, {Message: "so it is"}}
	d := newInterview().answer(t, completeAnswers()).addLookup(wizard.Access, "Zones", []string{"exoscale.apiKey"}, reply, nil)
	d.addLookup(wizard.Cluster, "Names", []string{"cluster.id"}, wizard.LookupResult{Problems: []wizard.Problem{{Field: "cluster.id", Message: "taken", Suggestion: "c-other-1"}}}, nil)
	return d.addLookup(wizard.Nodes, "Quotas", nil, wizard.LookupResult{Quotas: []wizard.Quota{{Resource: "instance", Used: 3, Limit: 9}}}, errors.New("gone"))
}

// sendFuzzed runs the next action of the input.
func (o *driver) sendFuzzed(keys []byte) (rest []byte) {
	first := keys[0]
	switch {
	case wizardKeyNames[first] != "":
		o.Press(wizardKeyNames[first])
		return keys[1:]
	case first == 0x80:
		o.Paste(string(keys[1:]))
		return nil
	case first == 0x81 && len(keys) > 2:
		o.Resize(int(keys[1]), int(keys[2]))
		return keys[3:]
	case first == 0x82:
		o.Advance(time.Second)
		return keys[1:]
	}
	r, size := utf8.DecodeRune(keys)
	o.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	return keys[size:]
}
