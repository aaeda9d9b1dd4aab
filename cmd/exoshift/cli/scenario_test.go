package cli

import (
	"testing"

	"github.com/spf13/pflag"
)

func TestScenarioFlag_TwiceIsBoth(t *testing.T) {
	for want, args := range map[string][]string{
		"happy": nil, "a": {"--scenario", "a"}, "a,b": {"--scenario=a", "--scenario", "b"}, "a,b,c": {"--scenario=a,b", "--scenario", "c"},
	} {
		var names string
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		AddScenarioFlag(flags, &names, "happy", "what goes wrong")
		if err := flags.Parse(args); err != nil || names != want {
			t.Errorf("%v: %q, %v, want %q", args, names, err, want)
		}
	}
}
