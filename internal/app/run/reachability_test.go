package run

import (
	"testing"

	"exoshift/provisioner/handover"

	"al.essio.dev/pkg/shellescape"

	"exoshift/state"
)

func TestReachabilityError_NamesCommand(t *testing.T) {
	folder, err := state.OpenReadOnly(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	spec := state.Default()
	spec.Exoscale.Zone = "ch-gva-2"
	there := handover.Locations{Folder: folder.Path()}
	for want, s := range map[string]Run{
		"exoshift check --answers 'my answers.yaml'":                                    {Options: Options{Answers: "my answers.yaml"}, Locations: there},
		"exoshift check --answers " + shellescape.Quote(folder.Path(state.AnswersFile)): {Locations: there},
		"exoshift check --simulate --scenario cdn-blocked --answers a.yaml":             {Scenario: "cdn-blocked", Options: Options{Answers: "a.yaml"}},
		"exoshift check --simulate --scenario cdn-blocked --zone ch-gva-2":              {Scenario: "cdn-blocked", Locations: there, Temporary: true},
		"exoshift check --zone ch-gva-2":                                                {},
	} {
		s.Spec, s.Folder = spec, folder
		if got := s.formatCheckCommand(); got != want {
			t.Errorf("the command is %q, want %q", got, want)
		}
	}
}
