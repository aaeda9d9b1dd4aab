// Package layers reads the answers of a verb from all of their sources, and merges them by precedence.
package layers

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/viper"

	"exoshift/assets"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/fileread"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

// Layers are the sources of answers, from the lowest to the highest precedence.
type Layers struct {
	InForce    *answersfile.Layer // of the cluster, if it was begun
	UserConfig *answersfile.Layer // the user's configuration
	Answers    *answersfile.Layer // the answers file
	Variables  *answersfile.Layer // the environment
	Flags      answersfile.Layer  // --set
}

func (l Layers) list() []answersfile.Layer {
	var all []answersfile.Layer
	for _, layer := range []*answersfile.Layer{l.InForce, l.UserConfig, l.Answers, l.Variables, &l.Flags} {
		if layer != nil {
			all = append(all, *layer)
		}
	}
	return all
}

// Merge applies flags over the environment over the answers file over the user's configuration over the answers in force over the
// defaults.
func (l Layers) Merge() (*answersfile.MergedAnswers, error) {
	const noKeyHoldsIt = "\x00" // so that keys are not split
	v := viper.NewWithOptions(viper.KeyDelimiter(noKeyHoldsIt))
	for _, file := range []*answersfile.Layer{l.InForce, l.UserConfig, l.Answers} {
		if file == nil {
			continue
		}
		if err := v.MergeConfigMap(toMap(file.Given)); err != nil {
			return nil, fmt.Errorf("read the answers: %w", err)
		}
	}
	for key, given := range l.Flags.Given {
		v.Set(key, given)
	}
	given := map[string]answersfile.Given{}
	for _, field := range wizard.Fields() {
		if l.Variables != nil {
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

// WithInForce returns the layers over the answers in force of the cluster that they are about, in the folder dir; "" is the cluster's
// usual one. A cluster that was not begun has none: before that, every answer may change.
func (l Layers) WithInForce(dir string) (Layers, error) {
	all, err := l.Merge()
	if err != nil {
		return l, err
	}
	id := all.Answers.Spec.Cluster.ID
	if id == "" {
		return l, nil
	}
	if dir == "" {
		if dir, err = state.DefaultPath(id); err != nil {
			return l, nil //nolint:nilerr // without a home there is no usual folder, which is reported where one is needed
		}
	}
	folder, err := state.Open(dir)
	if err != nil {
		return l, nil //nolint:nilerr // there is no installation in it
	}
	begun, err := folder.HasChanges()
	if err != nil || !begun {
		return l, err
	}
	content, err := folder.Read(state.AnswersFile)
	if err != nil {
		return l, fmt.Errorf("read the answers in force: %w", err)
	}
	before := answersfile.ReadInForce(content)
	if before.Given["cluster.id"].Text == id { // otherwise the folder is refused
		l.InForce = &before
	}
	return l, nil
}

func toMap(given map[string]answersfile.Given) map[string]any {
	values := map[string]any{}
	for key, value := range given {
		values[key] = value
	}
	return values
}

func readUserConfig() (*answersfile.Layer, error) {
	path, content, err := readConfigFile()
	if content == nil {
		return nil, err
	}
	layer := answersfile.ReadUsual(path, content)
	return &layer, nil
}

// readConfigFile returns nil if there is none.
func readConfigFile() (path string, content []byte, err error) {
	path, ok := findConfigPath()
	if !ok {
		return "", nil, nil
	}
	content, err = fileread.Bytes(path, fileread.Small)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, nil
	}
	if err != nil {
		return path, nil, exit.WithCode(exit.Usage, fmt.Errorf("read your configuration: %w", err))
	}
	return path, content, nil
}

// ReadStateAddress returns where the user's configuration says that the folders of clusters are kept; "" if it does not say so.
func ReadStateAddress() (string, error) {
	path, content, err := readConfigFile()
	if err != nil {
		return "", err
	}
	v := viper.New()
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(content)); err != nil {
		return "", exit.WithCode(exit.Usage, fmt.Errorf("read your configuration %s: %w", path, err))
	}
	switch address := v.Get("state").(type) {
	case nil:
		return "", nil
	case string:
		return address, nil
	}
	return "", exit.WithCode(exit.Usage, fmt.Errorf("%s: state is a folder or an address, as of --state", path))
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

// ListVariableNames returns the names of all environment variables.
func ListVariableNames() []string {
	var names []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	return names
}

// Loaded are merged answers and what is known of them.
type Loaded struct {
	Answers  *wizard.Answers
	Secrets  wizard.Secrets
	ask      []string                    // keys that are asked although they have answers
	Missing  []answersfile.MissingAnswer // missing answers
	Problems []wizard.Problem            // others than missing answers; the rest is unknown then
	Warnings []wizard.Problem
}

// LookupEnv resolves the variables of secrets.
type LookupEnv = func(env string) (string, bool)

// Load reads all layers. Problems and missing answers are no error here.
func (l Layers) Load(lookup LookupEnv) (Loaded, error) {
	all, err := l.Merge()
	if err != nil {
		return Loaded{}, err
	}
	secrets := all.Resolve(lookup)
	spec := all.Answers.Spec
	read := Loaded{Answers: all.Answers, Secrets: secrets, ask: all.Ask, Missing: answersfile.FindMissing(spec, all.Ask, lookup)}
	if !all.IsOnlyMissing(read.Missing) {
		read.Problems = all.Problems()
		return read, nil
	}
	read.Warnings = append(all.WithPositions(local.CheckWarnings(spec, secrets)), answersfile.CheckVariables(spec, ListVariableNames())...)
	return read, nil
}

// IsFromExample reports whether an answer is that of the shipped example.
func (l Loaded) IsFromExample(key string) bool {
	return strings.HasPrefix(l.Answers.Origin(key), exampleName+":")
}

// Read reads the layers of an answers file and of assignments KEY=VALUE. The file may be missing, as "": the other
// layers may be sufficient.
func Read(path string, set []string) (Layers, error) {
	var content []byte
	if path != "" {
		var err error
		if content, err = fileread.Bytes(path, fileread.Small); err != nil {
			return Layers{}, exit.WithCode(exit.Usage, fmt.Errorf("read the answers: %w", err))
		}
	}
	return build(path, content, set)
}

// ReadExample has the shipped example in the place of an answers file.
func ReadExample(set []string) (Layers, error) {
	content, err := assets.ReadExample()
	if err != nil {
		return Layers{}, err
	}
	return build(exampleName, content, set)
}

const exampleName = "example"

// ReadFolder reads the merged answers of a folder, with assignments over them; they already contain the layers below.
func ReadFolder(path string, set []string) (Layers, error) {
	content, err := fileread.Bytes(path, fileread.Small)
	if err != nil {
		return Layers{}, exit.WithCode(exit.Usage, fmt.Errorf("read the answers: %w", err))
	}
	return Layers{Answers: new(answersfile.ReadAnswers(path, content)), Flags: answersfile.ReadFlags(set)}, nil
}

// build expects the content of the answers file; name is "" without one.
func build(name string, content []byte, set []string) (Layers, error) {
	usual, err := readUserConfig()
	if err != nil {
		return Layers{}, err
	}
	l := Layers{UserConfig: usual, Variables: new(answersfile.ReadVariables(environment.LookupEnv)), Flags: answersfile.ReadFlags(set)}
	if name != "" {
		l.Answers = new(answersfile.ReadAnswers(name, content))
	}
	return l, nil
}
