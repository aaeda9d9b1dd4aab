package tui

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/wizard"
)

const secretText = "tr0ub4dor-and-three"

// onSecret returns an operator on the field of a secret.
func onSecret(t *testing.T, d *desk, key string) *operator {
	t.Helper()
	o := sit(t, d, 80, 24, nil).at(t, wizard.ScreenOf(key))
	o.currentPage().(focuser).Focus(key)
	return o
}

// realPullSecret has several lines, like a formatted download of the portal.
func realPullSecret() string {
	auth := base64.StdEncoding.EncodeToString([]byte("you:" + secretText))
	var entries []string
	for _, registry := range []string{"cloud.openshift.com", "quay.io", "registry.connect.redhat.com", "registry.redhat.io"} {
		entries = append(entries, `    "`+registry+`": {"auth": "`+auth+`", "email": "you@example.net"}`)
	}
	return "{\n  \"auths\": {\n" + strings.Join(entries, ",\n") + "\n  }\n}\n"
}

func TestATypedSecretIsKeptAndNeverShown(t *testing.T) {
	d := newDesk()
	o := onSecret(t, d, apiSecretField).types(secretText)
	o.shows(t, "[••••••••_")
	o.hides(t, secretText, secretText[1:])
	if o.press("enter"); d.kept[apiSecretField] != secretText {
		t.Fatalf("kept is %q", d.kept)
	}
	o.hides(t, secretText)
	if ref := o.session.Spec().Exoscale.APISecret; !strings.HasPrefix(ref.File, d.folder) || ref.Env != "" {
		t.Errorf("the answer is %+v", ref)
	}
}

func TestASecretIsShownForFiveSecondsOnDemand(t *testing.T) {
	o := onSecret(t, newDesk(), apiSecretField).types(secretText)
	o.press("ctrl+v").shows(t, secretText)
	o.pass(4 * time.Second)
	o.shows(t, secretText)
	o.pass(time.Second)
	o.hides(t, secretText)
}

func TestAPastedPullSecretIsKeptAtOnceAndSummarized(t *testing.T) {
	d := newDesk()
	o := onSecret(t, d, pullSecretField).pastes("\n " + realPullSecret() + "\n")
	if d.kept[pullSecretField] != strings.TrimSpace(realPullSecret()) {
		t.Errorf("kept is %q", d.kept[pullSecretField])
	}
	o.shows(t, "4 registries", "white space around the pasted text was left out")
	o.hides(t, "auth", secretText)
}

func TestAPullSecretThatArrivesLineByLineIsOneSecret(t *testing.T) {
	d := newDesk()
	o := onSecret(t, d, pullSecretField)
	for line := range strings.SplitSeq(strings.TrimSpace(realPullSecret()), "\n") {
		o.types(line).press("enter")
	}
	want, got := strings.Join(strings.Fields(realPullSecret()), ""), strings.Join(strings.Fields(d.kept[pullSecretField]), "")
	if got != want || o.selected() == pullSecretField {
		t.Errorf("kept is %q, the cursor is on %s", got, o.selected())
	}
	if o.press("ctrl+v"); strings.Contains(o.View(), secretText) {
		t.Error("a pull secret is shown")
	}
}

func TestABrokenPullSecretIsRedWithoutBeingRepeated(t *testing.T) {
	o := onSecret(t, newDesk(), pullSecretField).pastes(`{"auths": {"quay.io": {"auth": "` + secretText + `"}}}`)
	o.shows(t, "✗", "is not base64")
	o.hides(t, secretText)
}

func TestWhereASecretIsCanBeSaid(t *testing.T) {
	o := onSecret(t, newDesk(), apiSecretField).press("space").shows2(t, "type or paste it here", "environment variable", "file")
	o.press("down", "enter").shows(t, "variable EXOSCALE_API_SECRET_")
	o.press("ctrl+u").types("OTHER_NAME").press("enter")
	if ref := o.session.Spec().Exoscale.APISecret; ref.Env != "OTHER_NAME" {
		t.Errorf("the answer is %+v", ref)
	}
	o.shows(t, "environment variable OTHER_NAME", "is not set")
	o.currentPage().(focuser).Focus(apiSecretField)
	if o.press("space", "down", "enter", "esc"); o.session.Spec().Exoscale.APISecret.Env != "OTHER_NAME" {
		t.Error("esc changes the answer")
	}
	o.inFront(t, wizard.Access)
}

func (o *operator) shows2(t testing.TB, texts ...string) *operator {
	t.Helper()
	o.shows(t, texts...)
	return o
}

func TestAnAccountOfExoHasBothHalvesOfAKey(t *testing.T) {
	o := onSecret(t, newDesk(), apiKeyField)
	if err := o.session.Set(apiSecretField, ""); err == nil {
		t.Error("a needed secret may be left out")
	}
	o.session.Edit(apiSecretField, func(spec *state.Spec) { spec.Exoscale.APISecret.Env = "" })
	o.pastes("exo:work")
	if spec := o.session.Spec().Exoscale; spec.APIKey.Exo != "work" || spec.APISecret.Exo != "work" {
		t.Errorf("the answers are %+v and %+v", spec.APIKey, spec.APISecret)
	}
}

func TestASecretIsRefusedWhereTextIsAsked(t *testing.T) {
	for _, secret := range []string{"-----BEGIN OPENSSH PRIVATE KEY-----\nabc", realPullSecret(), "EXO0123456789abcdef0123456789"} {
		o := onSecret(t, newDesk(), "openshift.sshKey").pastes(secret)
		if o.shows(t, "this looks like a secret"); o.currentPage().(*form).editor.getText() != "" {
			t.Errorf("%q was taken", secret)
		}
	}
}

func TestASecretThatCannotBeKeptIsNotForgottenSilently(t *testing.T) {
	d := newDesk()
	d.broken = errors.New("the disk is full")
	o := onSecret(t, d, apiSecretField).types(secretText).press("enter")
	o.shows(t, "the disk is full")
	o.hides(t, secretText)
}

func TestWhatIsPastedIsTrimmedAndHarmless(t *testing.T) {
	o := onSecret(t, newDesk(), "openshift.sshKey").pastes("  " + testKey + "\n")
	o.shows(t, "white space around the pasted text was left out")
	if o.press("enter"); o.session.Spec().OpenShift.SSHKey != testKey {
		t.Errorf("the answer is %q", o.session.Spec().OpenShift.SSHKey)
	}
	o = onSecret(t, newDesk(), "openshift.sshKey").pastes("a\x1b[2J\x07b\u202ec\rd\x9b")
	if text := o.currentPage().(*form).editor.getText(); text != "a[2Jbc d" {
		t.Errorf("typed is %q", text)
	}
	o.pastes(strings.Repeat("x", 100_000)).shows(t, "too long for an answer")
}

func TestEnterGoesOnWhileASecretIsStillBeingKept(t *testing.T) {
	o := onSecret(t, newDesk(), pullSecretField)
	o.session.SaveSecret(pullSecretField, realPullSecret()) // its file is being written
	if o.press("enter"); o.currentPage().(*form).list != nil {
		t.Error("it is asked where the secret is, which was just given")
	}
}
