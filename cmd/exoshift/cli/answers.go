package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/layers"
	"exoshift/internal/console"
	"exoshift/wizard"
)

// addSetFlag adds --set, which gives single answers.
func addSetFlag(cmd *cobra.Command) {
	cmd.Flags().StringArray("set", nil, "set an answer, KEY=VALUE, e.g. network.podCIDR=10.0.0.0/14; can be repeated")
}

// ParseAssignments reads --set, if the command has it. It has no variable: each answer has its own.
func ParseAssignments(cmd *cobra.Command) ([]string, error) {
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

// LoadAnswers is for non-interactive runs: it prints all problems at once, or else all missing answers.
func (s Streams) LoadAnswers(given layers.Layers, lookup layers.LookupEnv) (layers.Loaded, error) {
	read, err := s.readAnswers(given, lookup)
	if err == nil {
		err = s.CheckComplete(read)
	}
	return read, err
}

// readAnswers prints all problems at once; missing answers are not an error here.
func (s Streams) readAnswers(given layers.Layers, lookup layers.LookupEnv) (layers.Loaded, error) {
	read, err := given.Load(lookup)
	if err != nil {
		return read, err
	}
	if len(read.Problems) > 0 {
		console.PrintProblems(s.Err, read.Problems)
		return read, exit.ErrAnswers
	}
	s.printWarnings(read.Warnings)
	return read, nil
}

func (s Streams) printWarnings(warnings []wizard.Problem) {
	for _, warning := range warnings {
		fmt.Fprintln(s.Err, "warning:", console.SanitizeLine(warning.String()))
	}
}

// CheckComplete prints the missing answers, and fails if there are any.
func (s Streams) CheckComplete(read layers.Loaded) error {
	if len(read.Missing) == 0 {
		return nil
	}
	console.PrintMissing(s.Err, read.Missing)
	return exit.WithCode(exit.Usage, errors.New("answers are missing: give each of them in one of the places above; on a terminal, exoshift install asks for them"))
}

// LoadAnswers reads the layers of the flags.
func (o Options) LoadAnswers(std Streams, lookup layers.LookupEnv) (layers.Loaded, error) {
	given, err := o.ReadLayers()
	if err != nil {
		return layers.Loaded{}, err
	}
	return std.LoadAnswers(given, lookup)
}

// ReadAnswers allows missing answers.
func (o Options) ReadAnswers(std Streams, lookup layers.LookupEnv) (layers.Loaded, error) {
	given, err := o.ReadLayers()
	if err != nil {
		return layers.Loaded{}, err
	}
	return std.readAnswers(given, lookup)
}

// ZoneKey is the key of the answer with the zone.
const ZoneKey = "exoscale.zone"
