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

func TestSecret_IsNeverPrinted(t *testing.T) {
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

func TestSecret_AskedUntilFound(t *testing.T) {
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

func TestSecret_EarlyPullSecretPaste(t *testing.T) {
	talk := newTalk(t).settled(t).about("openshift.pullSecret")
	if outcome, err := talk.types(t.Context(), pullSecret, "1", "yes"); err != nil || !outcome.Confirmed || talk.kept["openshift.pullSecret"] != pullSecret {
		t.Errorf("%+v, %v, kept %q\n%s", outcome, err, talk.kept, talk.transcript.String())
	}
}

func TestSecret_RequiresStorage(t *testing.T) {
	talk := newTalk(t).settled(t).about("openshift.pullSecret")
	talk.SaveSecret = nil
	_, _ = talk.types(t.Context(), "3")
	talk.wants(t, "Type one of the numbers")
}

func TestSecret_LineEndingAfterwards(t *testing.T) {
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

func TestSecret_GivenAsItsSource(t *testing.T) {
	for _, secret := range []string{"EXO0123456789abcdef01234567", "hvs.CAESIJ0123456789abcdef", strings.Repeat("aB3_", 11)} {
		for _, before := range [][]string{{"1", secret}, {"2", secret}, {"3", secret}, {secret}, {"env:" + secret}} {
			talk := newTalk(t).settled(t).about("exoscale.apiKey")
			if _, err := talk.types(t.Context(), append(before, "2", ":quit")...); err != nil || len(talk.kept) > 0 {
				t.Errorf("%q, discarded: kept %q, %v", before, talk.kept, err)
			}
			talk.wants(t, "That is the secret itself")
			talk = newTalk(t).settled(t).about("exoscale.apiKey")
			if outcome, err := talk.types(t.Context(), append(before, "1", "yes")...); err != nil || !outcome.Confirmed || talk.kept["exoscale.apiKey"] != secret {
				t.Errorf("%q, kept: %q, %+v, %v\n%s", before, talk.kept, outcome, err, talk.transcript.String())
			}
		}
	}
}

func TestField_RefusesControlCharacters(t *testing.T) {
	talk := newTalk(t).settled(t).about("cluster.displayName")
	if _, err := talk.types(t.Context(), "\x1b[Ahello", "one\ttwo", "yes"); err != nil || talk.Answers.Spec.Cluster.DisplayName != "one two" {
		t.Errorf("the answer is %q, %v", talk.Answers.Spec.Cluster.DisplayName, err)
	}
	talk.wants(t, "control characters")
}
