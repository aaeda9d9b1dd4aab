package cli

import "github.com/spf13/pflag"

// scenarioFlag is the value of --scenario. A flag that is given again adds to the ones before.
type scenarioFlag struct {
	names *string
	given bool
}

// AddScenarioFlag adds --scenario with a default; what is given replaces it.
func AddScenarioFlag(flags *pflag.FlagSet, names *string, value, usage string) {
	*names = value
	flags.Var(&scenarioFlag{names: names}, "scenario", usage)
}

func (f *scenarioFlag) String() string {
	if f.names == nil {
		return "" // of the zero value, by which help recognizes a default
	}
	return *f.names
}

func (f *scenarioFlag) Type() string { return "string" }

// Set adds names, which may be several with commas.
func (f *scenarioFlag) Set(names string) error {
	if f.given {
		names = *f.names + "," + names
	}
	*f.names, f.given = names, true
	return nil
}
