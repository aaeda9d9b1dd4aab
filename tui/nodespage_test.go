package tui

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"exoshift/tui/theme"
	"exoshift/tui/tuitest"
	"exoshift/wizard"

	"github.com/charmbracelet/x/ansi"
)

// limits is the lookup result for the quotas of an organization.
func limits(instances, addresses int) wizard.LookupResult {
	return wizard.LookupResult{Summary: "2 quotas", Quotas: []wizard.Quota{
		{Resource: "instance", Used: 4, Limit: instances}, {Resource: "elastic-ip", Limit: addresses}, {Resource: "gpu2"},
	}}
}

// atNodes returns an operator on the nodes screen, whose organization has limits.
func atNodes(t *testing.T, d *desk, width, height int) *operator {
	t.Helper()
	o := sit(t, d.answer(t, whole()), width, height, nil)
	o.pass(3 * time.Second)
	return o.at(t, wizard.Nodes)
}

// on moves the cursor to a cell.
func (o *operator) on(t *testing.T, key string) *operator {
	t.Helper()
	if !o.currentPage().(focuser).Focus(key) {
		t.Fatalf("there is no %s", key)
	}
	return o
}

func (o *operator) sees(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if view := o.View(); !strings.Contains(view, text) {
			t.Errorf("%q is not on the screen:\n%s", text, view)
		}
	}
}

func (o *operator) seesNot(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if view := o.View(); strings.Contains(view, text) {
			t.Errorf("%q is on the screen:\n%s", text, view)
		}
	}
}

func TestTheCursorBeginsWithWhatANewcomerDecides(t *testing.T) {
	o := atNodes(t, newDesk(), 80, 24)
	if field, _ := o.currentPage().(*nodesPage).selectedField(); field.Key != "sizing.workers.type" && field.Key != "sizing.workers.count" {
		t.Errorf("the cursor is on %s", field.Key)
	}
	o.press("down", "down", "down", "enter")
	if got := o.pages[o.current].screen; got != wizard.Network {
		t.Errorf("the button leads to %s", got)
	}
}

func TestDigitsChangeANumberInPlace(t *testing.T) {
	o := atNodes(t, newDesk(), 80, 24).on(t, "sizing.workers.count")
	o.types("12")
	o.sees(t, "[12_]")
	if got := o.session.Spec().Sizing.Workers.Count; got != 3 {
		t.Errorf("half a number is stored: %d", got)
	}
	o.press("tab")
	if got := o.session.Spec().Sizing.Workers.Count; got != 12 || o.session.Answers().Origin("sizing.workers.count") != wizard.Typed {
		t.Errorf("workers: %d, %s", got, o.session.Answers().Origin("sizing.workers.count"))
	}
	if saved := o.desk.saves; len(saved) == 0 || saved[len(saved)-1].Spec.Sizing.Workers.Count != 12 {
		t.Error("the draft is not saved")
	}
}

func TestOnlyDigitsAreTypedIntoNumbers(t *testing.T) {
	o := atNodes(t, newDesk(), 80, 24).on(t, "sizing.workers.rootDisk")
	o.types("1z20")
	o.sees(t, "[ 120_]")
	o.types(";")
	o.sees(t, "only digits can be typed here", "[ 120_]")
	o.press("backspace", "esc")
	o.sees(t, "[  100]")
	if o.pages[o.current].screen != wizard.Nodes {
		t.Error("esc leaves the screen while a number is typed")
	}
}

func TestPlusAndMinusStayWithinWhatIsAllowed(t *testing.T) {
	o := atNodes(t, newDesk(), 80, 24).on(t, "sizing.workers.count").press("+", "+", "-")
	if got := o.session.Spec().Sizing.Workers.Count; got != 4 {
		t.Errorf("3+1+1-1 workers are %d", got)
	}
	o.press("-", "-")
	if got := o.session.Spec().Sizing.Workers.Count; got != 3 {
		t.Errorf("there are %d workers", got)
	}
	o.sees(t, "3 or more")
	o.on(t, "sizing.workers.rootDisk").press("+")
	if got := o.session.Spec().Sizing.Workers.RootDisk; got != 110 {
		t.Errorf("the disk has %d GiB", got)
	}
}

