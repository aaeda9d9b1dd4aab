package wizard

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
)

const secretText = "tr0ub4dor-and-three"

// openSecret returns the driver of the wizard on the field of a secret.
func openSecret(t *testing.T, d *fakeInterview, key string) *driver {
	t.Helper()
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.ScreenOf(key))
	o.currentPage().(page.Focuser).Focus(key)
	return o
}

// newPullSecret has several lines, like a formatted download of the portal.
func newPullSecret() string {
	auth := base64.StdEncoding.EncodeToString([]byte("you:" + secretText))
	var entries []string
	for _, registry := range []string{"cloud.openshift.com", "quay.io", "registry.connect.redhat.com", "registry.redhat.io"} {
		entries = append(entries, `    "`+registry+`": {"auth": "`+auth+`", "email": "you@example.net"}`)
	}
	return "{\n  \"auths\": {\n" + strings.Join(entries, ",\n") + "\n  }\n}\n"
}

func TestSecret_TypedIsHidden(t *testing.T) {
	d := newInterview()
	o := openSecret(t, d, apiSecretField).Type(secretText)
	o.Shows(t, "[••••••••_")
	o.Hides(t, secretText, secretText[1:])
	if o.Press("enter"); d.secrets[apiSecretField] != secretText {
		t.Fatalf("kept is %q", d.secrets)
	}
	o.Hides(t, secretText)
	if ref := o.session.Spec().Exoscale.APISecret; !strings.HasPrefix(ref.File, d.folder) || ref.Env != "" {
		t.Errorf("the answer is %+v", ref)
	}
}

func TestSecret_Reveal(t *testing.T) {
	o := openSecret(t, newInterview(), apiSecretField).Type(secretText)
	o.Press("ctrl+v").Shows(t, secretText)
	o.Advance(4 * time.Second)
	o.Shows(t, secretText)
	o.Advance(time.Second)
	o.Hides(t, secretText)
}

func TestSecret_PastedPullSecret(t *testing.T) {
	d := newInterview()
	o := openSecret(t, d, pullSecretField).Paste("\n " + newPullSecret() + "\n")
	if d.secrets[pullSecretField] != strings.TrimSpace(newPullSecret()) {
		t.Errorf("kept is %q", d.secrets[pullSecretField])
	}
	o.Shows(t, "4 registries", "white space around the pasted text was left out")
	o.Hides(t, "auth", secretText)
}

func TestSecret_PullSecretLineByLine(t *testing.T) {
	d := newInterview()
	o := openSecret(t, d, pullSecretField)
	for line := range strings.SplitSeq(strings.TrimSpace(newPullSecret()), "\n") {
		o.Type(line).Press("enter")
	}
	want, got := strings.Join(strings.Fields(newPullSecret()), ""), strings.Join(strings.Fields(d.secrets[pullSecretField]), "")
	if got != want || o.selected() == pullSecretField {
		t.Errorf("kept is %q, the cursor is on %s", got, o.selected())
	}
	if o.Press("ctrl+v"); strings.Contains(o.View(), secretText) {
		t.Error("a pull secret is shown")
	}
}

func TestSecret_BrokenPullSecretIsNotRepeated(t *testing.T) {
	o := openSecret(t, newInterview(), pullSecretField).Paste(`{"auths": {"quay.io": {"auth": "` + secretText + `"}}}`)
	o.Shows(t, "✗", "is not base64")
	o.Hides(t, secretText)
}

func TestSecret_Source(t *testing.T) {
	o := openSecret(t, newInterview(), apiSecretField).Press("space").Shows(t, "type or paste it here", "environment variable", "file")
	o.Press("down", "enter").Shows(t, "variable EXOSCALE_API_SECRET_")
	o.Press("ctrl+u").Type("OTHER_NAME").Press("enter")
	if ref := o.session.Spec().Exoscale.APISecret; ref.Env != "OTHER_NAME" {
		t.Errorf("the answer is %+v", ref)
	}
	o.Shows(t, "environment variable OTHER_NAME", "is not set")
	o.currentPage().(page.Focuser).Focus(apiSecretField)
	if o.Press("space", "down", "enter", "esc"); o.session.Spec().Exoscale.APISecret.Env != "OTHER_NAME" {
		t.Error("esc changes the answer")
	}
	o.checkPage(t, wizard.Access)
}

func TestSecret_ExoAccountSetsBoth(t *testing.T) {
	o := openSecret(t, newInterview(), apiKeyField)
	if err := o.session.Set(apiSecretField, ""); err == nil {
		t.Error("a needed secret may be left out")
	}
	o.session.Edit(apiSecretField, func(spec *state.Spec) { spec.Exoscale.APISecret.Env = "" })
	o.Paste("exo:work")
	if spec := o.session.Spec().Exoscale; spec.APIKey.Exo != "work" || spec.APISecret.Exo != "work" {
		t.Errorf("the answers are %+v and %+v", spec.APIKey, spec.APISecret)
	}
}

func TestSecret_RefusedInTextField(t *testing.T) {
	for _, secret := range []string{"-----BEGIN OPENSSH PRIVATE KEY-----\nabc", newPullSecret(), "EXO0123456789abcdef0123456789"} {
		o := openSecret(t, newInterview(), "openshift.sshKey").Paste(secret)
		if o.Shows(t, "this looks like a secret"); o.editedText() != "" {
			t.Errorf("%q was taken", secret)
		}
	}
}

func TestSecret_SaveError(t *testing.T) {
	d := newInterview()
	d.saveErr = errors.New("the disk is full")
	o := openSecret(t, d, apiSecretField).Type(secretText).Press("enter")
	o.Shows(t, "the disk is full")
	o.Hides(t, secretText)
}

func TestForm_PasteIsSanitized(t *testing.T) {
	o := openSecret(t, newInterview(), "openshift.sshKey").Paste("  " + testSSHKey + "\n")
	o.Shows(t, "white space around the pasted text was left out")
	if o.Press("enter"); o.session.Spec().OpenShift.SSHKey != testSSHKey {
		t.Errorf("the answer is %q", o.session.Spec().OpenShift.SSHKey)
	}
	o = openSecret(t, newInterview(), "openshift.sshKey").Paste("a\x1b[2J\x07b\u202ec\rd\x9b")
	if text := o.editedText(); text != "a[2Jbc d" {
		t.Errorf("typed is %q", text)
	}
	o.Paste(strings.Repeat("x", 100_000)).Shows(t, "too long for an answer")
}

func TestSecret_EnterWhileSaving(t *testing.T) {
	o := openSecret(t, newInterview(), pullSecretField)
	o.session.SaveSecret(pullSecretField, newPullSecret()) // its file is being written
	if o.Press("enter"); o.inputMode() == page.ModeCapture {
		t.Error("it is asked where the secret is, which was just given")
	}
}
