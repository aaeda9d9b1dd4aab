package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/standingzone"
)

func newSimulateCommand(std cli.Streams) *cobra.Command {
	var s standingzone.Options // not read from the environment: EXOSHIFT_DIR and the like are meant for the verbs that use the zone
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Let a simulated zone stand by itself behind a local proxy, for any program that speaks to Exoscale",
		Long: `Let a simulated zone stand by itself behind an HTTP proxy on loopback, until it is stopped.

Whatever is started with the printed environment talks to the simulated zone instead of the internet: exoshift, and
every other program that honours HTTPS_PROXY and trusts SSL_CERT_FILE. The zone is kept in --dir and found again there.`,
		Example: `  exoshift simulate -d zone --env zone.env --speed 60
  . ./zone.env && exoshift install -a cluster.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error { return simulate(cmd.Context(), s, std) },
	}
	flags := cmd.Flags()
	flags.StringVar(&s.Listen, "listen", "127.0.0.1:0", "the loopback address of the proxy; port 0 is any free one")
	flags.StringVarP(&s.Dir, "dir", "d", "", "the folder that keeps the zone")
	flags.Float64Var(&s.Speed, "speed", 1, "how many times faster than real")
	flags.DurationVar(&s.Latency, "latency", 0, "how long the API takes for each answer, e.g. 200ms")
	cli.AddScenarioFlag(flags, &s.Scenario, "happy", "what goes wrong: see exoshift rehearse --list-scenarios; several with commas")
	flags.StringVar(&s.Env, "env", "", "the file that is given the environment for clients once the zone is ready")
	flags.StringVar(&s.Calls, "calls", "", "the file that is given a line of JSON for each call of the API")
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
		fmt.Fprintf(std.Err, "The simulated zone %s is open at %s; Ctrl-C ends it, and it is found again in %s.\n", zone.Name, zone.URL, s.Dir)
		_, err := std.Out.Write(zone.Exports)
		return err
	})
}
