package wizard

import (
	"strings"
	"testing"

	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
)

// checkPage fails unless that screen is the current one.
func (o *driver) checkPage(t testing.TB, screen wizard.Screen) {
	t.Helper()
	if front := o.pages[o.current].screen; front != screen {
		t.Fatalf("%s is in front, not %s:\n%s", front, screen, o.View())
	}
}

// openCluster returns the driver of the wizard on the form of the cluster.
func openCluster(t *testing.T) *driver {
	return openWizard(t, newInterview(), 80, 24, nil).openPage(t, wizard.Cluster)
}

// editedText returns the text of the open editor.
func (o *driver) editedText() string {
	_, text, _ := o.currentPage().(interface {
		CurrentEdit() (key, text string, ok bool)
	}).CurrentEdit()
	return text
}

func (o *driver) selected() string {
	return o.currentPage().(interface{ Selected() string }).Selected()
}

func TestForm_KeepsWhatIsTyped(t *testing.T) {
	o := openCluster(t).Type("c_demo")
	if o.Shows(t, "[c_demo", `"_" is not allowed, e.g. c-demo-1`); o.session.Spec().Cluster.ID != "" {
		t.Error("an answer is given before its field was left")
	}
	o.Press("ctrl+u").Type("c demo").Shows(t, "[c demo", "spaces are not allowed")
	o.Press("ctrl+u").Type("C-DEMO-1").Press("enter").Shows(t, "[C-DEMO-1", "Did you mean c-demo-1? ctrl+y accepts")
	if o.Hides(t, "C-DEMO-1 ✓"); o.session.Spec().Cluster.ID != "" {
		t.Errorf("the answer is %q", o.session.Spec().Cluster.ID)
	}
	if o.Press("ctrl+y"); o.session.Spec().Cluster.ID != "c-demo-1" {
		t.Errorf("the suggested answer is %q", o.session.Spec().Cluster.ID)
	}
}

func TestForm_OffersWhatWasMeant(t *testing.T) {
	for key, c := range map[string]struct{ given, offered string }{
		"cluster.baseDomain":  {"https://example.net/", "example.net"},
		"network.hostPrefix":  {"10.4.0.0/14", "14"},
		"network.podCIDR":     {"10.4.1.7/14", "10.4.0.0/14"},
		"network.serviceCIDR": {"172.29.0.0 / 16", "172.29.0.0/16"},
		"dns.appsDomain":      {"*.apps.example.net.", "apps.example.net"},
	} {
		o := openSecret(t, newInterview(), key)
		field, _ := o.session.FindField(key)
		o.Press("end", "ctrl+u").Paste(c.given).Press("enter")
		o.Shows(t, "["+c.given, "Did you mean "+c.offered+"? ctrl+y accepts")
		if before := field.Get(o.session.Spec()); before == c.offered || o.selected() != key {
			t.Errorf("%s: the answer is %q, the cursor on %s", key, before, o.selected())
		}
		if o.Press("ctrl+y"); field.Get(o.session.Spec()) != c.offered {
			t.Errorf("%s: the suggested answer is %q", key, field.Get(o.session.Spec()))
		}
		if o.Press("ctrl+z"); o.editedText() != c.given {
			t.Errorf("%s: ctrl+z brings back %q", key, o.editedText())
		}
	}
}

func TestForm_EditsWords(t *testing.T) {
	o := openCluster(t).Press("down").Type("one.two.net")
	o.Press("alt+b").Type("X").Press("home").Type("Y").Press("alt+f").Type("Z").Press("end").Type("!")
	if got := o.editedText(); got != "YoneZ.two.Xnet!" {
		t.Errorf("the text is %q", got)
	}
	if o.Press("ctrl+w"); o.editedText() != "" {
		t.Errorf("ctrl+w leaves %q", o.editedText())
	}
	for range 5 {
		o.Press("ctrl+z")
	}
	if got := o.editedText(); got != "one.two.net" {
		t.Errorf("undone is %q", got)
	}
	o.Press("down", "up", "ctrl+z")
	if got := o.editedText(); got != "" {
		t.Errorf("undone after the field was left: %q", got)
	}
}

