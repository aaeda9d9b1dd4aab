package tui

import (
	"strings"
	"testing"

	"exoshift/tui/theme"
	"exoshift/wizard"
)

func (o *operator) shows(t testing.TB, texts ...string) {
	t.Helper()
	view := strings.Join(strings.Fields(o.View()), " ")
	for _, text := range texts {
		if !strings.Contains(view, text) {
			t.Errorf("%q is not shown:\n%s", text, o.View())
		}
	}
}

func (o *operator) hides(t testing.TB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(o.View(), text) {
			t.Errorf("%q is shown:\n%s", text, o.View())
		}
	}
}

// inFront fails unless that screen is the current one.
func (o *operator) inFront(t testing.TB, screen wizard.Screen) {
	t.Helper()
	if front := o.pages[o.current].screen; front != screen {
		t.Fatalf("%s is in front, not %s:\n%s", front, screen, o.View())
	}
}

// onCluster returns an operator on the form of the cluster.
func onCluster(t *testing.T) *operator { return sit(t, newDesk(), 80, 24, nil).at(t, wizard.Cluster) }

func (o *operator) selected() string { return o.currentPage().(*form).selected }

func TestACharacterThatCannotBePartOfAnAnswerIsNotTaken(t *testing.T) {
	o := onCluster(t).types("c_demo")
	if o.shows(t, "[cdemo"); o.session.Spec().Cluster.ID != "" {
		t.Error("an answer is given before its field was left")
	}
	o.types("$").shows(t, `"$" cannot be part of this, e.g. c-demo-1`)
	o.press("space").shows(t, "a space cannot be part of this")
	o.types("x").hides(t, "cannot be part")
	if o.press("enter"); o.session.Spec().Cluster.ID != "cdemox" {
		t.Errorf("the answer is %q", o.session.Spec().Cluster.ID)
	}
}

func TestLargeLettersBecomeSmallWhereOnlyThoseMayBe(t *testing.T) {
	if o := onCluster(t).types("C-DEMO-1").press("enter"); o.session.Spec().Cluster.ID != "c-demo-1" {
		t.Errorf("the answer is %q", o.session.Spec().Cluster.ID)
	}
}

func TestEnterKeepsTheCursorOnAnAnswerThatIsWrongAndOtherKeysLetItGo(t *testing.T) {
	o := onCluster(t).types("c-demo-").press("enter")
	if o.selected() != "cluster.id" {
		t.Errorf("enter leaves a wrong answer for %s", o.selected())
	}
	o.shows(t, "[c-demo-", "✗", "2 Cluster✗")
	o.press("down").shows(t, "c-demo-", "not stored")
	if o.selected() != "cluster.baseDomain" || o.session.Spec().Cluster.ID != "" {
		t.Errorf("the cursor is on %s, the answer is %q", o.selected(), o.session.Spec().Cluster.ID)
	}
	o.press("up").types("1").press("enter").hides(t, "not stored")
	if o.session.Spec().Cluster.ID != "c-demo-1" {
		t.Errorf("the corrected answer is %q", o.session.Spec().Cluster.ID)
	}
}

func TestWhatIsMissingIsToldOnceItsFieldWasLeft(t *testing.T) {
	o := onCluster(t)
	o.hides(t, "an answer is needed")
	o.press("down").shows(t, "an answer is needed, e.g. c-demo-1")
}

func TestASuggestionIsTakenWithAKey(t *testing.T) {
	d := newDesk().answer(t, whole())
	o := sit(t, d, 80, 24, nil).at(t, wizard.Cluster)
	o.currentPage().(focuser).Focus("openshift.version")
	o.press("ctrl+u").types("4.99.1").press("enter")
	_, suggestion := o.currentPage().(*form).findSuggestion()
	if suggestion == "" {
		t.Skip("the rules suggest nothing")
	}
	o.shows(t, "Did you mean "+suggestion+"? ctrl+y takes it", "ctrl+y take the suggestion")
	if o.press("ctrl+y"); o.session.Spec().OpenShift.Version != suggestion || o.InputMode() != modeText {
		t.Errorf("the answer is %q", o.session.Spec().OpenShift.Version)
	}
}

func (o *operator) InputMode() inputMode { return o.inputMode() }

