package zoneverbs

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/simcloud/installer"
)

// NewInstallerCommand returns the hidden verb behind the openshift-install that the simulated mirror serves.
func NewInstallerCommand(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:                environment.InstallerVerb,
		Hidden:             true,
		DisableFlagParsing: true,
		Args:               cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if code := installer.Main(args, time.Now(), std.Out, std.Err); code != 0 {
				return exit.MarkPrinted(exit.WithCode(code, fmt.Errorf("exit code %d", code)))
			}
			return nil
		},
	}
}
