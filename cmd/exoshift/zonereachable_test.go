package main

import (
	"bytes"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
)

func TestCheck_UnreachableZoneStartsNoMachine(t *testing.T) {
	var out, err bytes.Buffer
	code := execute(t.Context(), []string{
		"check", "--simulate", "--zone", "ch-gva-2", "--scenario", "proxy-auth", "--vantage", "zone", "--output", "short",
	}, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &err})
	if code != exit.Checks || !strings.Contains(out.String(), "one cause of ") {
		t.Errorf("exit code %d:\n%s", code, out.String())
	}
	text := err.String()
	if !strings.Contains(text, "no instance can be started from here: NET-EXO-001") || strings.Contains(text, "uploading the program") || strings.Contains(text, "bucket") {
		t.Error(text)
	}
}
