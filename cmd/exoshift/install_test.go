package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"exoshift/provisioner"
)

func TestTheEndOfTheInputIsNoYes(t *testing.T) {
	for input, want := range map[string]string{"y\n": "y", "y": "", "": ""} {
		if got, err := (streams{in: strings.NewReader(input)}).readLine(t.Context()); err != nil || got != want {
			t.Errorf("%q is read as %q, %v", input, got, err)
		}
	}
}

func TestAQuestionEndsWithTheProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, typing := io.Pipe()
	t.Cleanup(func() { _ = typing.Close() })
	if _, err := (streams{in: in}).readLine(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestATornLineIsToldOnceItIsWhole(t *testing.T) {
	var seen []int
	tell := func(e provisioner.Event) { seen = append(seen, e.Seq) }
	rest, err := parseEvents(bufio.NewReader(strings.NewReader("{\"seq\":1}\n{\"se\n{\"seq\":2}\n{\"seq\"")), "", tell)
	if err != nil || rest != "{\"seq\"" {
		t.Fatalf("left %q, %v", rest, err)
	}
	if _, err := parseEvents(bufio.NewReader(strings.NewReader(":3}\n")), rest, tell); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 3 || seen[0] != 1 || seen[1] != 2 || seen[2] != 3 {
		t.Errorf("told %v", seen)
	}
}
