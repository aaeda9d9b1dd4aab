package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/conformance"
	"exoshift/internal/app/conformance/shape"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

type conformanceFlags struct {
	cli.Options
	zone    string
	record  string
	compare string
}

func newConformanceCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Test a zone against the assumptions of an installation",
		Long: `Test a zone against the assumptions of an installation. It takes minutes and costs a few cents.

It creates a small part of a cluster by the steps of an installation: security groups, elastic IPs, a DNS zone, a load
balancer, roles and keys, buckets, an image. It tests them from here and from an instance in the zone, prints a verdict for
each assumption, and deletes everything. Leftovers of a killed run are deleted by the next one. Nothing is created without
a confirmation; --yes confirms without a prompt.

--record FILE.har records all requests and responses. --compare FILE.har repeats the run in a simulated zone, and lists the
responses that differ.`,
		Example: `  exoshift conformance --zone ch-gva-2
  exoshift conformance --zone ch-gva-2 -y -o json --record ch-gva-2.har
  exoshift conformance --compare ch-gva-2.har`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			layers, err := cli.BindFlags(cmd)
			if err != nil {
				return err
			}
			c := conformanceFlags{zone: layers.GetString("zone"), record: layers.GetString("record"), compare: layers.GetString("compare")}
			if c.Options, err = cli.Bind(cmd, std); err != nil {
				return err
			}
			return c.run(cmd.Context(), std)
		},
	}
	cmd.Flags().String("zone", "", "Exoscale zone, e.g. ch-gva-2")
	cli.AddOutputFlag(cmd, "output format", cli.OutputPlain, cli.OutputJSON)
	cmd.Flags().String("record", "", "write all requests and responses to this `file`, an HTTP Archive without credentials and secrets")
	cmd.Flags().String("compare", "", "create nothing; compare this `file` of --record with a simulated zone")
	cli.AddYesFlag(cmd, "create the announced resources without a prompt")
	return cmd
}

func (c conformanceFlags) run(ctx context.Context, std cli.Streams) error {
	shown := &verdictPrinter{out: std.Out, err: std.Err, isJSON: c.Output.IsJSON()}
	if c.compare != "" {
		return c.runComparison(ctx, shown)
	}
	if c.zone == "" {
		return exit.WithCode(exit.Usage, errors.New("--zone is required, e.g. --zone ch-gva-2"))
	}
	if err := conformance.CheckRecord(c.record); err != nil { // before anybody is asked
		return exit.WithCode(exit.Usage, err)
	}
	secrets, err := c.readCredentials(std)
	if err != nil {
		return err
	}
	dir, err := state.ConformancePath()
	if err != nil {
		return exit.WithCode(exit.Usage, err)
	}
	terms, err := conformance.DescribeTerms(c.zone)
	if err != nil {
		return err
	}
	shown.printTerms(terms)
	if err := c.confirm(ctx, std); err != nil {
		return err
	}
	net, err := c.OpenNetwork(ctx)
	if err != nil {
		return err
	}
	verdicts, err := conformance.Run(ctx, conformance.Options{
		Network: net, Zone: c.zone, Key: secrets.APIKey, Secret: secrets.APISecret, Dir: dir,
		Record: c.record, Version: version,
		Progress: shown.printProgress, Emit: shown.printVerdict,
	})
	if err != nil {
		return err
	}
	if _, simulated := environment.LookupEnv(environment.ClockVariable); !simulated {
		if err := conformance.SaveProof(dir, c.zone, time.Now(), verdicts); err != nil {
			return err
		}
	}
	return toConformanceError(verdicts)
}

// runComparison makes nothing but a run in a simulated zone.
func (c conformanceFlags) runComparison(ctx context.Context, shown *verdictPrinter) error {
	if c.zone != "" || c.record != "" {
		return exit.WithCode(exit.Usage, errors.New("--compare excludes --zone and --record: it creates nothing in a zone"))
	}
	differences, err := conformance.Compare(ctx, c.compare, shown.printProgress)
	if fault.Is(err, fault.Invalid) {
		return exit.WithCode(exit.Usage, err)
	}
	if err != nil {
		return err
	}
	for _, d := range differences {
		shown.printDifference(d)
	}
	if len(differences) > 0 {
		return exit.WithCode(exit.Warnings, fmt.Errorf("the simulated zone differs from the recording: %s", text.Plural(len(differences), "difference")))
	}
	return nil
}

