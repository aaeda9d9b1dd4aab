package wizard

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"exoshift/tui/theme"
	"exoshift/tui/tuitest"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"

	"github.com/charmbracelet/x/ansi"
)

// newQuotas returns the lookup result for the quotas of an organization.
func newQuotas(instances, addresses int) wizard.LookupResult {
	return wizard.LookupResult{Summary: "2 quotas", Quotas: []wizard.Quota{
		{Resource: "instance", Used: 4, Limit: instances}, {Resource: "elastic-ip", Limit: addresses}, {Resource: "gpu2"},
	}}
}

// openNodes returns the driver of the wizard on the nodes screen, whose organization has limits.
func openNodes(t *testing.T, d *fakeInterview, width, height int) *driver {
	t.Helper()
	o := openWizard(t, d.answer(t, completeAnswers()), width, height, nil)
	o.Advance(3 * time.Second)
	return o.openPage(t, wizard.Nodes)
}

// focus moves the cursor to a cell.
func (o *driver) focus(t *testing.T, key string) *driver {
	t.Helper()
	if !o.currentPage().(page.Focuser).Focus(key) {
		t.Fatalf("there is no %s", key)
	}
	return o
}

func TestNodes_InitialCursor(t *testing.T) {
	o := openNodes(t, newInterview(), 80, 24)
	if key := o.selected(); key != "sizing.workers.type" && key != "sizing.workers.count" {
		t.Errorf("the cursor is on %s", key)
	}
	o.Press("down", "down", "down", "enter")
	if got := o.pages[o.current].screen; got != wizard.Network {
		t.Errorf("the button leads to %s", got)
	}
}

func TestNodes_TypeNumber(t *testing.T) {
	o := openNodes(t, newInterview(), 80, 24).focus(t, "sizing.workers.count")
	o.Type("12")
	o.Shows(t, "[12_]")
	if got := o.session.Spec().Sizing.Workers.Count; got != 3 {
		t.Errorf("half a number is stored: %d", got)
	}
	o.Press("tab")
	if got := o.session.Spec().Sizing.Workers.Count; got != 12 || o.session.Answers().Origin("sizing.workers.count") != wizard.Typed {
		t.Errorf("workers: %d, %s", got, o.session.Answers().Origin("sizing.workers.count"))
	}
	if saved := o.interview.saved; len(saved) == 0 || saved[len(saved)-1].Spec.Sizing.Workers.Count != 12 {
		t.Error("the draft is not saved")
	}
}

func TestNodes_RefusesOtherCharacters(t *testing.T) {
	o := openNodes(t, newInterview(), 80, 24).focus(t, "sizing.workers.rootDisk")
	o.Type("1z20")
	o.Shows(t, "[1z20_]", "digits only")
	o.Press("enter").Shows(t, "1z20", "is not a whole number")
	if o.session.Spec().Sizing.Workers.RootDisk != 100 {
		t.Errorf("the disk is %d", o.session.Spec().Sizing.Workers.RootDisk)
	}
	o.focus(t, "sizing.workers.rootDisk").Paste("200 GB\n").Press("enter", "up").Shows(t, "Did you mean 200? ctrl+y accepts")
	if o.Press("ctrl+y"); o.session.Spec().Sizing.Workers.RootDisk != 200 {
		t.Errorf("the suggested disk is %d", o.session.Spec().Sizing.Workers.RootDisk)
	}
	o.Press("f4").Shows(t, "[  100]")
	o.Type("12").Press("esc")
	o.Shows(t, "[  100]")
	if o.pages[o.current].screen != wizard.Nodes {
		t.Error("esc leaves the screen while a number is typed")
	}
}

func TestNodes_PlusMinus(t *testing.T) {
	o := openNodes(t, newInterview(), 80, 24).focus(t, "sizing.workers.count").Press("+", "+", "-")
	if got := o.session.Spec().Sizing.Workers.Count; got != 4 {
		t.Errorf("3+1+1-1 workers are %d", got)
	}
	o.Press("-", "-")
	if got := o.session.Spec().Sizing.Workers.Count; got != 3 {
		t.Errorf("there are %d workers", got)
	}
	o.Shows(t, "3 or more")
	o.focus(t, "sizing.workers.rootDisk").Press("+")
	if got := o.session.Spec().Sizing.Workers.RootDisk; got != 110 {
		t.Errorf("the disk has %d GiB", got)
	}
}

