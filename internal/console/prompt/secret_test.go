package prompt_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/console/prompt"
	"exoshift/wizard"
)

func TestASecretThatIsTypedIsNeverShown(t *testing.T) {
	talk := newTalk(t).settled(t).about("exoscale.apiKey", "openshift.pullSecret")
	pasted := strings.Replace(pullSecret, "{", "{\n\n  ", 1) // as formatted by an editor
	outcome, err := talk.types(t.Context(), "4", "  EXOtyped ", "3", strings.ReplaceAll(pasted, "\n\n", "\n"), "yes")
	if err != nil || !outcome.Confirmed {
		t.Errorf("%+v, %v", outcome, err)
	}
	if talk.kept["exoscale.apiKey"] != "EXOtyped" || !strings.Contains(talk.kept["openshift.pullSecret"], "quay.io") {
		t.Errorf("kept %q", talk.kept)
	}
	for _, secret := range []string{"EXOtyped", "dXNlcjpoaWRkZW4="} {
		if strings.Contains(talk.transcript.String(), secret) {
			t.Errorf("%s is shown:\n%s", secret, talk.transcript.String())
		}
	}
	talk.wants(t, "Pull secret: 4 registries: quay.io ok")
}

func TestASecretIsAskedForUntilItIsFound(t *testing.T) {
	talk := newTalk(t).settled(t).about("openshift.pullSecret")
	open := filepath.Join(t.TempDir(), "open.json")
	if err := os.WriteFile(open, []byte(pullSecret), 0o644); err != nil {
		t.Fatal(err)
	}
	outcome, err := talk.types(t.Context(),
		"hunter2",      // the secret itself where a number is wanted
		"1", "NO_SUCH", // a variable that is not set
		"2", "/nowhere", // a file that is not there
		"2", open, // a file that others can read
		"3", "", // empty input
		"2", "<", // back to the choice
		"env:PULL_SECRET", "yes")
	if err != nil || !outcome.Confirmed {
		t.Errorf("%+v, %v", outcome, err)
	}
	transcript := strings.ReplaceAll(talk.transcript.String(), shellescape.Quote(open), open) // the path may contain a space
	golden(t, "secret.golden", []byte(strings.ReplaceAll(transcript, filepath.Dir(open), "/dir")))
}

func TestAPullSecretPastedTooEarlyIsTaken(t *testing.T) {
	talk := newTalk(t).settled(t).about("openshift.pullSecret")
	if outcome, err := talk.types(t.Context(), pullSecret, "yes"); err != nil || !outcome.Confirmed || talk.kept["openshift.pullSecret"] != pullSecret {
		t.Errorf("%+v, %v, kept %q\n%s", outcome, err, talk.kept, talk.transcript.String())
	}
}

func TestWithoutAPlaceForThemSecretsAreNotTyped(t *testing.T) {
	talk := newTalk(t).settled(t).about("openshift.pullSecret")
	talk.SaveSecret = nil
	_, _ = talk.types(t.Context(), "3")
	talk.wants(t, "Type one of the numbers")
}

func TestAfterASecretTheTerminalEndsLinesInItsOtherWay(t *testing.T) {
	talk := newTalk(t).settled(t).about("openshift.pullSecret", "openshift.sshKey")
	outcome, err := prompt.Run(t.Context(), prompt.Prompter{
		Open: func(context.Context, string) (*wizard.Interview, error) { return talk.Interview, nil },
		In:   prompt.NewLineReader(strings.NewReader("3\n" + pullSecret + "\r" + "\n" + "yes\n")), Out: &talk.transcript,
		Hide: func() func() { return func() {} },
	})
	if err != nil || !outcome.Confirmed {
		t.Errorf("%+v, %v\n%s", outcome, err, talk.transcript.String())
	}
}
