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

	"exoshift/internal/app/exit"
	"exoshift/internal/fileread"
	"exoshift/wizard"
)

// layers are the sources of answers, from the lowest to the highest precedence.
type layers struct {
	userConfig *wizard.Layer // the user's configuration
	answers    *wizard.Layer // the answers file
	variables  *wizard.Layer // the environment
	flags      wizard.Layer  // --set
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

func (l layers) list() []wizard.Layer {
	var all []wizard.Layer
	for _, layer := range []*wizard.Layer{l.userConfig, l.answers, l.variables, &l.flags} {
		if layer != nil {
			all = append(all, *layer)
		}
	}
	return all
}

// merge applies flags over the environment over the answers file over the user's configuration over the defaults.
func (l layers) merge() (*wizard.MergedAnswers, error) {
	const noKeyHoldsIt = "\x00" // so that keys are not split
	v := viper.NewWithOptions(viper.KeyDelimiter(noKeyHoldsIt))
	for _, file := range []*wizard.Layer{l.userConfig, l.answers} {
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
	given := map[string]wizard.Given{}
	for _, field := range wizard.Fields() {
		if l.variables != nil {
			if err := v.BindEnv(field.Key, field.Variable()); err != nil {
				return nil, fmt.Errorf("read the environment: %w", err)
			}
		}
		switch value := v.Get(field.Key).(type) {
		case wizard.Given:
			given[field.Key] = value
		case string:
			given[field.Key] = wizard.Given{Text: strings.TrimSpace(value), Source: field.Variable()}
		}
	}
	return wizard.MergeLayers(given, l.list()...), nil
}

func toMap(given map[string]wizard.Given) map[string]any {
	values := map[string]any{}
	for key, value := range given {
		values[key] = value
	}
	return values
}

func readUserConfig() (*wizard.Layer, error) {
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
	layer := wizard.ReadUsual(path, content)
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