func TestNodes_EnterLeadsToButton(t *testing.T) {
	for _, key := range []string{"sizing.workers.count", "sizing.workers.type", "sizing.infra.topolvm"} {
		o := openNodes(t, newInterview(), 80, 24).focus(t, key)
		before := o.session.Spec()
		for range 8 {
			if o.selected() == "" {
				break
			}
			o.Press("enter")
		}
		o.Press("enter")
		if got := o.pages[o.current].screen; got != wizard.Network {
			t.Errorf("from %s, enter leads to %s", key, got)
		}
		if !reflect.DeepEqual(before, o.session.Spec()) {
			t.Errorf("from %s, enter changed an answer", key)
		}
	}
}

func TestNodes_RefusedNumberBlocks(t *testing.T) {
	o := openNodes(t, newInterview(), 80, 24).focus(t, "sizing.infra.count").Type("2").Press("down", "down", "down", "down", "down")
	if o.selected() != "" {
		t.Fatal("the cursor is not on the buttons")
	}
	o.Press("enter")
	o.Shows(t, "✗ Infra, count: 2 is out of range", "[  2]")
	if o.pages[o.current].screen != wizard.Nodes || o.session.Spec().Sizing.Infra.Count != 4 {
		t.Error("2 infra nodes are taken")
	}
	o.Type("5").Press("enter", "down", "down", "down", "down", "down", "enter")
	if o.pages[o.current].screen != wizard.Network {
		t.Error("the way stays blocked")
	}
}

func TestNodes_BudgetFollowsEdit(t *testing.T) {
	o := openNodes(t, newInterview().addLookup(wizard.Nodes, "quotas", nil, newQuotas(100, 5), nil), 80, 24).focus(t, "sizing.workers.count")
	o.Shows(t, "3.50/hour", "instance         4    14    18   100")
	o.Type("1")
	o.Shows(t, "3.50/hour")
	o.Type("3")
	o.Shows(t, "6.00/hour", "4380/month", "prices of 2026-05-01", "instance         4    24    28   100")
	o.Press("esc")
	o.Shows(t, "3.50/hour", "instance         4    14    18   100")
}

func TestNodes_InsufficientQuotaBlocks(t *testing.T) {
	o := openNodes(t, newInterview().addLookup(wizard.Nodes, "quotas", nil, newQuotas(19, 5), nil), 80, 24).focus(t, "sizing.workers.count")
	o.Hides(t, "✗")
	o.Type("6").Press("down", "down", "down", "enter")
	o.Shows(t, "21    19  ✗", `✗ Workers, count: the quota "instance" is too low: 4 used, 17 needed`, "4 workers instead of 6 would fit", "limit of 21")
	if o.pages[o.current].screen != wizard.Nodes || o.currentPage().Mark() != theme.Failed {
		t.Error("a quota that is too low lets everybody pass")
	}
	o.Type("4").Press("down", "down", "down", "enter")
	if o.pages[o.current].screen != wizard.Network {
		t.Errorf("the way stays blocked:\n%s", o.View())
	}
}

// Elastic IPs are an answer of the next screen: only there the shortage can be solved.
func TestNodes_AddressQuotaBlocksNetwork(t *testing.T) {
	o := openNodes(t, newInterview().addLookup(wizard.Nodes, "quotas", nil, newQuotas(100, 1), nil), 80, 24)
	o.Shows(t, `✗ the quota "elastic-ip" is too low`, "dns-round-robin", "screen Network and DNS")
	o.Press("down", "down", "down", "enter")
	if o.pages[o.current].screen != wizard.Network || len(o.session.ScreenErrors(wizard.Network)) != 1 {
		t.Fatalf("nothing blocks the network:\n%s", o.View())
	}
	if o.currentPage().Close() {
		t.Error("the network lets pass without addresses")
	}
}

// The limits are looked up again whenever a type changes; until then the known ones apply.
func TestNodes_LimitsHoldDuringLookup(t *testing.T) {
	d := newInterview().addLookup(wizard.Nodes, "offers", []string{"sizing.workers.type"}, newQuotas(19, 5), nil)
	o := openNodes(t, d, 80, 24).focus(t, "sizing.workers.count").Type("6").Press("tab")
	if err := o.session.Set("sizing.workers.type", "standard.huge"); err != nil {
		t.Fatal(err)
	}
	o.Shows(t, "checking…", "21    19  ✗")
	if o.currentPage().Close() {
		t.Error("who is quick slips past the limits")
	}
}

func TestNodes_QuotaLookupFailure(t *testing.T) {
	o := openNodes(t, newInterview().addLookup(wizard.Nodes, "quotas", nil, wizard.LookupResult{}, errors.New("no route")), 80, 24)
	o.Shows(t, "! quota lookup failed", "?    14     ?     ?")
	if o.currentPage().Mark() != theme.Warn || !o.currentPage().Close() {
		t.Errorf("the page is marked %s, and leaving it %t", o.currentPage().Mark().Word(), o.currentPage().Close())
	}
}

