package tui

import (
	"cmp"
	"strings"

	"exoshift/state"
	"exoshift/wizard"
)

// wayOut returns the field whose answer has to change so that a check passes: one that the check names, or one that its
// words are about.
func wayOut(s wizard.CheckState, spec state.Spec) (wizard.Field, bool) {
	text := s.Text + "\n" + s.Hint
	if field, named := namedField(text, spec); named {
		return field, true
	}
	for _, clue := range clues(s.ID) {
		field, asked := askedField(clue.key, spec)
		if !asked {
			continue
		}
		if word := cmp.Or(clue.word, field.Get(spec)); word != "" && strings.Contains(text, word) {
			return field, true
		}
	}
	return wizard.Field{}, false
}

// namedField returns the field whose key a text holds; of keys that hold each other the longest.
func namedField(text string, spec state.Spec) (found wizard.Field, named bool) {
	for _, screen := range wizard.Screens() {
		for _, field := range screen.Fields(spec) {
			if len(field.Key) > len(found.Key) && strings.Contains(text, field.Key) {
				found, named = field, true
			}
		}
	}
	return found, named
}

func askedField(key string, spec state.Spec) (wizard.Field, bool) {
	for _, field := range wizard.ScreenOf(key).Fields(spec) {
		if field.Key == key {
			return field, true
		}
	}
	return wizard.Field{}, false
}

// clue tells that a check which uses a word, or the value of the field, is about the field.
type clue struct{ key, word string }

// clues returns what words mean in a check, by its ID.
func clues(check string) []clue {
	switch check {
	case "credentials", "permissions":
		return []clue{{key: "exoscale.apiKey", word: "key"}, {key: "exoscale.zone"}}
	case "openshift-install":
		return []clue{{key: "openshift.version"}}
	case "manifests":
		return []clue{{key: "openshift.manifestsDir"}, {key: "syn.catalogDir"}}
	case "offers":
		return []clue{
			{key: "exoscale.deployTarget"}, {key: "sizing.storage.type"}, {key: "sizing.loadBalancers.type"}, {key: "sizing.workers.type"},
			{key: "sizing.infra.type"}, {key: "sizing.controlPlane.type"}, {key: "sizing.bootstrap.type"},
		}
	case "quotas":
		return []clue{{key: "sizing.workers.count", word: "instance"}, {key: "sizing.workers.count", word: "cpu"}}
	}
	return nil
}