// readCredentials reads those of the other verbs, without a cluster's answers.
func (c conformanceFlags) readCredentials(std cli.Streams) (wizard.Secrets, error) {
	c.Set = append(c.Set, cli.ZoneKey+"="+c.zone)
	all, err := c.MergeLayers()
	if err != nil {
		return wizard.Secrets{}, err
	}
	spec := all.Answers.Spec
	if needs := answersfile.FindMissing(spec, nil, environment.LookupEnv); !all.IsOnlyMissing(needs) {
		console.PrintProblems(std.Err, all.Problems())
		return wizard.Secrets{}, exit.ErrAnswers
	}
	secrets, _ := local.ResolveSecrets(spec, environment.LookupEnv) // others than those of the API are not needed
	if secrets.APIKey == "" || secrets.APISecret == "" {
		return secrets, fault.Newf(fault.Denied, "work in zone "+c.zone, "the credentials are missing").
			WithHint("set EXOSCALE_API_KEY and EXOSCALE_API_SECRET")
	}
	return secrets, nil
}

func (c conformanceFlags) confirm(ctx context.Context, std cli.Streams) error {
	switch {
	case c.Yes:
		return nil
	case c.Output.IsJSON() || !std.IsTerminal():
		return exit.WithCode(exit.Usage, errors.New("nothing was created: use --yes to create the announced resources"))
	}
	yes, err := promptYesNo(ctx, std, "Begin?")
	if err == nil && !yes {
		err = exit.WithCode(exit.Usage, errors.New("nothing was created"))
	}
	return err
}

// toConformanceError distinguishes what an installation depends on from what is only different.
func toConformanceError(verdicts []conformance.Verdict) error {
	var broken, different []string
	for _, v := range verdicts {
		switch {
		case v.OK:
		case conformance.IsNeeded(v.ID):
			broken = append(broken, v.ID)
		default:
			different = append(different, v.ID)
		}
	}
	switch {
	case len(broken) > 0:
		return exit.WithCode(exit.Checks, fmt.Errorf("the zone does not meet the assumptions of an installation: %s", strings.Join(append(broken, different...), ", ")))
	case len(different) > 0:
		return exit.WithCode(exit.Warnings, fmt.Errorf("a default installation works in this zone; it differs in %s", strings.Join(different, ", ")))
	}
	return nil
}

// verdictPrinter prints lines for people, or JSON objects, one a line.
type verdictPrinter struct {
	out, err io.Writer
	isJSON   bool

	mu sync.Mutex // progress comes from several goroutines
}

// note is a line of the JSON output that is no verdict.
type note struct {
	Type string `json:"type"` // "terms" or "progress"
	Text string `json:"text"`
}

func (p *verdictPrinter) print(w io.Writer, line any, words string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isJSON {
		_ = json.NewEncoder(p.out).Encode(line) // the end of the program reports what could not be written
		return
	}
	fmt.Fprintln(w, console.SanitizeLine(words))
}

func (p *verdictPrinter) printTerms(text string) { p.print(p.err, note{"terms", text}, text) }

func (p *verdictPrinter) printProgress(text string) {
	p.print(p.err, note{"progress", text}, "  "+text)
}

func (p *verdictPrinter) printDifference(d shape.Difference) {
	line := struct {
		Type string `json:"type"` // always "difference"
		shape.Difference
	}{"difference", d}
	p.print(p.out, line, d.Call+" "+d.Text)
}

func (p *verdictPrinter) printVerdict(v conformance.Verdict) {
	word := "ok"
	switch {
	case v.OK:
	case conformance.IsNeeded(v.ID):
		word = "FAILED"
	default:
		word = "differs"
	}
	p.print(p.out, v, fmt.Sprintf("%-8s%-24s%s", word, v.ID, v.Text))
}
