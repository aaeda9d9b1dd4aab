// Package check is the verb that checks connectivity: its flags, and its screens, tables and files.
package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/rehearsal"
	"exoshift/internal/console"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/text"
	"exoshift/internal/text/similar"
	"exoshift/provisioner/remoterun"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
	"exoshift/wizard/reach"
)

type checkFlags struct {
	cli.Options
	zone     string
	vantages []string // the local source first
	only     []string
	skips    []reach.Skip
	watch    bool
	against  string
	simulate bool
	scenario string
	format   format
	version  string // of the program
}

// NewCommand returns the verb; version is that of the program.
func NewCommand(std cli.Streams, version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the connectivity that a cluster needs",
		Long: `Check which services can be reached, from where, at which layer a connection fails, and what to ask for.

Without answers, the services that any cluster in a zone needs are checked: exoshift check --zone ch-gva-2
With answers, those that this cluster needs: exoshift check --answers FILE

--vantage zone also checks from inside the zone: it starts a small instance there, which costs a few cents at most and is
deleted afterwards. --vantage ssh:HOST also checks from a Linux host of yours, which is reached as ~/.ssh/config says.`,
		Example: `  exoshift check --zone ch-gva-2
  exoshift check -a cluster.yaml --vantage zone -o markdown
  exoshift check -a cluster.yaml --only NET-RH-001,NET-RH-002 --watch`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := bindChecking(cmd, std)
			c.version = version
			if err != nil {
				return err
			}
			return c.run(cmd.Context(), std)
		},
	}
	flags := cmd.Flags()
	cli.AddAnswersFlag(cmd, "answers file: check what this cluster needs")
	flags.String("zone", "", "Exoscale zone, e.g. ch-gva-2, without an answers file")
	flags.StringSlice("vantage", []string{reach.Workstation}, "additional source: zone, or ssh:[USER@]HOST[:PORT]")
	flags.StringSlice("only", nil, "check only these IDs, e.g. NET-RH-001")
	flags.StringArray("skip", nil, "skip a check, ID=REASON; can be repeated; REASON may end with \"until YYYY-MM-DD\"")
	flags.Bool("watch", false, "repeat every 30 seconds and show changes")
	flags.String("against", "", "compare with this report of --output json")
	flags.Bool("simulate", false, "check a simulated internet instead of the real one")
	cli.AddScenarioFlag(flags, new(string), "", "failures of the simulated internet: "+strings.Join(scenario.Names(scenario.Internet), ", "))
	flags.StringP("output", "o", string(formatAuto), "output format: "+strings.Join(listFormats(), ", "))
	flags.Bool("ascii", false, "use only ASCII characters")
	cli.AddHostKeysFlag(cmd)
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(listFormats(), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	cli.AddYesFlag(cmd, "start the instance of --vantage zone without a prompt")
	return cmd
}

func bindChecking(cmd *cobra.Command, std cli.Streams) (checkFlags, error) {
	layers, err := cli.BindFlags(cmd)
	if err != nil {
		return checkFlags{}, err
	}
	c := checkFlags{
		zone: layers.GetString("zone"), watch: layers.GetBool("watch"), against: layers.GetString("against"),
		simulate: layers.GetBool("simulate"), scenario: layers.GetString("scenario"), format: format(layers.GetString("output")),
		vantages: withWorkstation(layers.GetStringSlice("vantage")),
	}
	if only := layers.GetStringSlice("only"); len(only) > 0 {
		c.only = only
	}
	c.Answers, c.ASCII, c.Yes, c.Host = layers.GetString("answers"), layers.GetBool("ascii"), layers.GetBool("yes"), std.Host
	if c.Set, err = cli.ParseAssignments(cmd); err != nil {
		return c, err
	}
	if err = c.BindHostKeys(cmd, layers); err != nil {
		return c, err
	}
	given, err := cmd.Flags().GetStringArray("skip") // reasons may contain commas
	if err != nil {
		return c, err
	}
	if c.skips, err = parseSkips(given); err != nil {
		return c, err
	}
	if c.format, err = c.format.resolve(std); err != nil {
		return c, err
	}
	return c, c.validate()
}

// withWorkstation puts the local source first: results of the others are compared with it.
func withWorkstation(vantages []string) []string {
	all := []string{reach.Workstation}
	for _, vantage := range vantages {
		if vantage = strings.TrimSpace(vantage); !slices.Contains(all, vantage) {
			all = append(all, vantage)
		}
	}
	return all
}

