package prompt_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/console/prompt"
)

func TestLineReader_LineEndings(t *testing.T) {
	for typed, want := range map[string][]string{
		"a\nb\n":             {"a", "b"},
		"a\r\nb\r\n":         {"a", "b"},
		"a\rb\r":             {"a", "b"},
		"\n\r\r\n\n":         {"", "", "", ""},
		"a\nhalf a li":       {"a"},
		"ab\x7fc\n":          {"ac"},
		"aä\x08\x08\x08b\n":  {"b"},
		"secret\x15x\n":      {"x"},
		"a\x04b\n\x04more\n": {"a\x04b"},
		"\xff\n":             {"\uFFFD"},
	} {
		lines, got := prompt.NewLineReader(strings.NewReader(typed)), []string(nil)
		for {
			line, err := lines.Next(t.Context())
			if err != nil {
				if !errors.Is(err, prompt.ErrEnded) {
					t.Errorf("%q ends with %v", typed, err)
				}
				break
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", typed, diff)
		}
	}
}

func TestLineReader_KeepsUnreadLine(t *testing.T) {
	in, typing := io.Pipe()
	lines := prompt.NewLineReader(in)
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan error)
	go func() {
		_, err := lines.Next(ctx)
		cancelled <- err
	}()
	cancel()
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Fatalf("ended with %v", err)
	}
	go func() { _, _ = io.WriteString(typing, "later\n") }()
	if line, err := lines.Next(t.Context()); err != nil || line != "later" {
		t.Errorf("%q, %v", line, err)
	}
}

func TestLineReader_CtrlCCharacter(t *testing.T) {
	if _, err := prompt.NewLineReader(strings.NewReader("sec\x03")).Next(t.Context()); !errors.Is(err, prompt.ErrInterrupted) {
		t.Errorf("ended with %v", err)
	}
}