func TestForm_ResetsToDefault(t *testing.T) {
	o := openSecret(t, newInterview(), "network.hostPrefix")
	o.Press("ctrl+u").Type("24").Press("enter", "up").Shows(t, "F4 default")
	if o.Press("f4"); o.session.Spec().Network.HostPrefix != 23 || o.session.Answers().Origin("network.hostPrefix") != wizard.ByDefault || o.editedText() != "23" {
		t.Errorf("the answer is %d, the text %q", o.session.Spec().Network.HostPrefix, o.editedText())
	}
	o.Hides(t, "F4 default")
	o.Resize(100, 50)
	o.Press("f1").Shows(t, "F4 resets an answer to its default", "ctrl+z")
	o = openSecret(t, newInterview(), apiSecretField).Paste("env:OTHER")
	if o.Press("f4"); o.session.Spec().Exoscale.APISecret.Env != "EXOSCALE_API_SECRET" {
		t.Errorf("the reference is %+v", o.session.Spec().Exoscale.APISecret)
	}
}

func TestForm_EnterStaysOnRejectedText(t *testing.T) {
	o := openCluster(t).Type("c-demo-").Press("enter")
	if o.selected() != "cluster.id" {
		t.Errorf("enter leaves a wrong answer for %s", o.selected())
	}
	o.Shows(t, "[c-demo-", "✗", "2 Cluster✗")
	o.Press("down").Shows(t, "c-demo-", "not stored")
	if o.selected() != "cluster.baseDomain" || o.session.Spec().Cluster.ID != "" {
		t.Errorf("the cursor is on %s, the answer is %q", o.selected(), o.session.Spec().Cluster.ID)
	}
	o.Press("up").Type("1").Press("enter").Hides(t, "not stored")
	if o.session.Spec().Cluster.ID != "c-demo-1" {
		t.Errorf("the corrected answer is %q", o.session.Spec().Cluster.ID)
	}
}

func TestForm_MissingShownOnceLeft(t *testing.T) {
	o := openCluster(t)
	o.Hides(t, "required, e.g.")
	o.Press("down").Shows(t, "required, e.g. c-demo-1")
}

func TestForm_ApplySuggestion(t *testing.T) {
	d := newInterview().answer(t, completeAnswers())
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Cluster)
	o.currentPage().(page.Focuser).Focus("openshift.version")
	o.Press("ctrl+u").Type("4.99.1").Press("enter")
	_, suggestion := o.session.Errors("openshift.version")[0].FindFix()
	if suggestion == "" {
		t.Skip("the rules suggest nothing")
	}
	o.Shows(t, "Did you mean "+suggestion+"? ctrl+y accepts", "ctrl+y use the suggestion")
	if o.Press("ctrl+y"); o.session.Spec().OpenShift.Version != suggestion || o.InputMode() != page.ModeText {
		t.Errorf("the answer is %q", o.session.Spec().OpenShift.Version)
	}
}

func (o *driver) InputMode() page.InputMode { return o.inputMode() }

func TestForm_NextSelectsFirstError(t *testing.T) {
	o := openCluster(t).Press("pgdown", "enter")
	o.checkPage(t, wizard.Cluster)
	o.Shows(t, "2 answers to fix")
	if o.selected() != "cluster.id" {
		t.Errorf("the cursor is on %s", o.selected())
	}
	o.Type("c-demo-1").Press("enter").Type("example.net").Press("enter", "enter", "enter")
	if o.selected() != "(next)" {
		t.Fatalf("enter leads to %s:\n%s", o.selected(), o.View())
	}
	o.Press("enter").checkPage(t, wizard.Nodes)
}