func parseSkips(given []string) ([]reach.Skip, error) {
	var skips []reach.Skip
	for _, one := range given {
		id, reason, _ := strings.Cut(one, "=")
		skip, err := reach.ParseSkip(reason)
		if err == nil && strings.TrimSpace(id) == "" {
			err = errors.New("the ID is missing")
		}
		if err != nil {
			return nil, exit.WithCode(exit.Usage, fmt.Errorf("--skip %s: %w; must be ID=REASON, e.g. NET-RH-001=\"the mirror is used, until 2027-01-31\"", one, err))
		}
		skip.ID = strings.TrimSpace(id)
		skips = append(skips, skip)
	}
	return skips, nil
}

func (c checkFlags) validate() error {
	for _, vantage := range c.vantages {
		if err := c.validateVantage(vantage); err != nil {
			return exit.WithCode(exit.Usage, err)
		}
	}
	switch {
	case c.scenario != "" && !c.simulate:
		return exit.WithCode(exit.Usage, errors.New("--scenario requires --simulate"))
	case c.watch && c.format == formatJUnit:
		return exit.WithCode(exit.Usage, errors.New("--watch and --output junit exclude each other"))
	case c.Answers != "" && c.zone != "":
		return exit.WithCode(exit.Usage, errors.New("--answers and --zone exclude each other; to change the zone, use --set exoscale.zone="+c.zone))
	}
	if err := c.validateZone(); err != nil {
		return exit.WithCode(exit.Answers, err)
	}
	return rehearsal.ValidateScenario(c.scenario)
}

func (c checkFlags) validateZone() error {
	zones := findZoneField().Choices
	if c.zone == "" || slices.Contains(zones, c.zone) {
		return nil
	}
	problem := fmt.Sprintf("--zone %s: no such zone", c.zone)
	if nearest := similar.FindNearest(c.zone, zones); nearest != "" {
		problem += "; did you mean " + nearest + "?"
	}
	return fmt.Errorf("%s\n  zones: %s", problem, strings.Join(zones, ", "))
}

func findZoneField() wizard.Field {
	fields := wizard.Fields()
	return fields[slices.IndexFunc(fields, func(f wizard.Field) bool { return f.Key == cli.ZoneKey })]
}

func (c checkFlags) validateVantage(vantage string) error {
	host, ssh := strings.CutPrefix(vantage, reach.SSHSource)
	switch {
	case ssh && host == "":
		return errors.New("--vantage ssh: the host is missing: ssh:[USER@]HOST[:PORT]")
	case ssh && remoterun.ValidateHost(host) != nil:
		return fmt.Errorf("--vantage %s: %q is not of the form [USER@]HOST[:PORT]", text.Sanitize(vantage), text.Sanitize(host))
	case ssh && c.simulate:
		return fmt.Errorf("--vantage %s: not available in a simulation; use --vantage zone", vantage)
	case !ssh && vantage != reach.Workstation && vantage != reach.Zone:
		return fmt.Errorf("--vantage %s: must be workstation, zone or ssh:HOST", vantage)
	}
	return nil
}

func (c checkFlags) run(ctx context.Context, std cli.Streams) (err error) {
	before, err := c.readPrevious()
	if err != nil {
		return err
	}
	asked, err := c.read(ctx, std)
	if err != nil {
		return err
	}
	net, leave, err := c.openNetwork(ctx, asked)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	survey, err := connectivity.NewChecker(ctx, net, asked, c.only, c.skips)
	if err != nil {
		return err
	}
	if c.simulate {
		made := &connectivity.TempDir{}
		defer made.Remove()
		survey.SetDir(made.Ensure)
	}
	report, err := c.show(ctx, std, survey, before)
	if err != nil && ctx.Err() == nil && report.ComputeVerdict() == reach.Fail {
		return exit.WithCode(exit.Checks, errors.Join(err, newVerdictError(reach.Fail))) // the report is complete, whatever else failed
	}
	if err != nil {
		return err
	}
	return toVerdictError(report)
}

// read allows missing secrets: checks are often run by people without them.
func (c checkFlags) read(ctx context.Context, std cli.Streams) (connectivity.Subject, error) {
	if c.zone != "" {
		c.Set = append(slices.Clone(c.Set), cli.ZoneKey+"="+c.zone)
	}
	layers, err := c.mergeLayers()
	if err != nil {
		return connectivity.Subject{}, err
	}
	all, err := layers.Merge()
	if err != nil {
		return connectivity.Subject{}, err
	}
	spec, lookup := all.Answers.Spec, c.lookup()
	needs := answersfile.FindMissing(spec, nil, lookup)
	if !all.IsOnlyMissing(needs) {
		console.PrintProblems(std.Err, all.Problems())
		return connectivity.Subject{}, exit.ErrAnswers
	}
	if spec.Exoscale.Zone == "" {
		if spec.Exoscale.Zone, err = c.promptZone(ctx, std); err != nil {
			return connectivity.Subject{}, err
		}
	}
	if c.simulate && c.Answers == "" {
		connectivity.SelectAllEndpoints(&spec)
	}
	secrets, _ := local.ResolveSecrets(spec, lookup) // missing ones are reported where they are needed
	open := slices.ContainsFunc(needs, func(n answersfile.MissingAnswer) bool { return !n.Secret && n.Field != cli.ZoneKey })
	return connectivity.Subject{Spec: spec, Secrets: secrets, Partial: open, Rehearsed: c.simulate}, nil
}

