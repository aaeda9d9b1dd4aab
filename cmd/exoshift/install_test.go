package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
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