func TestForm_UnfoldsError(t *testing.T) {
	taken := wizard.LookupResult{Problems: []wizard.Problem{{Field: "objectStorage.bucketPrefix", Message: "somebody has such a bucket"}}}
	d := newInterview().answer(t, completeAnswers()).addLookup(wizard.Cluster, "Names", nil, taken, nil)
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Cluster)
	o.Hides(t, "somebody has such a bucket")
	o.Press("pgdown", "enter").checkPage(t, wizard.Cluster)
	o.Shows(t, "somebody has such a bucket")
	if o.selected() != "objectStorage.bucketPrefix" {
		t.Errorf("the cursor is on %s", o.selected())
	}
}

func TestForm_WarningDoesNotBlock(t *testing.T) {
	worth := wizard.LookupResult{Warnings: []wizard.Problem{{Field: "cluster.baseDomain", Message: "someone else serves this domain"}}}
	d := newInterview().answer(t, completeAnswers()).addLookup(wizard.Cluster, "names", []string{"cluster.baseDomain"}, worth, nil)
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Cluster)
	o.Shows(t, "! someone else serves this domain")
	o.Press("pgdown", "enter").checkPage(t, wizard.Nodes)
	if mark := (frame{o.model}).computeMark(1); mark != theme.Warn {
		t.Errorf("the screen's mark is %s", mark.Word())
	}
}

func TestForm_UnusableDetection(t *testing.T) {
	d := newInterview()
	d.Unusable = []wizard.Problem{{Field: pullSecretField, Message: "~/pull-secret.txt is open to group or others", Allowed: "chmod 600 ~/pull-secret.txt"}}
	o := openSecret(t, d, pullSecretField)
	o.Shows(t, "! not used: ~/pull-secret.txt is open to group or others")
	if err := o.session.Set(pullSecretField, "env:PULL_SECRET"); err != nil {
		t.Fatal(err)
	}
	if o.send(nil); strings.Contains(o.View(), "not used") {
		t.Errorf("it is said although there is an answer:\n%s", o.View())
	}
}

func TestForm_EnterKeepsFold(t *testing.T) {
	o := openWizard(t, newInterview().answer(t, completeAnswers()), 80, 24, nil).openPage(t, wizard.Access)
	o.Press("enter", "enter", "enter").Shows(t, "▸ 2 more with defaults")
	if o.selected() != "(next)" {
		t.Errorf("enter leads to %s", o.selected())
	}
	o.Press("up", "enter").Shows(t, "▾ 2 more with defaults", "Deletion protection (masters)")
	o.Press("enter").Hides(t, "Deletion protection (masters)")
}

func TestForm_Switch(t *testing.T) {
	o := openWizard(t, newInterview(), 80, 24, nil).openPage(t, wizard.Access)
	o.currentPage().(page.Focuser).Focus("exoscale.protectMasters")
	before := o.session.Spec().Exoscale.ProtectMasters
	o.Press("space")
	if o.session.Spec().Exoscale.ProtectMasters == before {
		t.Error("space does not change it")
	}
	o.Press("n").Shows(t, "Deletion protection (masters) [ ] no")
	o.Press("y").Shows(t, "Deletion protection (masters) [x] yes")
}

func TestForm_ChoiceList(t *testing.T) {
	d := newInterview().addLookup(wizard.Access, "Zones", nil, newZones(), nil)
	o := openWizard(t, d, 80, 24, nil)
	o.currentPage().(page.Focuser).Focus("exoscale.zone")
	o.Press("space").Shows(t, "ch-gva-2 Geneva", "de-fra-1 Frankfurt")
	o.Hides(t, "at-vie-1")
	o.Type("FURT").Hides(t, "Geneva")
	o.Press("enter")
	if zone := o.session.Spec().Exoscale.Zone; zone != "de-fra-1" || o.selected() != "(next)" {
		t.Errorf("the zone is %q, the cursor on %s", zone, o.selected())
	}
	o.Press("up", "up").Type("ge").Shows(t, "/ge")
	if o.Press("esc"); o.session.Spec().Exoscale.Zone != "de-fra-1" {
		t.Error("esc changes the answer")
	}
	o.checkPage(t, wizard.Access)
}

