package main

import (
	"errors"
	"fmt"

	"exoshift/assets"
	"exoshift/internal/console"
	"exoshift/internal/fileread"
	"exoshift/wizard"
)

// loaded are the answers of all layers, with what they lead to.
type loaded struct {
	answers *wizard.Answers
	secrets wizard.Secrets
	ask     []string               // keys that are asked although there are answers
	needs   []wizard.MissingAnswer // what nobody has answered yet
}

// loadAnswers reads the answers of all layers and the secrets they refer to, for a run that asks nobody: all faults
// are printed at once, or else all that is missing. lookup finds the variables of secrets.
func (o options) loadAnswers(std streams, lookup func(env string) (string, bool)) (loaded, error) {
	layers, err := o.readLayers()
	if err != nil {
		return loaded{}, err
	}
	return layers.loadAll(std, lookup)
}

// readAnswers is loadAnswers for a run that can ask for what is missing.
func (o options) readAnswers(std streams, lookup func(env string) (string, bool)) (loaded, error) {
	layers, err := o.readLayers()
	if err != nil {
		return loaded{}, err
	}
	return layers.load(std, lookup)
}

// readLayers reads all layers. Without an answers file the others may be enough.
func (o options) readLayers() (layers, error) {
	var content []byte
	if o.answers != "" {
		var err error
		if content, err = fileread.Bytes(o.answers, fileread.Small); err != nil {
			return layers{}, usageError{fmt.Errorf("read the answers: %w", err)}
		}
	}
	return o.buildLayers(o.answers, content)
}

// buildLayers are the layers around an answers file that has been read; it has no name if there is none.
func (o options) buildLayers(name string, content []byte) (layers, error) {
	usual, err := readUserConfig()
	if err != nil {
		return layers{}, err
	}
	l := layers{userConfig: usual, variables: new(wizard.ReadVariables(lookupEnv)), flags: wizard.ReadFlags(o.set)}
	if name != "" {
		l.answers = new(wizard.ReadAnswers(name, content))
	}
	return l, nil
}

// load assembles the layers. What is wrong is printed at once; what is only missing is no error here.
func (l layers) load(std streams, lookup func(env string) (string, bool)) (loaded, error) {
	all, err := l.merge()
	if err != nil {
		return loaded{}, err
	}
	secrets := all.Resolve(lookup)
	spec := all.Answers.Spec
	read := loaded{answers: all.Answers, secrets: secrets, ask: all.Ask, needs: wizard.FindMissing(spec, all.Ask, lookup)}
	if faults := all.Problems(); !all.IsOnlyMissing(read.needs) {
		console.PrintProblems(std.err, faults)
		return read, answersError{errors.New("the answers have faults")}
	}
	printWarnings(std, append(all.WithPositions(wizard.CheckWarnings(spec, secrets)), wizard.CheckVariables(spec, listVariableNames())...))
	return read, nil
}

func printWarnings(std streams, warnings []wizard.Problem) {
	for _, warning := range warnings {
		fmt.Fprintln(std.err, "warning:", console.SanitizeLine(warning.String()))
	}
}

// loadAll is load for a run that asks nobody.
func (l layers) loadAll(std streams, lookup func(env string) (string, bool)) (loaded, error) {
	read, err := l.load(std, lookup)
	if err == nil {
		err = read.complete(std)
	}
	return read, err
}

// complete wants every answer there, and lists what is missing.
func (l loaded) complete(std streams) error {
	if len(l.needs) == 0 {
		return nil
	}
	console.PrintMissing(std.err, l.needs)
	return usageError{errors.New("there are no answers for these: give an answers file with --answers FILE; on a terminal, exoshift install asks for them")}
}

// reloadAnswers reads answers that are in force, with --set over them; what lies under a file was put into it.
func (o options) reloadAnswers(path string, std streams, lookup func(env string) (string, bool)) (loaded, error) {
	content, err := fileread.Bytes(path, fileread.Small)
	if err != nil {
		return loaded{}, usageError{fmt.Errorf("read the answers: %w", err)}
	}
	return layers{answers: new(wizard.ReadAnswers(path, content)), flags: wizard.ReadFlags(o.set)}.loadAll(std, lookup)
}

// loadExample reads the answers that are shipped, as if they were given in a file.
func (o options) loadExample(std streams, lookup func(env string) (string, bool)) (loaded, error) {
	content, err := assets.ReadExample()
	if err != nil {
		return loaded{}, err
	}
	l, err := o.buildLayers(exampleName, content)
	if err != nil {
		return loaded{}, err
	}
	return l.loadAll(std, lookup)
}

// exampleName is what faults and origins call the answers that are shipped.
const exampleName = "example"
