package nodeverbs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/rehearsal"
	"exoshift/internal/fileread"
)

// Script is a list of verbs for the nodes of a rehearsal, which are carried out after its installation.
type Script struct {
	Path string // "": there is none
	// NewRoot returns the command that has the verb `nodes`.
	NewRoot func() *cobra.Command
}

// Rehearse installs, and carries out the verbs one after the other, until one fails. The script is checked before anything is done.
func (s Script) Rehearse(ctx context.Context, o cli.Options, std cli.Streams, r *rehearsal.Rehearsal, install func() error) (err error) {
	if s.Path == "" {
		return install()
	}
	verbs, err := s.read()
	if err != nil {
		return err
	}
	cleanUp, err := r.EnsureFolder()
	if err != nil {
		return err
	}
	defer func() { cleanUp(err) }()
	if err := install(); err != nil {
		return err
	}
	if std.Host != nil {
		std.Host.Scenario = r.Scenario // the verbs open the zone again
	}
	for _, words := range verbs {
		if !o.Output.IsJSON() {
			fmt.Fprintf(std.Out, "\n$ exoshift %s\n", strings.Join(words, " "))
		}
		words = append(words, "--dir", r.Dir, "--output", string(o.Output))
		if words[1] != listVerb {
			words = append(words, "--yes")
		}
		root := s.NewRoot()
		root.SetArgs(words)
		if err := root.ExecuteContext(ctx); err != nil {
			return err
		}
	}
	return nil
}

const listVerb = "list"

// read returns the words of each line. Lines that are empty or begin with # are left out.
func (s Script) read() ([][]string, error) {
	content, err := fileread.Text(s.Path, fileread.Small)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--day2: %w", err))
	}
	var verbs [][]string
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		words := strings.Fields(line)
		if len(words) > 0 && words[0] == "exoshift" {
			words = words[1:]
		}
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := s.check(words); err != nil {
			return nil, exit.WithCode(exit.Usage, fmt.Errorf("%s:%d: %w", s.Path, number, err))
		}
		verbs = append(verbs, words)
	}
	if len(verbs) == 0 {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("%s: it has no verb, such as: nodes remove worker-3", s.Path))
	}
	return verbs, nil
}

// check requires one of the verbs below `nodes`, with flags that it has.
func (s Script) check(words []string) error {
	root := s.NewRoot()
	found, rest, err := root.Find(words)
	if err != nil || found.Parent() == nil || found.Parent().Name() != "nodes" || words[0] != "nodes" {
		return fmt.Errorf("%s: a script has verbs of nodes only, such as: nodes remove worker-3", strings.Join(words, " "))
	}
	if err := found.ParseFlags(rest); err != nil {
		return err
	}
	for _, name := range []string{"dir", "state", "output", "yes"} {
		if found.Flags().Changed(name) {
			return errors.New("--" + name + " is that of the rehearsal")
		}
	}
	return nil
}
