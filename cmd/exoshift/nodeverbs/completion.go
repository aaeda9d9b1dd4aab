package nodeverbs

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/state"
)

// completeNodes completes the ID of a cluster, and behind it, or if the folder is known otherwise, the names of nodes that list
// returns. In shared state only the ID is completed: to read a folder there takes a key, and may take seconds.
func completeNodes(std cli.Streams, list func(state.Spec) []state.Machine) cobra.CompletionFunc {
	completeID := cli.CompleteClusters(std)
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		folder, names, known := findFolder(cmd, args)
		var found []cobra.Completion
		if len(args) == 0 && !cmd.Flags().Changed("dir") {
			found, _ = completeID(cmd, args, begun)
		}
		if !known {
			return found, cobra.ShellCompDirectiveNoFileComp
		}
		spec, err := clusterdir.ReadAnswers(folder)
		if err != nil {
			return found, cobra.ShellCompDirectiveNoFileComp
		}
		for _, node := range list(spec) {
			if strings.HasPrefix(node.Name, begun) && !slices.Contains(names, node.Name) {
				found = append(found, cobra.CompletionWithDesc(node.Name, string(node.Role)))
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// findFolder returns the folder that the arguments name, as bindNodes does, and those of them that are names of nodes.
func findFolder(cmd *cobra.Command, args []string) (folder state.Folder, names []string, known bool) {
	dir := cmd.Flag("dir").Value.String()
	if dir == "" && len(args) > 0 {
		if named, err := clusterdir.FindID(args[0]); err == nil {
			return named, args[1:], true
		}
	}
	folder, err := clusterdir.Find(dir)
	return folder, args, err == nil
}
