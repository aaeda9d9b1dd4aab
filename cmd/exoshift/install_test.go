package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
)

func TestReadLine_EOFIsNotYes(t *testing.T) {
	for input, want := range map[string]string{"y\n": "y", "y": "", "": ""} {
		if got, err := (cli.Streams{In: strings.NewReader(input)}).ReadLine(t.Context()); err != nil || got != want {
			t.Errorf("%q is read as %q, %v", input, got, err)
		}
	}
}

func TestReadLine_EndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, typing := io.Pipe()
	t.Cleanup(func() { _ = typing.Close() })
	if _, err := (cli.Streams{In: in}).ReadLine(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}
