package stateverbs

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/state/shared"
)

// auditLine is an entry of the audit stream, for programs.
type auditLine struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	shared.Entry
}

func newAuditCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit ID",
		Short: "Show who did what to a cluster, and when",
		Long: `Show who did what to a cluster, and when: the beginning and the end of each run with its exit code, the hash of the plan
that it carried out, what was asked of it from elsewhere, and who freed its lock. Nobody can change an entry.`,
		Example: "  exoshift state audit c-demo-1\n  exoshift state audit c-demo-1 -o json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.Bind(cmd, std)
			if err != nil {
				return err
			}
			_, place, end, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer end()
			entries, err := place.ListEntries(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if len(entries) == 0 {
				return exit.WithCode(exit.Usage, fmt.Errorf("nothing was done to a cluster %q in shared state\n  see: exoshift state list", args[0]))
			}
			for _, entry := range entries {
				if err := printEntry(std, o.Output.IsJSON(), args[0], entry); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cli.AddStateFlag(cmd)
	cli.AddOutputFlag(cmd, "output format", cli.OutputPlain, cli.OutputJSON)
	return cmd
}

func printEntry(std cli.Streams, asJSON bool, id string, entry shared.Entry) error {
	if asJSON {
		if err := json.NewEncoder(std.Out).Encode(auditLine{"audit", id, entry}); err != nil {
			return fmt.Errorf("show the audit stream: %w", err)
		}
		return nil
	}
	where := entry.Holder.User + "@" + entry.Holder.Host
	if entry.Holder.Job != "" {
		where = entry.Holder.Job
	}
	words := []string{entry.Time.UTC().Format("2006-01-02 15:04:05 MST"), entry.Holder.Run, entry.Verb, entry.State}
	if entry.ExitCode != nil {
		words = append(words, fmt.Sprintf("exit code %d", *entry.ExitCode))
	}
	if entry.PlanHash != "" {
		words = append(words, "plan "+entry.PlanHash[:min(len(entry.PlanHash), 12)])
	}
	if entry.Text != "" {
		words = append(words, entry.Text)
	}
	fmt.Fprintln(std.Out, console.SanitizeLine(strings.Join(append(words, "by "+where), "  ")))
	return nil
}
