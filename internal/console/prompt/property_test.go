package prompt_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/console/prompt"
	"exoshift/internal/fault"
	"exoshift/wizard"
)

func TestPrompt_EOFAtAnyQuestion(t *testing.T) {
	lines := append([]string{"?", ":show"}, defaultCluster()...)
	for n := range lines {
		talk := newTalk(t)
		outcome, err := talk.types(t.Context(), lines[:n]...)
		if outcome.Confirmed || fault.KindOf(err) != fault.Cancelled {
			t.Errorf("after %d lines: %+v, %v", n, outcome, err)
		}
	}
}

func TestPrompt_EndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, typing := io.Pipe()
	t.Cleanup(func() { _ = typing.Close() })
	cancel()
	_, err := prompt.Run(ctx, prompt.Prompter{
		Open: func(context.Context, string) (*wizard.Interview, error) { return newTalk(t).Interview, nil },
		In:   prompt.NewLineReader(in), Out: io.Discard,
	})
	if fault.KindOf(err) != fault.Cancelled {
		t.Errorf("ended with %v", err)
	}
}

// reader asks for help at every question, and then accepts the default.
type reader struct {
	told    *bytes.Buffer
	answers map[string]string // by the beginnings of questions
	heard   string            // the question that was explained
}

func (r *reader) Read(p []byte) (int, error) {
	text := r.told.String()
	question := text[strings.LastIndex(text, "\n")+1:]
	r.told.WriteString("\n")
	if strings.HasPrefix(question, "Type yes") {
		return 0, io.EOF
	}
	for begin, answer := range r.answers {
		if strings.HasPrefix(question, begin) {
			return copy(p, answer+"\n"), nil
		}
	}
	if r.heard != question {
		r.heard = question
		return copy(p, "?\n"), nil
	}
	r.heard = ""
	return copy(p, "\n"), nil
}

// keysExplained returns the keys of the questions that were asked, without repetition.
func keysExplained(text string) []string {
	keys := map[string]bool{}
	for line := range strings.Lines(text) {
		if key, found := strings.CutPrefix(line, "Key in the answers file: "); found {
			keys[strings.TrimSuffix(strings.TrimSpace(key), ".")] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

func TestPrompt_AsksScreenQuestions(t *testing.T) {
	for seed := range uint64(12) {
		talk := newTalk(t).settled(t)
		decide := rand.New(rand.NewPCG(seed, 1))
		for _, answer := range [][2]string{
			{"syn.lieutenantURL", "https://api.syn.example.net"}, {"syn.tenant", "t-demo"}, {"loadBalancer.strategy", "dns-round-robin"},
			{"openshift.proxy.https", "http://proxy.example.net:3128"}, {"sizing.extraGroups", "name=gpu type=gpua30.small count=2 rootDisk=100"},
			{"openshift.distribution", "okd"}, {"sizing.workers.count", "7"},
		} {
			if decide.IntN(2) == 0 || answer[0] == "syn.tenant" {
				if err := talk.Answers.Set(answer[0], answer[1], wizard.Typed); err != nil {
					t.Fatal(err)
				}
			}
		}
		if talk.answer("openshift.distribution") == "okd" {
			if err := talk.Answers.Set("openshift.version", "4.20.0-okd-scos.11", wizard.Typed); err != nil {
				t.Fatal(err)
			}
		}
		var want []string
		for _, screen := range wizard.Screens() {
			for _, field := range screen.ListFields(talk.Answers.Spec) {
				want = append(want, field.Key)
			}
		}
		slices.Sort(want)
		_, _ = prompt.Run(t.Context(), prompt.Prompter{
			Open: func(context.Context, string) (*wizard.Interview, error) { return talk.Interview, nil },
			In:   prompt.NewLineReader(&reader{told: &talk.transcript, answers: map[string]string{"Change any": "yes"}}), Out: &talk.transcript,
		})
		if diff := cmp.Diff(want, keysExplained(talk.transcript.String())); diff != "" {
			t.Fatalf("seed %d (-asked on screens +asked in lines):\n%s\n%s", seed, diff, talk.transcript.String())
		}
	}
}

// FuzzPrompt passes arbitrary bytes as input.
func FuzzPrompt(f *testing.F) {
	f.Add([]byte(strings.Join(defaultCluster(), "\n")))
	f.Add([]byte("\x1b[2J\x00\n\xff\xfe\n<\n:next\n:screen 4\n:back\n2\nyes\n"))
	f.Add([]byte(":screen 3\nch-gva-2\n:next\nc-a\nexample.net\n\n:screen 3\nyes\n:screen 6\n4\n{\n\"a\": \x1b]0;x\x07\n\n"))
	f.Add([]byte(":screen -1\n:screen 99999999999999999999\n: \n:\n::1\n:show\n:export\n:list\n:empty\n:default\n"))
	f.Fuzz(func(t *testing.T, typed []byte) {
		talk := newTalk(t)
		outcome, err := prompt.Run(t.Context(), prompt.Prompter{
			Open: func(context.Context, string) (*wizard.Interview, error) { return talk.Interview, nil },
			In:   prompt.NewLineReader(bytes.NewReader(typed)), Out: &talk.transcript,
		})
		if outcome.Confirmed && !bytes.Contains(bytes.ToLower(typed), []byte("yes")) {
			t.Error("nobody said yes")
		}
		if !outcome.Confirmed && err != nil && fault.KindOf(err) != fault.Cancelled {
			t.Errorf("ended with %v", err)
		}
		if i := strings.IndexFunc(talk.transcript.String(), steers); i >= 0 {
			t.Errorf("%q is printed", talk.transcript.String()[max(0, i-40):i+1])
		}
	})
}

func TestPrompt_AnyLineLength(t *testing.T) {
	talk := newTalk(t).settled(t).about("cluster.displayName")
	outcome, err := talk.typesRaw(t.Context(), strings.Repeat("x", 3<<20)+"\nDemo\nyes\n")
	if err != nil || !outcome.Confirmed || talk.answer("cluster.displayName") != "Demo" {
		t.Errorf("%+v, %v", outcome, err)
	}
	talk.wants(t, "The line is too long and was discarded.")
}

func (t *talk) typesRaw(ctx context.Context, typed string) (prompt.Outcome, error) {
	return prompt.Run(ctx, prompt.Prompter{
		Open: func(context.Context, string) (*wizard.Interview, error) { return t.Interview, nil },
		In:   prompt.NewLineReader(strings.NewReader(typed)), Out: &t.transcript,
	})
}