func TestEnterAcceptsEveryCellAndArrivesAtTheButton(t *testing.T) {
	for _, key := range []string{"sizing.workers.count", "sizing.workers.type", "sizing.infra.topolvm"} {
		o := atNodes(t, newDesk(), 80, 24).on(t, key)
		before := o.session.Spec()
		for range 8 {
			if o.currentPage().(*nodesPage).isOnButtons() {
				break
			}
			o.press("enter")
		}
		o.press("enter")
		if got := o.pages[o.current].screen; got != wizard.Network {
			t.Errorf("from %s, enter leads to %s", key, got)
		}
		if !reflect.DeepEqual(before, o.session.Spec()) {
			t.Errorf("from %s, enter changed an answer", key)
		}
	}
}

func TestANumberThatIsRefusedStaysInItsCellAndBlocksTheWay(t *testing.T) {
	o := atNodes(t, newDesk(), 80, 24).on(t, "sizing.infra.count").types("2").press("down", "down", "down", "down", "down")
	if !o.currentPage().(*nodesPage).isOnButtons() {
		t.Fatal("the cursor is not on the buttons")
	}
	o.press("enter")
	o.sees(t, "✗ Infra, count: 2 is out of bounds", "[  2]")
	if o.pages[o.current].screen != wizard.Nodes || o.session.Spec().Sizing.Infra.Count != 4 {
		t.Error("2 infra nodes are taken")
	}
	o.types("5").press("enter", "down", "down", "down", "down", "down", "enter")
	if o.pages[o.current].screen != wizard.Network {
		t.Error("the way stays blocked")
	}
}

func TestCostAndQuotasFollowEveryKey(t *testing.T) {
	o := atNodes(t, newDesk().inquires(wizard.Nodes, "quotas", nil, limits(100, 5), nil), 80, 24).on(t, "sizing.workers.count")
	o.sees(t, "3.50 an hour", "instance         4    14    18   100")
	o.types("1")
	o.sees(t, "3.50 an hour")
	o.types("3")
	o.sees(t, "6.00 an hour", "4380 a month", "prices of 2026-05-01", "instance         4    24    28   100")
	o.press("esc")
	o.sees(t, "3.50 an hour", "instance         4    14    18   100")
}

func TestAQuotaThatDoesNotSufficeIsRedAndBlocksTheWayUntilItFits(t *testing.T) {
	o := atNodes(t, newDesk().inquires(wizard.Nodes, "quotas", nil, limits(19, 5), nil), 80, 24).on(t, "sizing.workers.count")
	o.seesNot(t, "✗")
	o.types("6").press("down", "down", "down", "enter")
	o.sees(t, "21    19  ✗", `✗ Workers, count: the quota "instance" does not suffice: 4 used, 17 needed`, "4 workers in place of 6 would fit", "limit of 21")
	if o.pages[o.current].screen != wizard.Nodes || o.currentPage().Mark() != theme.Failed {
		t.Error("a quota that does not suffice lets everybody pass")
	}
	o.types("4").press("down", "down", "down", "enter")
	if o.pages[o.current].screen != wizard.Network {
		t.Errorf("the way stays blocked:\n%s", o.View())
	}
}

// Elastic IPs are an answer of the next screen: only there the shortage can be solved.
func TestAQuotaOfAddressesBlocksWhereItCanBeMended(t *testing.T) {
	o := atNodes(t, newDesk().inquires(wizard.Nodes, "quotas", nil, limits(100, 1), nil), 80, 24)
	o.sees(t, `✗ the quota "elastic-ip" does not suffice`, "dns-round-robin", "screen Network and DNS")
	o.press("down", "down", "down", "enter")
	if o.pages[o.current].screen != wizard.Network || len(o.session.ScreenErrors(wizard.Network)) != 1 {
		t.Fatalf("nothing blocks the network:\n%s", o.View())
	}
	if o.currentPage().Close() {
		t.Error("the network lets pass without addresses")
	}
}

// The limits are looked up again whenever a type changes; until then the known ones apply.
func TestKnownLimitsHoldWhileTheyAreAskedForAgain(t *testing.T) {
	d := newDesk().inquires(wizard.Nodes, "offers", []string{"sizing.workers.type"}, limits(19, 5), nil)
	o := atNodes(t, d, 80, 24).on(t, "sizing.workers.count").types("6").press("tab")
	if err := o.session.Set("sizing.workers.type", "standard.huge"); err != nil {
		t.Fatal(err)
	}
	o.sees(t, "checking…", "21    19  ✗")
	if o.currentPage().Close() {
		t.Error("who is quick slips past the limits")
	}
}

