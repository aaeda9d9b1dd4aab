// Package aboutverbs has the verbs about the program itself: its documentation, its manual pages, its version.
package aboutverbs

import (
	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
)

// NewCommands returns the verbs.
func NewCommands(std cli.Streams, build Build) []*cobra.Command {
	return []*cobra.Command{newDocsCommand(std), newManCommand(std, build), newVersionCommand(std, build)}
}
