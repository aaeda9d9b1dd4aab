package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/run"
	"exoshift/internal/console/prompt"
	"exoshift/state"
)

// chatter repeats prompts without an end; begun is closed at the first one.
type chatter struct {
	begun chan struct{}
	once  sync.Once
}

func (c *chatter) Read(p []byte) (int, error) {
	c.once.Do(func() { close(c.begun) })
	return copy(p, "s\n"), nil
}

func TestSpokenRenderer_SilentAfterRun(t *testing.T) {
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	asking := &chatter{begun: make(chan struct{})}
	std := cli.Streams{Out: &out, Lines: prompt.NewLineReader(asking)}
	face := cli.Display{Std: std}.NewSpokenRenderer(t.Context(), run.View{Folder: folder, Spec: exampleSpec(t)})
	if err := face.RunWith(func() { <-asking.begun }); err != nil {
		t.Fatal(err)
	}
	before := out.Len()
	for range 1000 {
		out.WriteString("\n") // the race detector reports concurrent writers
	}
	if text := out.String()[before:]; strings.Trim(text, "\n") != "" {
		t.Errorf("told after the run: %q", text)
	}
}
