package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/fileread"
	"exoshift/internal/network"
	"exoshift/state"
	"exoshift/tui/checks"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/difference"

	"github.com/google/renameio/v2"
)

const watchEvery = 30 * time.Second

func (c checkFlags) readPrevious() (*reach.Report, error) {
	if c.against == "" {
		return nil, nil
	}
	file, err := fileread.Open(c.against, fileread.Large)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--against: %w", err))
	}
	defer func() { _ = file.Close() }()
	report, err := reach.ReadReport(file)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--against %s: %w", c.against, err))
	}
	return &report, nil
}

func (c checkFlags) show(ctx context.Context, std cli.Streams, s *connectivity.Checker, before *reach.Report) (reach.Report, error) {
	if c.format == formatTUI {
		return c.runScreen(ctx, std, s, before)
	}
	if err := c.confirmTerms(ctx, std, s); err != nil {
		return reach.Report{}, err
	}
	report, err := s.RunAll(ctx, c.vantages, c.newProgressPrinter(std))
	if err != nil && len(report.Results) == 0 {
		return report, err
	}
	if printed := c.print(std, s, report, before); printed != nil {
		return report, printed
	}
	if err == nil && c.watch {
		return c.watchChanges(ctx, std, s, report)
	}
	return report, err
}

// newProgressPrinter prints progress of remote sources, for people only.
func (c checkFlags) newProgressPrinter(std cli.Streams) func(string) {
	return func(text string) { fmt.Fprintln(std.Err, console.SanitizeLine(text)) }
}

// print writes changes to stderr in formats for programs.
func (c checkFlags) print(std cli.Streams, s *connectivity.Checker, report reach.Report, before *reach.Report) error {
	view := c.newReportView(s, report)
	if before != nil {
		view.Changes, view.Compared = difference.Compare(*before, report), true
	}
	var written bytes.Buffer
	var err error
	switch c.format {
	case formatJSON:
		err = view.WriteJSON(&written)
	case formatJUnit:
		err = view.WriteJUnit(&written)
	case formatMarkdown:
		err = view.WriteMarkdown(&written)
	case formatShort:
		err = view.WriteShort(&written)
	default:
		err = view.WriteTable(&written)
	}
	if err == nil {
		_, err = std.Out.Write(written.Bytes())
	}
	if err == nil && before != nil && (c.format == formatJSON || c.format == formatJUnit) {
		err = view.WriteDiff(std.Err)
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func (c checkFlags) watchChanges(ctx context.Context, std cli.Streams, s *connectivity.Checker, last reach.Report) (reach.Report, error) {
	if c.format != formatJSON {
		fmt.Fprintf(std.Err, "Checking again every %s; Ctrl-C stops it.\n", watchEvery)
		if len(s.FilterFree(c.vantages)) < len(c.vantages) {
			fmt.Fprintln(std.Err, "The results from the zone are not updated: another check would start another instance.")
		}
	}
	for {
		if (network.Clock{}).Sleep(ctx, watchEvery) != nil { // real checks run on the wall clock
			return last, nil
		}
		next, err := s.RunAgain(ctx, c.vantages, last, c.newProgressPrinter(std))
		if ctx.Err() != nil {
			return last, nil
		}
		if err != nil {
			fmt.Fprintln(std.Err, console.SanitizeLine(err.Error())) // the next round may succeed
		}
		if err := c.printChanges(std, last, next); err != nil {
			return next, err
		}
		last = next
	}
}

// printChanges writes the whole report for programs, only the changes for people.
func (c checkFlags) printChanges(std cli.Streams, last, next reach.Report) error {
	if c.format == formatJSON {
		return console.ConnectivityReport{Report: next}.WriteJSON(std.Out)
	}
	return console.WriteTransitions(std.Out, time.Now(), difference.Compare(last, next))
}

func formatCheckTitle(spec state.Spec) string {
	zone := spec.Exoscale.Zone
	if spec.Cluster.ID == "" {
		return zone
	}
	return spec.Cluster.ID + " in " + zone
}

// runScreen also prints the result to the scrollback.
func (c checkFlags) runScreen(ctx context.Context, std cli.Streams, s *connectivity.Checker, before *reach.Report) (reach.Report, error) {
	var doing sync.Map // progress before the first results, by source
	report, err := checks.Run(ctx, checks.Options{
		Title: formatCheckTitle(s.Spec), Checks: s.Checks, Sources: c.vantages, Watch: c.watch,
		Run: func(ctx context.Context, vantage string, ids []string, emit func(reach.Result)) error {
			defer doing.Delete(vantage)
			_, err := s.Run(ctx, vantage, ids, emit, func(text string) { doing.Store(vantage, text) })
			return err
		},
		Progress: func(vantage string) string {
			text, _ := doing.Load(vantage)
			line, _ := text.(string)
			return line
		},
		Estimate: s.DescribeTerms,
		Skip: func(id, reason string, until time.Time) (string, error) {
			skip := reach.Skip{ID: id, Reason: reason, Until: until}
			s.Skip(skip)
			return fmt.Sprintf("checks: {skip: {%s: %q}}", id, skip.String()), nil
		},
		Save: func(report reach.Report) ([]string, error) { return c.save(s, report) },
		In:   std.In, Out: std.TerminalWriter(), NoColor: os.Getenv("NO_COLOR") != "", ASCII: c.ASCII,
	})
	if len(report.Results) == 0 {
		return report, err
	}
	report = reach.MergeReports(s.Checks, report)
	c.format = formatShort
	return report, errors.Join(err, c.print(std, s, report, before))
}

func (c checkFlags) newReportView(s *connectivity.Checker, report reach.Report) console.ConnectivityReport {
	return console.ConnectivityReport{
		Report: report, Checks: s.Checks, Title: formatCheckTitle(s.Spec), Program: "exoshift " + c.version, Release: s.Spec.OpenShift.Version,
	}
}

// save writes the report for programs and for a ticket into the current directory.
func (c checkFlags) save(s *connectivity.Checker, report reach.Report) (paths []string, err error) {
	view := c.newReportView(s, report)
	name := "exoshift-check-" + report.Started.Local().Format("20060102-150405")
	for _, one := range []struct {
		suffix string
		write  func(io.Writer) error
	}{{".json", view.WriteJSON}, {".md", view.WriteMarkdown}} {
		var content bytes.Buffer
		if err := one.write(&content); err != nil {
			return nil, err
		}
		path, err := filepath.Abs(name + one.suffix)
		if err != nil {
			return nil, err
		}
		if err := renameio.WriteFile(path, content.Bytes(), 0o600); err != nil {
			return nil, fmt.Errorf("write the report: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (c checkFlags) confirmTerms(ctx context.Context, std cli.Streams, s *connectivity.Checker) error {
	for _, vantage := range c.vantages {
		terms := s.DescribeTerms(vantage)
		if terms == "" {
			continue
		}
		fmt.Fprintln(std.Err, terms)
		if c.Yes || c.simulate {
			continue
		}
		if !cli.IsTerminal(std.In) || !cli.IsTerminal(std.Err) {
			continue // --vantage zone implies consent
		}
		fmt.Fprint(std.Err, "Start it? [y/N] ")
		line, err := std.ReadLine(ctx)
		if err != nil {
			return err
		}
		if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
			return exit.WithCode(exit.Usage, errors.New("nothing was started"))
		}
	}
	return nil
}