func TestQuotasThatNobodyCanTellStopNobody(t *testing.T) {
	o := atNodes(t, newDesk().inquires(wizard.Nodes, "quotas", nil, wizard.LookupResult{}, errors.New("no route")), 80, 24)
	o.sees(t, "! nobody could tell the limits", "?    14     ?     ?")
	if o.currentPage().Mark() != theme.Warn || !o.currentPage().Close() {
		t.Errorf("the page is marked %s, and leaving it %t", o.currentPage().Mark().Word(), o.currentPage().Close())
	}
}

// offered is a zone without GPUs, and with one type that is unknown to this program.
func offered() wizard.LookupResult {
	choices := []wizard.Choice{{Value: "standard.extra-large"}, {Value: "standard.huge", Note: "8 CPUs"}, {Value: "quantum.small", Note: "new"}}
	return wizard.LookupResult{Choices: map[string][]wizard.Choice{"sizing.workers.type": choices}}
}

func TestATypeIsChosenFromTheListOfTheZone(t *testing.T) {
	o := atNodes(t, newDesk().inquires(wizard.Nodes, "types", nil, offered(), nil), 80, 24).on(t, "sizing.workers.type").press(" ")
	o.sees(t, "Instance type: Workers", "standard.huge", "0.37 an hour", "The cluster with it:")
	o.types("gpu").press("enter")
	o.sees(t, "ch-gva-2 does not offer it to your organization")
	if got := o.session.Spec().Sizing.Workers.Type; got != "standard.extra-large" {
		t.Errorf("the zone does not offer %s", got)
	}
	o.press("backspace", "backspace", "backspace").types("huge").press("enter")
	if got := o.session.Spec().Sizing.Workers.Type; got != "standard.huge" {
		t.Errorf("workers are of type %s", got)
	}
	o.sees(t, "[standard.huge", "  8    32")
}

func TestATypeThatIsTooSmallCannotBeChosen(t *testing.T) {
	o := atNodes(t, newDesk(), 80, 24).on(t, "sizing.workers.type").press(" ").types("tiny").press("enter")
	o.sees(t, "too small")
	o.press("esc")
	if o.currentPage().(*nodesPage).list != nil || o.pages[o.current].screen != wizard.Nodes {
		t.Error("esc does not close the list alone")
	}
	if got := o.session.Text(wizardField(t, o, "sizing.workers.type")); got != "standard.extra-large" {
		t.Errorf("the type is %s", got)
	}
}

func wizardField(t *testing.T, o *operator, key string) wizard.Field {
	t.Helper()
	for _, field := range wizard.ScreenOf(key).ListFields(o.session.Spec()) {
		if field.Key == key {
			return field
		}
	}
	t.Fatalf("there is no %s", key)
	return wizard.Field{}
}

func TestAGroupIsAddedNamedAndTakenAway(t *testing.T) {
	o := atNodes(t, newDesk(), 80, 24).press("a")
	o.sees(t, "Name of the new group: [_]")
	o.press("f1").sees(t, "Names the group's nodes") // which is not among the answers yet
	o.press("x").types("worker").press("enter")
	o.sees(t, "is taken")
	o.press("ctrl+u").types("Fast gpu!").press("enter")
	groups := o.session.Spec().Sizing.ExtraGroups
	if len(groups) != 1 || groups[0].Name != "fast-gpu" || groups[0].Count != 1 || groups[0].Type != "standard.extra-large" || groups[0].RootDisk != 100 {
		t.Fatalf("the groups are %+v", groups)
	}
	o.types("3").press("n", "ctrl+u").types("gpu").press("enter")
	if groups := o.session.Spec().Sizing.ExtraGroups; groups[0].Name != "gpu" || groups[0].Count != 3 {
		t.Errorf("the groups are %+v", groups)
	}
	o.press("x")
	o.sees(t, "Take the group gpu (3 machines of standard.extra-large) out of the answers?")
	o.press("enter", "n")
	if len(o.session.Spec().Sizing.ExtraGroups) != 1 {
		t.Error("a group went without a yes")
	}
	o.press("x", "y")
	if groups := o.session.Spec().Sizing.ExtraGroups; len(groups) != 0 {
		t.Errorf("the groups are %+v", groups)
	}
	o.seesNot(t, "gpu")
}

