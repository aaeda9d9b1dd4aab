package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exoshift/state"
	"exoshift/tui"
	"exoshift/wizard"
)

func TestWhoLeavesWhileAnInterviewIsOpenedLeavesNothingBehind(t *testing.T) {
	clusters := atHome(t)
	opening, left, opened := make(chan struct{}), make(chan struct{}), make(chan struct{})
	d := &desk{
		std: streams{out: new(bytes.Buffer)},
		opening: func(ctx context.Context) (*conversation, error) {
			close(opening)
			<-left
			return realConversation(ctx, options{})
		},
		hold: func(ctx context.Context, w tui.Wizard) (tui.Outcome, error) {
			go func() {
				defer close(opened)
				_, _ = w.Open(ctx, "")
			}()
			<-opening
			defer close(left)
			return tui.Outcome{}, nil
		},
	}
	if err := d.sit(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-opened
	if drafts, err := os.ReadDir(filepath.Join(clusters, ".drafts")); err != nil || len(drafts) > 0 {
		t.Errorf("left %v, %v", drafts, err)
	}
	if _, err := d.begin(t.Context(), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("another interview was opened: %v", err)
	}
}

func TestTheDraftOfAFolderIsNotWrittenOver(t *testing.T) {
	atHome(t)
	dir := filepath.Join(t.TempDir(), "my cluster")
	o := options{dir: dir}
	c, err := realConversation(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.answers.Set("cluster.id", "c-draft", wizard.Typed), c.save(c.answers), c.leave()); err != nil {
		t.Fatal(err)
	}
	if got := titles(t, o); len(got) != 4 || !strings.HasPrefix(got[0], "draft: ") || slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "new") }) {
		t.Errorf("offered %q", got)
	}
	if _, err := realConversation(t.Context(), o); exitCode(err) != exitUsage || !strings.Contains(err.Error(), "--dir '"+dir+"'") {
		t.Errorf("begun anew with %v", err)
	}
	all, err := beginnings(o, streams{})
	if err != nil {
		t.Fatal(err)
	}
	check := slices.IndexFunc(all, func(b beginning) bool { return b.ID == "check" })
	if c, err = all[check].interview(t.Context()); err != nil || !c.checkOnly || c.answers.Spec.Cluster.ID != "c-draft" {
		t.Fatalf("checks %+v, %v", c, err)
	}
	if resume := c.resume(); resume != "exoshift install --dir '"+dir+"'" {
		t.Errorf("goes on with %s", resume)
	}
	if err := c.leave(); err != nil {
		t.Error(err)
	}
}

func TestAnInterviewDoesNotChangeWhatAClusterIsBuiltOn(t *testing.T) {
	clusters := atHome(t)
	begun(t, filepath.Join(clusters, "c-demo-1"), state.Facts{ClusterID: "c-demo-1"})
	folder, err := state.Open(filepath.Join(clusters, "c-demo-1"))
	if err != nil {
		t.Fatal(err)
	}
	before, err := folder.Read(state.AnswersFile)
	if err := errors.Join(err, folder.Write(state.JournalFile, []byte(`{"kind":"ssh-key","name":"c-demo-1-admin"}`+"\n"))); err != nil {
		t.Fatal(err)
	}
	c, err := realConversation(t.Context(), options{output: outputPlain})
	if err != nil {
		t.Fatal(err)
	}
	c.lookup, c.answers.Spec = rehearsalSecrets, exampleSpec(t)
	c.answers.Spec.Network.PodCIDR = "10.64.0.0/14"
	stopped, stop := context.WithCancel(t.Context())
	stop() // it must not come as far as the network
	var said bytes.Buffer
	err = c.carryOut(stopped, streams{out: &said, err: &said})
	if exitCode(err) != exitAnswers || !strings.Contains(said.String(), "network.podCIDR") {
		t.Errorf("ended with %v and said %s", err, said.String())
	}
	if after, err := folder.Read(state.AnswersFile); err != nil || !bytes.Equal(before, after) {
		t.Errorf("other answers are in force now: %v", err)
	}
	if err := c.leave(); err != nil {
		t.Error(err)
	}
}

func TestWhatIsInTheFolderOfADraftStaysThere(t *testing.T) {
	atHome(t)
	dir := filepath.Join(t.TempDir(), "[my] cluster")
	c, err := realConversation(t.Context(), options{dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	own, left := filepath.Join(dir, "check-list"), filepath.Join(dir, checkPrefix+"123")
	for _, name := range []string{own, left} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.leave(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(own); err != nil {
		t.Errorf("somebody's own is gone: %v", err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what a check has left is still there: %v", err)
	}
}

func TestAnswersOfARehearsalAreKeptWhereverItsFolderIs(t *testing.T) {
	atHome(t)
	t.Setenv("TMPDIR", t.TempDir())
	var out bytes.Buffer
	d := &desk{
		std: streams{out: &out},
		opening: func(ctx context.Context) (*conversation, error) {
			return rehearsalConversation(ctx, rehearsal{speed: 600, scenario: "quota"})
		},
		hold: func(ctx context.Context, w tui.Wizard) (tui.Outcome, error) {
			interview, err := w.Open(ctx, "")
			if err != nil {
				return tui.Outcome{}, err
			}
			return tui.Outcome{}, errors.Join(interview.Answers.Set("cluster.id", "c-kept", wizard.Typed), interview.Save(interview.Answers))
		},
	}
	if err := d.sit(t.Context()); err != nil {
		t.Fatal(err)
	}
	command, found := strings.CutPrefix(lastLine(out.String()), "exoshift rehearse --interactive --speed 600 --scenario quota --dir ")
	if !found {
		t.Fatalf("told is %q", out.String())
	}
	again, err := rehearsalConversation(t.Context(), rehearsal{options: options{dir: command}})
	if err != nil || again.answers.Spec.Cluster.ID != "c-kept" {
		t.Fatalf("it does not go on: %v", err)
	}
	if err := again.leave(); err != nil {
		t.Error(err)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