func TestNextIsInTheWayOfWhatIsRedAndSelectsIt(t *testing.T) {
	o := onCluster(t).press("pgdown", "enter")
	o.inFront(t, wizard.Cluster)
	o.shows(t, "2 answers to put right first")
	if o.selected() != "cluster.id" {
		t.Errorf("the cursor is on %s", o.selected())
	}
	o.types("c-demo-1").press("enter").types("example.net").press("enter", "enter", "enter")
	if o.selected() != nextKey {
		t.Fatalf("enter leads to %s:\n%s", o.selected(), o.View())
	}
	o.press("enter").inFront(t, wizard.Nodes)
}

func TestARedAnswerAmongTheFoldedOnesIsUnfolded(t *testing.T) {
	taken := wizard.LookupResult{Problems: []wizard.Problem{{Field: "objectStorage.bucketPrefix", Message: "somebody has such a bucket"}}}
	d := newDesk().answer(t, whole()).inquires(wizard.Cluster, "Names", nil, taken, nil)
	o := sit(t, d, 80, 24, nil).at(t, wizard.Cluster)
	o.hides(t, "somebody has such a bucket")
	o.press("pgdown", "enter").inFront(t, wizard.Cluster)
	o.shows(t, "somebody has such a bucket")
	if o.selected() != "objectStorage.bucketPrefix" {
		t.Errorf("the cursor is on %s", o.selected())
	}
}

func TestAmberDoesNotStopAnybody(t *testing.T) {
	worth := wizard.LookupResult{Warnings: []wizard.Problem{{Field: "cluster.baseDomain", Message: "somebody else serves this domain"}}}
	d := newDesk().answer(t, whole()).inquires(wizard.Cluster, "names", []string{"cluster.baseDomain"}, worth, nil)
	o := sit(t, d, 80, 24, nil).at(t, wizard.Cluster)
	o.shows(t, "! somebody else serves this domain")
	o.press("pgdown", "enter").inFront(t, wizard.Nodes)
	if mark := (wizardView{o.wizardModel}).computeMark(1); mark != theme.Warn {
		t.Errorf("the screen's mark is %s", mark.Word())
	}
}

func TestWhatWasFoundAndCannotBeUsedIsSaidAtItsQuestion(t *testing.T) {
	d := newDesk()
	d.Unusable = []wizard.Problem{{Field: pullSecretField, Message: "~/pull-secret.txt is open to group or others", Allowed: "chmod 600 ~/pull-secret.txt"}}
	o := onSecret(t, d, pullSecretField)
	o.shows(t, "! not used: ~/pull-secret.txt is open to group or others")
	if err := o.session.Set(pullSecretField, "env:PULL_SECRET"); err != nil {
		t.Fatal(err)
	}
	if o.send(nil); strings.Contains(o.View(), "not used") {
		t.Errorf("it is said although there is an answer:\n%s", o.View())
	}
}

func TestEnterAcceptsDefaultsWithoutUnfoldingWhatIsFolded(t *testing.T) {
	o := sit(t, newDesk().answer(t, whole()), 80, 24, nil).at(t, wizard.Access)
	o.press("enter", "enter", "enter").shows(t, "▸ 2 more with defaults")
	if o.selected() != nextKey {
		t.Errorf("enter leads to %s", o.selected())
	}
	o.press("up", "enter").shows(t, "▾ 2 more with defaults", "Protect the masters")
	o.press("enter").hides(t, "Protect the masters")
}

func TestASwitchIsChangedInPlace(t *testing.T) {
	o := sit(t, newDesk(), 80, 24, nil).at(t, wizard.Access)
	o.currentPage().(focuser).Focus("exoscale.protectMasters")
	before := o.session.Spec().Exoscale.ProtectMasters
	o.press("space")
	if o.session.Spec().Exoscale.ProtectMasters == before {
		t.Error("space does not change it")
	}
	o.press("n").shows(t, "Protect the masters [ ] no")
	o.press("y").shows(t, "Protect the masters [x] yes")
}

func TestAListIsSearchedAndChosenFrom(t *testing.T) {
	d := newDesk().inquires(wizard.Access, "Zones", nil, zones(), nil)
	o := sit(t, d, 80, 24, nil)
	o.currentPage().(focuser).Focus("exoscale.zone")
	o.press("space").shows(t, "ch-gva-2 Geneva", "de-fra-1 Frankfurt")
	o.hides(t, "at-vie-1")
	o.types("FURT").hides(t, "Geneva")
	o.press("enter")
	if zone := o.session.Spec().Exoscale.Zone; zone != "de-fra-1" || o.selected() != nextKey {
		t.Errorf("the zone is %q, the cursor on %s", zone, o.selected())
	}
	o.press("up", "up").types("ge").shows(t, "/ge")
	if o.press("esc"); o.session.Spec().Exoscale.Zone != "de-fra-1" {
		t.Error("esc changes the answer")
	}
	o.inFront(t, wizard.Access)
}

