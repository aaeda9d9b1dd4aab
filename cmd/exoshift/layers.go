package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"exoshift/assets"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/fileread"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

// layers are the sources of answers, from the lowest to the highest precedence.
type layers struct {
	userConfig *answersfile.Layer // the user's configuration
	answers    *answersfile.Layer // the answers file
	variables  *answersfile.Layer // the environment
	flags      answersfile.Layer  // --set
}

func setFlag(cmd *cobra.Command) {
	cmd.Flags().StringArray("set", nil, "give one answer, KEY=VALUE, e.g. network.podCIDR=10.0.0.0/14; may be repeated")
}

// parseAssignments reads --set, if the command has it. It has no variable: each answer has its own.
func parseAssignments(cmd *cobra.Command) ([]string, error) {
	if cmd.Flags().Lookup("set") == nil {
		return nil, nil
	}
	set, err := cmd.Flags().GetStringArray("set")
	if err != nil {
		return nil, fmt.Errorf("read the flags: %w", err)
	}
	if catalog := cmd.Flags().Lookup(catalogName); catalog != nil && catalog.Changed {
		path, err := toAbsolutePath(catalog.Value.String())
		if err != nil {
			return nil, err
		}
		set = append(set, "syn.catalogDir="+path)
	}
	return set, nil
}

const catalogName = "catalog-dir"

func (l layers) list() []answersfile.Layer {
	var all []answersfile.Layer
	for _, layer := range []*answersfile.Layer{l.userConfig, l.answers, l.variables, &l.flags} {
		if layer != nil {
			all = append(all, *layer)
		}
	}
	return all
}

// merge applies flags over the environment over the answers file over the user's configuration over the defaults.
func (l layers) merge() (*answersfile.MergedAnswers, error) {
	const noKeyHoldsIt = "\x00" // so that keys are not split
	v := viper.NewWithOptions(viper.KeyDelimiter(noKeyHoldsIt))
	for _, file := range []*answersfile.Layer{l.userConfig, l.answers} {
		if file == nil {
			continue
		}
		if err := v.MergeConfigMap(toMap(file.Given)); err != nil {
			return nil, fmt.Errorf("read the answers: %w", err)
		}
	}
	for key, given := range l.flags.Given {
		v.Set(key, given)
	}
	given := map[string]answersfile.Given{}
	for _, field := range wizard.Fields() {
		if l.variables != nil {
			if err := v.BindEnv(field.Key, field.Variable()); err != nil {
				return nil, fmt.Errorf("read the environment: %w", err)
			}
		}
		switch value := v.Get(field.Key).(type) {
		case answersfile.Given:
			given[field.Key] = value
		case string:
			given[field.Key] = answersfile.Given{Text: strings.TrimSpace(value), Source: field.Variable()}
		}
	}
	return answersfile.MergeLayers(given, l.list()...), nil
}

func toMap(given map[string]answersfile.Given) map[string]any {
	values := map[string]any{}
	for key, value := range given {
		values[key] = value
	}
	return values
}

func readUserConfig() (*answersfile.Layer, error) {
	path, ok := findConfigPath()
	if !ok {
		return nil, nil
	}
	content, err := fileread.Bytes(path, fileread.Small)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("read your configuration: %w", err))
	}
	layer := answersfile.ReadUsual(path, content)
	return &layer, nil
}

// findConfigPath is $XDG_CONFIG_HOME/exoshift/config.yaml, by default ~/.config/exoshift/config.yaml.
func findConfigPath() (path string, ok bool) {
	base := os.Getenv("XDG_CONFIG_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", false
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, "exoshift", "config.yaml"), true
}

func listVariableNames() []string {
	var names []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	return names
}

type loaded struct {
	answers *wizard.Answers
	secrets wizard.Secrets
	ask     []string                    // keys that are asked although they have answers
	needs   []answersfile.MissingAnswer // missing answers
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
	l := layers{userConfig: usual, variables: new(answersfile.ReadVariables(environment.LookupEnv)), flags: answersfile.ReadFlags(o.set)}
	if name != "" {
		l.answers = new(answersfile.ReadAnswers(name, content))
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
	read := loaded{answers: all.Answers, secrets: secrets, ask: all.Ask, needs: answersfile.FindMissing(spec, all.Ask, lookup)}
	if faults := all.Problems(); !all.IsOnlyMissing(read.needs) {
		console.PrintProblems(std.err, faults)
		return read, exit.ErrAnswers
	}
	printWarnings(std, append(all.WithPositions(local.CheckWarnings(spec, secrets)), answersfile.CheckVariables(spec, listVariableNames())...))
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
	return layers{answers: new(answersfile.ReadAnswers(path, content)), flags: answersfile.ReadFlags(o.set)}.loadAll(std, lookup)
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
