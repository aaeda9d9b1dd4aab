// Package zoneverbs has the verb `simulate`, which runs a simulated zone, and the hidden one of machines that copy an image.
package zoneverbs

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/standingzone"
)

// NewSimulateCommand returns the verb `simulate`.
func NewSimulateCommand(std cli.Streams) *cobra.Command {
	var s standingzone.Options // not read from the environment: EXOSHIFT_DIR and the like are meant for the verbs that use the zone
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Run a simulated zone locally",
		Long: `Run a simulated zone behind a local HTTP proxy until it is stopped.

Programs that are started with the printed environment reach the simulated zone instead of the internet: exoshift, and
any program that supports HTTPS_PROXY and SSL_CERT_FILE. The state of the zone is kept in --dir; the next start continues from it.`,
		Example: `  exoshift simulate -d zone --env zone.env --speed 60
  . ./zone.env && exoshift install -a cluster.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error { return simulate(cmd.Context(), s, std) },
	}
	flags := cmd.Flags()
	flags.StringVar(&s.Listen, "listen", "127.0.0.1:0", "loopback address of the proxy; port 0 selects a free one")
	flags.StringVarP(&s.Dir, "dir", "d", "", "folder of the zone")
	flags.Float64Var(&s.Speed, "speed", 1, "times as fast as real time")
	flags.DurationVar(&s.Latency, "latency", 0, "delay of each API response, e.g. 200ms")
	flags.StringToIntVar(&s.Quotas, "quota", nil, "limits of the organization instead of the usual ones, e.g. elastic-ip=40,iam-key=200")
	cli.AddScenarioFlag(flags, &s.Scenario, "happy", "failures to inject, separated by commas; see exoshift rehearse --list-scenarios")
	flags.StringVar(&s.Env, "env", "", "file for the environment of clients, written once the zone is ready")
	flags.StringVar(&s.Calls, "calls", "", "file for a line of JSON per API call")
	return cmd
}

func simulate(ctx context.Context, s standingzone.Options, std cli.Streams) error {
	if err := s.Validate(); err != nil {
		return err
	}
	given, err := layers.ReadExample(nil)
	if err != nil {
		return err
	}
	example, err := std.LoadAnswers(given, environment.LookupRehearsalSecret)
	if err != nil {
		return err
	}
	spec, secrets := example.Answers.Spec, example.Secrets
	return s.Serve(ctx, spec, secrets, func(zone standingzone.Ready) error {
		fmt.Fprintf(std.Err, "The simulated zone %s runs at %s; Ctrl-C stops it. Its state is kept in %s.\n", zone.Name, zone.URL, s.Dir)
		_, err := std.Out.Write(zone.Exports)
		return err
	})
}