// newTypes returns the instance types of a zone without GPUs, and with one type that is unknown to this program.
func newTypes() wizard.LookupResult {
	choices := []wizard.Choice{{Value: "standard.extra-large"}, {Value: "standard.huge", Note: "8 CPUs"}, {Value: "quantum.small", Note: "new"}}
	return wizard.LookupResult{Choices: map[string][]wizard.Choice{"sizing.workers.type": choices}}
}

func TestNodes_SelectType(t *testing.T) {
	o := openNodes(t, newInterview().addLookup(wizard.Nodes, "types", nil, newTypes(), nil), 80, 24).focus(t, "sizing.workers.type").Press(" ")
	o.Shows(t, "Instance type: Workers", "standard.huge", "0.37/hour", "The cluster with it:")
	o.Type("gpu").Press("enter")
	o.Shows(t, "ch-gva-2 does not offer it to your organization")
	if got := o.session.Spec().Sizing.Workers.Type; got != "standard.extra-large" {
		t.Errorf("the zone does not offer %s", got)
	}
	o.Press("backspace", "backspace", "backspace").Type("huge").Press("enter")
	if got := o.session.Spec().Sizing.Workers.Type; got != "standard.huge" {
		t.Errorf("workers are of type %s", got)
	}
	o.Shows(t, "[standard.huge", "  8    32")
}

func TestNodes_RefusesSmallType(t *testing.T) {
	o := openNodes(t, newInterview(), 80, 24).focus(t, "sizing.workers.type").Press(" ").Type("tiny").Press("enter")
	o.Shows(t, "too small")
	o.Press("esc")
	if o.inputMode() == page.ModeCapture || o.pages[o.current].screen != wizard.Nodes {
		t.Error("esc does not close the list alone")
	}
	if got := o.session.Text(findField(t, o, "sizing.workers.type")); got != "standard.extra-large" {
		t.Errorf("the type is %s", got)
	}
}

func findField(t *testing.T, o *driver, key string) wizard.Field {
	t.Helper()
	for _, field := range wizard.ScreenOf(key).ListFields(o.session.Spec()) {
		if field.Key == key {
			return field
		}
	}
	t.Fatalf("there is no %s", key)
	return wizard.Field{}
}

func TestNodes_AddRenameRemoveGroup(t *testing.T) {
	o := openNodes(t, newInterview(), 80, 24).Press("a")
	o.Shows(t, "New group name: [_]")
	o.Press("f1").Shows(t, "Prefix of the nodes") // which is not among the answers yet
	o.Press("x").Type("worker").Press("enter")
	o.Shows(t, "is taken")
	o.Press("ctrl+u").Type("Fast gpu").Press("enter").Shows(t, "Did you mean fast-gpu?").Press("ctrl+y", "enter")
	groups := o.session.Spec().Sizing.ExtraGroups
	if len(groups) != 1 || groups[0].Name != "fast-gpu" || groups[0].Count != 1 || groups[0].Type != "standard.extra-large" || groups[0].RootDisk != 100 {
		t.Fatalf("the groups are %+v", groups)
	}
	o.Type("3").Press("n", "ctrl+u").Type("gpu").Press("enter")
	if groups := o.session.Spec().Sizing.ExtraGroups; groups[0].Name != "gpu" || groups[0].Count != 3 {
		t.Errorf("the groups are %+v", groups)
	}
	o.Press("x")
	o.Shows(t, "Remove the group gpu (3 machines of standard.extra-large)?")
	o.Press("enter", "n")
	if len(o.session.Spec().Sizing.ExtraGroups) != 1 {
		t.Error("a group went without a yes")
	}
	o.Press("x", "y")
	if groups := o.session.Spec().Sizing.ExtraGroups; len(groups) != 0 {
		t.Errorf("the groups are %+v", groups)
	}
	o.Hides(t, "gpu")
}

// An unfinished edit must not reach the saved answers.
func TestNodes_UnfinishedGroupEdit(t *testing.T) {
	d := newInterview().answer(t, map[string]string{"sizing.extraGroups": "name=gpu type=standard.huge count=2 rootDisk=100"})
	o := openNodes(t, d, 80, 24).focus(t, "sizing.extraGroups[0].count").Type("7")
	o.Shows(t, "[ 7_]")
	if got := o.session.Spec().Sizing.ExtraGroups[0].Count; got != 2 {
		t.Errorf("half a number is stored: %d", got)
	}
}