// mergeLayers adds the shipped example below the other layers for a simulated network.
func (c checkFlags) mergeLayers() (layers.Layers, error) {
	if !c.simulate || c.Answers != "" {
		return c.ReadLayers()
	}
	return layers.ReadExample(c.Set)
}

func (c checkFlags) lookup() func(string) (string, bool) {
	if c.simulate {
		return environment.LookupRehearsalSecret
	}
	return environment.LookupEnv
}

func (c checkFlags) promptZone(ctx context.Context, std cli.Streams) (string, error) {
	field := findZoneField()
	zones := field.Choices
	if !cli.IsTerminal(std.In) || !cli.IsTerminal(std.Out) {
		return "", exit.WithCode(exit.Usage, fmt.Errorf("the zone is missing: use --zone ZONE or --answers FILE; zones: %s", strings.Join(zones, ", ")))
	}
	for {
		fmt.Fprintf(std.Out, "In which Exoscale zone? (%s) ", strings.Join(zones, ", "))
		line, err := std.LineReader().Next(ctx)
		if err != nil {
			return "", exit.WithCode(exit.Usage, fmt.Errorf("the zone is missing: %w", err))
		}
		spec := state.Default()
		if err := field.Set(&spec, line); err != nil {
			fmt.Fprintln(std.Out, "  "+console.SanitizeLine(err.Error()))
			continue
		}
		if spec.Exoscale.Zone != "" {
			return spec.Exoscale.Zone, nil
		}
	}
}

type format string

// formatTable is another word for formatPlain, for scripts from before the verbs had the same words.
const formatTable format = "table"

const (
	formatAuto     format = "auto"
	formatTUI      format = "tui"
	formatPlain    format = "plain"
	formatShort    format = "short"
	formatJSON     format = "json"
	formatJUnit    format = "junit"
	formatMarkdown format = "markdown"
)

func listFormats() []string {
	return []string{"auto", "tui", "plain", "short", "json", "junit", "markdown"}
}

func (f format) resolve(std cli.Streams) (format, error) {
	switch {
	case f == formatTable:
		return formatPlain, nil
	case !slices.Contains(listFormats(), string(f)):
		return f, exit.WithCode(exit.Usage, fmt.Errorf("--output %s: must be one of %s", f, strings.Join(listFormats(), ", ")))
	case f == formatTUI && !std.IsTerminal():
		return f, exit.WithCode(exit.Usage, fmt.Errorf("--output tui needs a terminal; use plain, short, json, junit or markdown"))
	case f == formatAuto && std.IsTerminal():
		return formatTUI, nil
	case f == formatAuto:
		return formatPlain, nil
	}
	return f, nil
}

func toVerdictError(report reach.Report) error {
	if worst := report.ComputeVerdict(); worst == reach.Warn || worst == reach.Fail {
		return exit.MarkPrinted(newVerdictError(worst))
	}
	return nil
}

func newVerdictError(worst reach.Verdict) error {
	if worst == reach.Warn {
		return exit.WithCode(exit.Warnings, errors.New("the checks ended with warnings"))
	}
	return exit.WithCode(exit.Checks, errors.New("a required service is unreachable"))
}

func (c checkFlags) openNetwork(ctx context.Context, asked connectivity.Subject) (net network.Network, leave func() error, err error) {
	if !c.simulate {
		net, err = c.OpenNetwork(ctx)
		return net, func() error { return nil }, err
	}
	zones, err := environment.NewZoneOptions(environment.DefaultSpeed, c.scenario)
	if err != nil {
		return net, nil, err
	}
	zones.Program = connectivity.OnMachine
	zones.Zone = asked.Spec.Exoscale.Zone
	zone, err := simcloud.Open(ctx, zones)
	if err != nil {
		return net, nil, err
	}
	return zone.Network(), zone.Close, nil
}

// NewProbeCommand is the hidden verb of remote runs.
func NewProbeCommand(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:    connectivity.ProbeVerb,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return connectivity.RunProbe(cmd.Context(), network.Host(), std.In, std.Out)
		},
	}
}
