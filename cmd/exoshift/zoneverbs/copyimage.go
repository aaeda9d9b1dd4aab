package zoneverbs

import (
	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/zoneimage"
	"exoshift/internal/network"
)

// NewCopyImageCommand returns the hidden verb of machines that copy an image.
func NewCopyImageCommand(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:    zoneimage.Verb,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return zoneimage.Run(cmd.Context(), network.Host(), std.In, std.Out)
		},
	}
}