func TestNodes_ApplySuggestion(t *testing.T) {
	o := openNodes(t, newInterview(), 80, 24).focus(t, "sizing.workers.count").Type("9").Press("tab").focus(t, "sizing.controlPlane.type")
	o.Shows(t, "! Control plane, instance type: 9 workers are more", "ctrl+y")
	o.Press("ctrl+y")
	if got := o.session.Spec().Sizing.ControlPlane.Type; got == "standard.extra-large" {
		t.Error("the suggestion is not taken")
	}
	if !o.currentPage().Close() {
		t.Error("amber blocks the way")
	}
}

func TestNodes_LimitedInterview(t *testing.T) {
	d := newInterview()
	d.Only = []string{"sizing.infra.count"}
	o := openWizard(t, d.answer(t, completeAnswers()), 80, 24, nil).openPage(t, wizard.Nodes)
	o.Shows(t, "Infra", "[  4]")
	o.Hides(t, "Workers", "Add a group")
	o.Press("right", "right", "a")
	if key := o.selected(); key != "sizing.infra.count" {
		t.Errorf("the cursor is on %q", key)
	}
}

func TestNodes_Golden(t *testing.T) {
	groups := map[string]string{"sizing.extraGroups": "name=gpu type=gpua30.small count=2 rootDisk=100 dataDisk=200"}
	checks := map[string]func(*testing.T, *driver){
		"nodes":       func(*testing.T, *driver) {},
		"nodes-short": func(t *testing.T, o *driver) { o.focus(t, "sizing.workers.count").Type("9").Press("tab") },
		"nodes-list":  func(t *testing.T, o *driver) { o.focus(t, "sizing.extraGroups[0].type").Press(" ") },
		"nodes-name":  func(_ *testing.T, o *driver) { o.Press("a").Type("fast") },
	}
	for name, act := range checks {
		for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
			for _, ascii := range []bool{false, true} {
				d := newInterview().addLookup(wizard.Nodes, "quotas", nil, newQuotas(24, 5), nil).answer(t, groups)
				o := openWizard(t, d.answer(t, completeAnswers()), size[0], size[1], func(w *Options) { w.ASCII = ascii })
				o.Advance(3 * time.Second)
				act(t, o.openPage(t, wizard.Nodes))
				look := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
				if ascii && size[0] != 80 {
					continue
				} else if ascii {
					look += "-ascii"
				}
				tuitest.Golden(t, look, o.View())
			}
		}
	}
}

// Any keys on both screens, at any size: nothing panics, and every line is as wide as the screen.
func FuzzNodesAndNetwork(f *testing.F) {
	f.Add(80, 24, "a gpu\n12\tx y", false, 3)
	f.Add(20, 5, "\x1b[2J999999999\t\t\t\n++--", true, 1)
	f.Add(0, 0, "世界", false, 0)
	f.Add(120, 40, "10.0.0.0/8,::/0,", true, 2)
	names := []string{"up", "down", "left", "right", "tab", "shift+tab", "enter", "esc", "backspace", "delete", "ctrl+u", "ctrl+y", "pgdown", " "}
	f.Fuzz(func(t *testing.T, width, height int, typed string, network bool, step int) {
		d := newInterview().addLookup(wizard.Nodes, "quotas", nil, newQuotas(19, 5), nil).answer(t, completeAnswers())
		o := openWizard(t, d, width%240, height%70, nil)
		screen := wizard.Nodes
		if network {
			screen = wizard.Network
		}
		o.openPage(t, screen)
		for i, r := range []rune(typed) {
			if i > 60 {
				break
			}
			o.Type(string(r))
			o.Press(names[(i*step+int(r))&0xffff%len(names)])
			o.exact(t)
		}
		o.Paste(typed)
		o.exact(t)
	})
}

// exact fails unless every line is as wide as the screen.
func (o *driver) exact(t *testing.T) {
	t.Helper()
	view := o.View()
	if o.width <= 0 || o.height <= 0 {
		if view != "" {
			t.Errorf("%dx%d shows %q", o.width, o.height, view)
		}
		return
	}
	lines := strings.Split(view, "\n")
	if len(lines) != o.height {
		t.Fatalf("%dx%d has %d lines", o.width, o.height, len(lines))
	}
	for _, line := range lines {
		if got := ansi.StringWidth(line); got != o.width {
			t.Fatalf("%dx%d: %q has %d cells", o.width, o.height, line, got)
		}
	}
}

func TestNodes_AltKeysInGroupName(t *testing.T) {
	o := openNodes(t, newInterview(), 80, 24).Press("a").Type("gpu").Press("alt+d", "alt+delete", "alt+x", "alt+b", "alt+f")
	o.Shows(t, "[gpu_]")
}
