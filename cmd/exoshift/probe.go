package main

import (
	"github.com/spf13/cobra"

	"exoshift/internal/app/connectivity"
	"exoshift/internal/network"
)

// newProbeCommand is the hidden verb of remote runs.
func newProbeCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:    connectivity.ProbeVerb,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return connectivity.RunProbe(cmd.Context(), network.Host(), std.in, std.out)
		},
	}
}
