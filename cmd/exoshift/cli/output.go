package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/provisioner"
)

type output string

// The outputs of verbs.
const (
	// OutputAuto is the screens on a terminal, and plain lines elsewhere.
	OutputAuto  output = "auto"
	OutputTUI   output = "tui"
	OutputPlain output = "plain"
	OutputJSON  output = "json"
	// OutputTable is of verbs whose plain lines are a table.
	OutputTable output = "table"
	// OutputMarkdown is for verbs whose output is a comment of a merge request.
	OutputMarkdown output = "markdown"
)

// outputFlag is the value of --output: one of the outputs of a verb.
type outputFlag struct {
	value  string
	listed []output
}

// AddOutputFlag lists the outputs of a verb. The first one is the default.
func AddOutputFlag(cmd *cobra.Command, usage string, listed ...output) {
	flag := &outputFlag{value: string(listed[0]), listed: listed}
	cmd.Flags().VarP(flag, "output", "o", usage+": "+flag.listOutputs())
}

func (f *outputFlag) String() string { return f.value }

// Set accepts any text: bindOutput refuses it, as it does a text of the environment.
func (f *outputFlag) Set(text string) error {
	f.value = text
	return nil
}

// Choices are the outputs of the verb, for completion.
func (f *outputFlag) Choices() []string {
	var words []string
	for _, one := range f.listed {
		words = append(words, string(one))
	}
	return words
}

// Type is for the help text.
func (f *outputFlag) Type() string { return "string" }

func (f *outputFlag) listOutputs() string {
	words := f.Choices()
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// bindOutput returns the output of a verb: plain lines if it has no choice. As EXOSHIFT_OUTPUT applies to every verb, auto and
// tui are accepted by all that have a choice, and lines are what a verb without screens has for them.
func bindOutput(cmd *cobra.Command, layers *viper.Viper, std Streams) (output, error) {
	wanted := OutputPlain
	if flag := cmd.Flags().Lookup("output"); flag != nil {
		wanted = output(layers.GetString("output"))
		known := []output{OutputAuto, OutputTUI, OutputPlain, OutputJSON}
		if choice, is := flag.Value.(*outputFlag); is && !slices.Contains(known, wanted) && !slices.Contains(choice.listed, wanted) {
			return "", exit.WithCode(exit.Usage, fmt.Errorf("--output %s: must be %s", wanted, choice.listOutputs()))
		}
	}
	return wanted.resolveAccessible(layers.GetBool(accessibleName), cmd, std)
}

// resolve expects a known output.
func (o output) resolve(std Streams) (output, error) {
	switch o {
	case OutputAuto:
		if std.IsTerminal() {
			return OutputTUI, nil
		}
		return OutputPlain, nil
	case OutputTUI:
		if !std.IsTerminal() {
			return "", exit.WithCode(exit.Usage, fmt.Errorf("--output tui needs a terminal; use plain or json"))
		}
	}
	return o, nil
}

func (o output) IsJSON() bool { return o == OutputJSON }

// OutputAccessible is the output of --accessible: line-by-line prompts, and a sentence for each change.
const OutputAccessible output = "accessible"

const accessibleName = "accessible"

// AddAccessibleFlag adds --accessible.
func AddAccessibleFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(accessibleName, false, "plain lines instead of screens, for screen readers and simple terminals (or EXOSHIFT_ACCESSIBLE=1)")
}

// resolveAccessible also selects plain lines for a terminal that supports nothing else.
func (o output) resolveAccessible(asked bool, cmd *cobra.Command, std Streams) (output, error) {
	supports := cmd.Flags().Lookup(accessibleName) != nil
	switch {
	case supports && asked && o == OutputTUI:
		return "", exit.WithCode(exit.Usage, fmt.Errorf("--accessible and --output tui exclude each other"))
	case supports && asked && o != OutputJSON, supports && o == OutputAuto && std.isDumbTerminal():
		return OutputAccessible, nil
	}
	return o.resolve(std)
}

func (o output) IsInteractive() bool { return o == OutputTUI || o == OutputAccessible }

func (o output) WrapWriter(w io.Writer) io.Writer {
	if o == OutputAccessible {
		return console.NewAccessibleWriter(w)
	}
	return w
}

func (o output) NewPrinter(w io.Writer) func(provisioner.Event) {
	switch o {
	case OutputAccessible:
		return console.NewSentencePrinter(w)
	case OutputJSON:
		return console.NewJSON(w)
	}
	return console.NewPlain(w)
}