// An unfinished edit must not reach the saved answers.
func TestWhatIsBeingTypedForAGroupIsNoAnswerYet(t *testing.T) {
	d := newDesk().answer(t, map[string]string{"sizing.extraGroups": "name=gpu type=standard.huge count=2 rootDisk=100"})
	o := atNodes(t, d, 80, 24).on(t, "sizing.extraGroups[0].count").types("7")
	o.sees(t, "[ 7_]")
	if got := o.session.Spec().Sizing.ExtraGroups[0].Count; got != 2 {
		t.Errorf("half a number is stored: %d", got)
	}
}

func TestWhatIsUnwiseIsAmberWithTheReasonAndItsSuggestionCanBeTaken(t *testing.T) {
	o := atNodes(t, newDesk(), 80, 24).on(t, "sizing.workers.count").types("9").press("tab").on(t, "sizing.controlPlane.type")
	o.sees(t, "! Control plane, instance type: 9 workers are many", "ctrl+y")
	o.press("ctrl+y")
	if got := o.session.Spec().Sizing.ControlPlane.Type; got == "standard.extra-large" {
		t.Error("the suggestion is not taken")
	}
	if !o.currentPage().Close() {
		t.Error("amber blocks the way")
	}
}

func TestAnInterviewAboutSomeKeysAsksForTheirCellsOnly(t *testing.T) {
	d := newDesk()
	d.Only = []string{"sizing.infra.count"}
	o := sit(t, d.answer(t, whole()), 80, 24, nil).at(t, wizard.Nodes)
	o.sees(t, "Infra", "[  4]")
	o.seesNot(t, "Workers", "Add a group")
	o.press("right", "right", "a")
	if field, _ := o.currentPage().(*nodesPage).selectedField(); field.Key != "sizing.infra.count" {
		t.Errorf("the cursor is on %q", field.Key)
	}
}

func TestTheNodesScreenLooksAsRecorded(t *testing.T) {
	groups := map[string]string{"sizing.extraGroups": "name=gpu type=gpua30.small count=2 rootDisk=100 dataDisk=200"}
	looks := map[string]func(*testing.T, *operator){
		"nodes":       func(*testing.T, *operator) {},
		"nodes-short": func(t *testing.T, o *operator) { o.on(t, "sizing.workers.count").types("9").press("tab") },
		"nodes-list":  func(t *testing.T, o *operator) { o.on(t, "sizing.extraGroups[0].type").press(" ") },
		"nodes-name":  func(_ *testing.T, o *operator) { o.press("a").types("fast") },
	}
	for name, act := range looks {
		for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
			for _, ascii := range []bool{false, true} {
				d := newDesk().inquires(wizard.Nodes, "quotas", nil, limits(24, 5), nil).answer(t, groups)
				o := sit(t, d.answer(t, whole()), size[0], size[1], func(w *Wizard) { w.ASCII = ascii })
				o.pass(3 * time.Second)
				act(t, o.at(t, wizard.Nodes))
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
		d := newDesk().inquires(wizard.Nodes, "quotas", nil, limits(19, 5), nil).answer(t, whole())
		o := sit(t, d, width%240, height%70, nil)
		screen := wizard.Nodes
		if network {
			screen = wizard.Network
		}
		o.at(t, screen)
		for i, r := range []rune(typed) {
			if i > 60 {
				break
			}
			o.types(string(r))
			o.press(names[(i*step+int(r))&0xffff%len(names)])
			o.exact(t)
		}
		o.pastes(typed)
		o.exact(t)
	})
}

// exact fails unless every line is as wide as the screen.
func (o *operator) exact(t *testing.T) {
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

func TestNoKeyWithAltBreaksOrEntersTheNameOfAGroup(t *testing.T) {
	o := atNodes(t, newDesk(), 80, 24).press("a").types("gpu").press("alt+d", "alt+delete", "alt+x", "alt+b", "alt+d", "alt+f")
	o.sees(t, "[gpu_]")
}
