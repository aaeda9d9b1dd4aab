package main

import (
	"errors"
	"fmt"
	"os"

	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
)

// loadAnswers reads an answers file and the secrets it refers to. All faults are printed at once.
func loadAnswers(path string, std streams, lookup func(string) (string, bool)) (state.Spec, wizard.Secrets, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return state.Spec{}, wizard.Secrets{}, usageError{fmt.Errorf("read the answers: %w", err)}
	}
	return parseAnswers(path, content, std, lookup)
}

func parseAnswers(name string, content []byte, std streams, lookup func(string) (string, bool)) (state.Spec, wizard.Secrets, error) {
	spec, secrets, faults := wizard.Load(name, content, lookup)
	if len(faults) > 0 {
		console.Faults(std.err, faults)
		return spec, secrets, answersError{errors.New("the answers have faults")}
	}
	for _, warning := range wizard.Placed(name, content, wizard.Warnings(spec, secrets)) {
		fmt.Fprintln(std.err, "warning:", warning)
	}
	return spec, secrets, nil
}
