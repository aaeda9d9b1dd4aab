package aboutverbs

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
)

func newManCommand(std cli.Streams, build Build) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Generate manual pages",
		Long: `Generate a manual page for each command in DIR, e.g. exoshift-install.1. Existing pages are replaced.
The date of the pages is today's, or that of $SOURCE_DATE_EPOCH.`,
		Example:           "  exoshift man ~/.local/share/man/man1\n  man exoshift-install",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cli.CompleteFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return exit.WithCode(exit.Usage, fmt.Errorf("write the manual pages: %w", err))
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Title: "EXOSHIFT", Section: "1", Source: "exoshift " + build.Version, Manual: "exoshift"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			_, err := fmt.Fprintf(std.Out, "The manual pages are in %s.\n", args[0])
			return err
		},
	}
}
