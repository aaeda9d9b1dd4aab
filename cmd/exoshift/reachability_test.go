package main

import (
	"testing"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/console"
	"exoshift/state"
)

func TestARefusalNamesTheCommandThatShowsTheSame(t *testing.T) {
	folder, err := state.OpenReadOnly(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	spec := exampleSpec(t)
	there := console.RunLocations{Folder: folder.Path()}
	for want, s := range map[string]session{
		"exoshift check --answers 'my answers.yaml'":                                    {options: options{answers: "my answers.yaml"}, locations: there},
		"exoshift check --answers " + shellescape.Quote(folder.Path(state.AnswersFile)): {locations: there},
		"exoshift check --simulate --scenario cdn-blocked --answers a.yaml":             {scenario: "cdn-blocked", options: options{answers: "a.yaml"}},
		"exoshift check --simulate --scenario cdn-blocked --zone ch-gva-2":              {scenario: "cdn-blocked", locations: there, temporary: true},
		"exoshift check --zone ch-gva-2":                                                {},
	} {
		s.spec, s.folder = spec, folder
		if got := s.formatCheckCommand(); got != want {
			t.Errorf("the command is %q, want %q", got, want)
		}
	}
}
