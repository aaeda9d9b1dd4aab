package main

import (
	"errors"
	"fmt"

	"exoshift/assets"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/fileread"
	"exoshift/wizard"
)

type loaded struct {
	answers *wizard.Answers
	secrets wizard.Secrets
	ask     []string               // keys that are asked although they have answers
	needs   []wizard.MissingAnswer // missing answers
}

// loadAnswers is for non-interactive runs: it prints all problems at once, or else all missing answers. lookup resolves the
// variables of secrets.
func (o options) loadAnswers(std streams, lookup func(env string) (string, bool)) (loaded, error) {
	layers, err := o.readLayers()
	if err != nil {
		return loaded{}, err
	}
	return layers.loadAll(std, lookup)
}

func (o options) readAnswers(std streams, lookup func(env string) (string, bool)) (loaded, error) {
	layers, err := o.readLayers()
	if err != nil {
		return loaded{}, err
	}
	return layers.load(std, lookup)
}

// readLayers allows a missing answers file: the other layers may be sufficient.
func (o options) readLayers() (layers, error) {
	var content []byte
	if o.answers != "" {
		var err error
		if content, err = fileread.Bytes(o.answers, fileread.Small); err != nil {
			return layers{}, exit.WithCode(exit.Usage, fmt.Errorf("read the answers: %w", err))
		}
	}
	return o.buildLayers(o.answers, content)
}

// buildLayers expects the content of the answers file; name is "" without one.
func (o options) buildLayers(name string, content []byte) (layers, error) {
	usual, err := readUserConfig()
	if err != nil {
		return layers{}, err
	}
	l := layers{userConfig: usual, variables: new(wizard.ReadVariables(environment.LookupEnv)), flags: wizard.ReadFlags(o.set)}
	if name != "" {
		l.answers = new(wizard.ReadAnswers(name, content))
	}
	return l, nil
}

// load prints all problems at once; missing answers are not an error here.
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
		return read, exit.ErrAnswers
	}
	printWarnings(std, append(all.WithPositions(wizard.CheckWarnings(spec, secrets)), wizard.CheckVariables(spec, listVariableNames())...))
	return read, nil
}

func printWarnings(std streams, warnings []wizard.Problem) {
	for _, warning := range warnings {
		fmt.Fprintln(std.err, "warning:", console.SanitizeLine(warning.String()))
	}
}

func (l layers) loadAll(std streams, lookup func(env string) (string, bool)) (loaded, error) {
	read, err := l.load(std, lookup)
	if err == nil {
		err = read.complete(std)
	}
	return read, err
}

func (l loaded) complete(std streams) error {
	if len(l.needs) == 0 {
		return nil
	}
	console.PrintMissing(std.err, l.needs)
	return exit.WithCode(exit.Usage, errors.New("there are no answers for these: give an answers file with --answers FILE; on a terminal, exoshift install asks for them"))
}

// reloadAnswers reads the merged answers of a folder, with --set over them; they already contain the layers below.
func (o options) reloadAnswers(path string, std streams, lookup func(env string) (string, bool)) (loaded, error) {
	content, err := fileread.Bytes(path, fileread.Small)
	if err != nil {
		return loaded{}, exit.WithCode(exit.Usage, fmt.Errorf("read the answers: %w", err))
	}
	return layers{answers: new(wizard.ReadAnswers(path, content)), flags: wizard.ReadFlags(o.set)}.loadAll(std, lookup)
}

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

const exampleName = "example"