func TestAListOfFreeValuesTakesWhatIsTyped(t *testing.T) {
	releases := wizard.LookupResult{Choices: map[string][]wizard.Choice{"openshift.version": {{Value: "stable-4.20", Note: "4.20.5 today"}}}}
	o := sit(t, newDesk().inquires(wizard.Cluster, "Release", nil, releases, nil), 80, 24, nil).at(t, wizard.Cluster)
	o.currentPage().(focuser).Focus("openshift.version")
	o.press("space").shows(t, "stable-4.20 4.20.5 today")
	o.types("4.20.7").shows(t, "4.20.7 what you typed")
	if o.press("enter"); o.session.Spec().OpenShift.Version != "4.20.7" {
		t.Errorf("the version is %q", o.session.Spec().OpenShift.Version)
	}
}

func TestLettersAreTextInATextField(t *testing.T) {
	o := onCluster(t).press("down").types("q?1d").press("alt+left")
	o.inFront(t, wizard.Access)
	if o.quitDialog != nil || o.help {
		t.Error("a letter was a key")
	}
}

func TestASuggestedAnswerFollowsWhatItDependsOn(t *testing.T) {
	o := onCluster(t)
	version := o.session.Spec().OpenShift.Version
	if o.shows(t, version+" suggested"); version == "" {
		t.Fatal("no version is suggested")
	}
	if err := o.session.Set("openshift.distribution", "okd"); err != nil || o.session.Spec().OpenShift.Version != "" {
		t.Errorf("for OKD the version is %q (%v)", o.session.Spec().OpenShift.Version, err)
	}
	if err := o.session.Set("openshift.distribution", "ocp"); err != nil || o.session.Spec().OpenShift.Version != version {
		t.Errorf("back again the version is %q (%v)", o.session.Spec().OpenShift.Version, err)
	}
}

func TestHelpSaysWhatWhyAnExampleAndTheSource(t *testing.T) {
	o := onCluster(t)
	o.press("f1").shows(t, "Cluster ID", "Why", "Example c-demo-1", "From")
	o.press("down").shows(t, "Now not answered")
	o.press("x").hides(t, "Example")
	if o.types("y"); o.currentPage().(*form).editor.getText() != "y" {
		t.Error("the key that closes the help is text")
	}
	o.tell(resized(120, 40))
	o.shows(t, "─ help ─", "Example")
}

func TestOnASmallScreenOneQuestionIsAskedAtATime(t *testing.T) {
	o := onCluster(t)
	o.tell(resized(20, 5))
	o.types("c-").press("enter")
	o.shows(t, "Cluster ID", "[c-", "✗")
	o.hides(t, "Base domain")
	o.types("1").press("enter").shows(t, "Base domain")
}

func TestLettersWithAltAreNoText(t *testing.T) {
	o := onCluster(t).types("c-1").press("alt+x", "alt+!", "alt+b").types("a")
	if got := o.currentPage().(*form).editor.getText(); got != "ac-1" {
		t.Errorf("the text is %q", got)
	}
}

func TestTheTenantOfAConnectedClusterIsNeeded(t *testing.T) {
	d := newDesk().answer(t, whole())
	d.Answers.Spec.Syn.LieutenantURL = "https://api.syn.example.net"
	d.inquires(wizard.Syn, "Lieutenant", nil, wizard.LookupResult{Choices: map[string][]wizard.Choice{"syn.tenant": {{Value: "t-harbour", Note: "Harbour Ltd"}}}}, nil)
	o := sit(t, d, 80, 24, nil).at(t, wizard.Syn)
	o.shows(t, "Tenant", "needed")
	o.currentPage().(focuser).Focus("syn.tenant")
	if o.press("space", "enter"); o.session.Spec().Syn.Tenant != "t-harbour" {
		t.Errorf("the first of the list is %q:\n%s", o.session.Spec().Syn.Tenant, o.View())
	}
}

func TestWhatIsWorthALookIsToldWhereItIsFolded(t *testing.T) {
	d := newDesk().answer(t, whole())
	d.Answers.Spec.Syn.LieutenantURL, d.Answers.Spec.Syn.Tenant = "https://api.syn.example.net", "t-harbour" // without certificates by ACME
	o := sit(t, d, 80, 24, nil).at(t, wizard.Network)
	o.shows(t, "more with defaults", "1 worth a look")
	o.press("down", "enter").hides(t, "worth a look")
}
