// Package day2script carries out a script of verbs for an installed cluster, after the installation of a rehearsal.
package day2script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/rehearsal"
	"exoshift/internal/fileread"
)

// Script is a list of verbs for the installed cluster of a rehearsal, which are carried out after its installation.
type Script struct {
	Path string // "": there is none
	// NewRoot returns the command that has the verbs.
	NewRoot func() *cobra.Command
}

// wait is the one line of a script that is no verb: it has time pass in the zone.
const wait = "wait"

// listVerbs returns the verbs that a script may have, or the first words of them.
func listVerbs() []string {
	return []string{"backup", "nodes", "recover", "repair", "restore", "rotate", "start", "stop", "upgrade"}
}

// Rehearse installs, and carries out the verbs one after the other, until one fails. The script is checked before anything is done.
func (s Script) Rehearse(ctx context.Context, o cli.Options, std cli.Streams, r *rehearsal.Rehearsal, install func() error) (err error) {
	if s.Path == "" {
		return install()
	}
	lines, err := s.read()
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
	if std.Host != nil { // the verbs open the zone again
		std.Host.Scenario, std.Host.Speed = r.Scenario, r.Speed
	}
	for _, words := range lines {
		if !o.Output.IsJSON() {
			fmt.Fprintf(std.Out, "\n$ %s\n", formatLine(words))
		}
		if words[0] == wait {
			o.Dir = r.Dir
			err = passTime(ctx, o, words)
		} else {
			err = s.execute(ctx, append(words, "--dir", r.Dir, "--output", string(o.Output)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func formatLine(words []string) string {
	if words[0] == wait {
		return strings.Join(words, " ")
	}
	return "exoshift " + strings.Join(words, " ")
}

func (s Script) execute(ctx context.Context, words []string) error {
	root := s.NewRoot()
	verb, _, err := root.Find(words)
	if err != nil {
		return err
	}
	if verb.Flags().Lookup("yes") != nil {
		words = append(words, "--yes")
	}
	root.SetArgs(words)
	return root.ExecuteContext(ctx)
}

// passTime has time pass in the zone as fast as this machine can.
func passTime(ctx context.Context, o cli.Options, words []string) error {
	d, err := parseWait(words)
	if err != nil {
		return err
	}
	host := &environment.Host{Speed: rehearsal.MaximumSpeed}
	if o.Host != nil {
		host.Scenario = o.Host.Scenario
	}
	o.Host = host
	return cli.WithCluster(ctx, o, true, func(cluster nodes.Cluster) error { return cluster.Net.Clock.Sleep(ctx, d) })
}

// maximumWait is how long a script may wait at once: the certificates of a cluster that is off end before.
const maximumWait = 120 * 24 * time.Hour

func parseWait(words []string) (time.Duration, error) {
	if len(words) != 2 {
		return 0, errors.New("wait: give one duration, such as: wait 25h")
	}
	d, err := time.ParseDuration(words[1])
	if err != nil || d <= 0 || d > maximumWait {
		return 0, fmt.Errorf("wait %s: give a duration of at most %s, such as: wait 25h", words[1], maximumWait)
	}
	return d, nil
}

// read returns the words of each line. Lines that are empty or begin with # are left out.
func (s Script) read() ([][]string, error) {
	content, err := fileread.Text(s.Path, fileread.Small)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--day2: %w", err))
	}
	var lines [][]string
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
		lines = append(lines, words)
	}
	if len(lines) == 0 {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("%s: it has no verb, such as: nodes remove worker-3", s.Path))
	}
	return lines, nil
}

// check requires one of the verbs, with flags that it has, or a time to wait.
func (s Script) check(words []string) error {
	if words[0] == wait {
		_, err := parseWait(words)
		return err
	}
	verb, rest, err := s.NewRoot().Find(words)
	if err != nil || !slices.Contains(listVerbs(), words[0]) || verb.HasSubCommands() {
		return fmt.Errorf("%s: a script only has verbs for an installed cluster, such as: nodes remove worker-3; they begin with %s; or: wait 25h",
			strings.Join(words, " "), strings.Join(listVerbs(), ", "))
	}
	if err := verb.ParseFlags(rest); err != nil {
		return err
	}
	for _, name := range []string{"dir", "state", "output", "yes"} {
		if verb.Flags().Changed(name) {
			return errors.New("--" + name + " is that of the rehearsal")
		}
	}
	return nil
}
