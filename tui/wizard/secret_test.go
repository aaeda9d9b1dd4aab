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
	o.Shows(t, "4 registries")
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

func TestSecret_BrokenPullSecretIsHidden(t *testing.T) {
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
		if o.Shows(t, "this looks like a", "which does not belong here"); o.editedText() != "" {
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
	o := openSecret(t, newInterview(), "openshift.sshKey").Paste(testSSHKey + "\n")
	o.Hides(t, "left out", "spaces")
	if o.Press("enter"); o.session.Spec().OpenShift.SSHKey != testSSHKey {
		t.Errorf("the answer is %q", o.session.Spec().OpenShift.SSHKey)
	}
	o = openSecret(t, newInterview(), "openshift.sshKey").Paste("a\x1b[2J\x07b\u202ec\rd\x9b")
	if text := o.Shows(t, "control characters were left out").editedText(); text != "abc d" {
		t.Errorf("typed is %q", text)
	}
	o.Paste(strings.Repeat("x", 100_000)).Shows(t, "too long for an answer: 100000 bytes, at most 4096")
}

func TestSecret_EnterWhileSaving(t *testing.T) {
	o := openSecret(t, newInterview(), pullSecretField)
	o.session.SaveSecret(pullSecretField, newPullSecret()) // its file is being written
	if o.Press("enter"); o.inputMode() == page.ModeCapture {
		t.Error("it is asked where the secret is, which was just given")
	}
}

// knownSecrets are secrets of each form that is recognized.
func knownSecrets() map[string]string {
	return map[string]string{
		"an API key":        "EXO0123456789abcdef0123456789",
		"an API secret":     "kZ2" + strings.Repeat("aB3_", 10),
		"a pull secret":     newPullSecret(),
		"a part of one":     `{"auths":{"quay.io":{"auth":"eW91OnNlY3JldA=="}}}`,
		"a Vault token":     "hvs.CAESIJ0123456789abcdef",
		"a token of GitLab": "glpat-0123456789abcdefghij",
		"a private key":     "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=",
		"a long text":       strings.Repeat("x", 300),
	}
}

func TestSecret_GivenAsItsSource(t *testing.T) {
	for what, secret := range knownSecrets() {
		for i, source := range []string{"environment variable", "file", "account of the exo CLI"} {
			for _, pasted := range []bool{true, false} {
				d := newInterview()
				o := openSecret(t, d, apiSecretField).Press("space")
				before := o.session.Spec().Exoscale.APISecret
				for range i + 1 {
					o.Press("down")
				}
				o.Press("enter", "ctrl+u")
				if pasted {
					o.Paste(secret)
				} else if secret = strings.ReplaceAll(secret, "\n", ""); true {
					o.Type(secret)
					o.Hides(t, secret[:min(len(secret), 20)]).Press("enter")
				}
				o.Shows(t, "That is the secret itself", "keep it privately", "discard it")
				o.Hides(t, secret[:min(len(secret), 20)])
				if o.Press("esc"); o.session.Spec().Exoscale.APISecret != before || len(d.secrets) > 0 {
					t.Errorf("%s as %s: esc keeps %v, the answer is %v", what, source, d.secrets, o.session.Spec().Exoscale.APISecret)
				}
				o.currentPage().(page.Focuser).Focus(apiSecretField)
				o.Press("space")
				for range i + 1 {
					o.Press("down")
				}
				o.Press("enter", "ctrl+u").Paste(secret).Press("enter")
				if d.secrets[apiSecretField] != strings.TrimSpace(secret) || !strings.HasPrefix(o.session.Spec().Exoscale.APISecret.File, d.folder) {
					t.Errorf("%s as %s: kept is %q, the answer %v", what, source, d.secrets[apiSecretField], o.session.Spec().Exoscale.APISecret)
				}
				o.Hides(t, secret[:min(len(secret), 20)])
			}
		}
	}
}

func TestSecret_ReferenceToTheSecretItself(t *testing.T) {
	d := newInterview()
	o := openSecret(t, d, apiSecretField).Paste("env:hvs.CAESIJ0123456789abcdef")
	o.Shows(t, "That is the secret itself (a Vault token)").Hides(t, "CAESIJ")
	if o.Press("down", "enter"); len(d.secrets) > 0 || strings.Contains(o.session.Text(o.session.Fields(wizard.Access)[0]), "hvs") {
		t.Error("a discarded secret is kept")
	}
	_ = o.session.Set(apiSecretField, "file:glpat-0123456789abcdefghij")
	o.send(nil)
	o.Hides(t, "glpat-").Shows(t, "this looks like a token of GitLab itself")
}