func TestForm_ChoiceListCustomValue(t *testing.T) {
	releases := wizard.LookupResult{Choices: map[string][]wizard.Choice{"openshift.version": {{Value: "stable-4.20", Note: "4.20.5 today"}}}}
	o := openWizard(t, newInterview().addLookup(wizard.Cluster, "Release", nil, releases, nil), 80, 24, nil).openPage(t, wizard.Cluster)
	o.currentPage().(page.Focuser).Focus("openshift.version")
	o.Press("space").Shows(t, "stable-4.20 4.20.5 today")
	o.Type("4.20.7").Shows(t, "4.20.7 your input")
	if o.Press("enter"); o.session.Spec().OpenShift.Version != "4.20.7" {
		t.Errorf("the version is %q", o.session.Spec().OpenShift.Version)
	}
}

func TestForm_LettersAreText(t *testing.T) {
	o := openCluster(t).Press("down").Type("q?1d").Press("alt+left")
	o.checkPage(t, wizard.Access)
	if o.quitDialog != nil || o.help {
		t.Error("a letter was a key")
	}
}

func TestForm_SuggestionFollowsAnswers(t *testing.T) {
	o := openCluster(t)
	version := o.session.Spec().OpenShift.Version
	if o.Shows(t, version+" suggested"); version == "" {
		t.Fatal("no version is suggested")
	}
	if err := o.session.Set("openshift.distribution", "okd"); err != nil || o.session.Spec().OpenShift.Version != "" {
		t.Errorf("for OKD the version is %q (%v)", o.session.Spec().OpenShift.Version, err)
	}
	if err := o.session.Set("openshift.distribution", "ocp"); err != nil || o.session.Spec().OpenShift.Version != version {
		t.Errorf("back again the version is %q (%v)", o.session.Spec().OpenShift.Version, err)
	}
}

func TestForm_Help(t *testing.T) {
	o := openCluster(t)
	o.Press("f1").Shows(t, "Cluster ID", "Why", "Example c-demo-1", "From")
	o.Press("down").Shows(t, "Now not answered")
	o.Press("x").Hides(t, "Example")
	if o.Type("y"); o.editedText() != "y" {
		t.Error("the key that closes the help is text")
	}
	o.Resize(120, 40)
	o.Shows(t, "─ help ─", "Example")
}

func TestForm_SmallScreen(t *testing.T) {
	o := openCluster(t)
	o.Resize(20, 5)
	o.Type("c-").Press("enter")
	o.Shows(t, "Cluster ID", "[c-", "✗")
	o.Hides(t, "Base domain")
	o.Type("1").Press("enter").Shows(t, "Base domain")
}

func TestForm_AltKeys(t *testing.T) {
	o := openCluster(t).Type("c-1").Press("alt+x", "alt+!", "alt+b").Type("a")
	if got := o.editedText(); got != "c-a1" {
		t.Errorf("the text is %q", got)
	}
}

func TestForm_TenantRequired(t *testing.T) {
	d := newInterview().answer(t, completeAnswers())
	d.Answers.Spec.Syn.LieutenantURL = "https://api.syn.example.net"
	d.addLookup(wizard.Syn, "Lieutenant", nil, wizard.LookupResult{Choices: map[string][]wizard.Choice{"syn.tenant": {{Value: "t-harbour", Note: "Harbour Ltd"}}}}, nil)
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Syn)
	o.Shows(t, "Tenant", "required")
	o.currentPage().(page.Focuser).Focus("syn.tenant")
	if o.Press("space", "enter"); o.session.Spec().Syn.Tenant != "t-harbour" {
		t.Errorf("the first of the list is %q:\n%s", o.session.Spec().Syn.Tenant, o.View())
	}
}

func TestForm_FoldedWarnings(t *testing.T) {
	d := newInterview().answer(t, completeAnswers())
	d.Answers.Spec.Syn.LieutenantURL, d.Answers.Spec.Syn.Tenant = "https://api.syn.example.net", "t-harbour" // without certificates by ACME
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Network)
	o.Shows(t, "more with defaults", "1 warning")
	o.Press("down", "enter").Hides(t, "worth a look")
}
