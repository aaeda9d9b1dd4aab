package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/sharedstate"
	"exoshift/internal/console"
)

// CompleteClusters completes the ID of a cluster of this machine, or in the shared state that is named.
func CompleteClusters(std Streams) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if shared := listShared(cmd, std.Host); len(shared) > 0 && len(args) == 0 {
			return filterBegun(shared, begun), cobra.ShellCompDirectiveNoFileComp
		}
		return CompleteLocal(cmd, args, begun)
	}
}

// CompleteClustersOrFiles is CompleteClusters where a file may be in the place of the ID: the shell completes it if no ID fits.
func CompleteClustersOrFiles(std Streams) cobra.CompletionFunc {
	complete := CompleteClusters(std)
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found, directive := complete(cmd, args, begun)
		if len(args) == 0 {
			directive = cobra.ShellCompDirectiveDefault
		}
		return found, directive
	}
}

// CompleteLocal completes the ID of a cluster of this machine.
func CompleteLocal(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	clusters, err := clusterdir.List()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var all []cobra.Completion
	for _, cluster := range clusters {
		if cluster.Draft == "" {
			all = append(all, cobra.CompletionWithDesc(cluster.ID, string(cluster.State)))
		}
	}
	return filterBegun(all, begun), cobra.ShellCompDirectiveNoFileComp
}

// CompleteShared completes the ID of a cluster in shared state; the shell completes what is behind it as behind says.
func CompleteShared(std Streams, behind cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, behind
		}
		return filterBegun(listShared(cmd, std.Host), begun), cobra.ShellCompDirectiveNoFileComp
	}
}

// sharedTimeout limits how long a shell waits for the clusters in shared state.
const sharedTimeout = 3 * time.Second

// listShared returns the clusters in the shared state that is named, with their holders; none if it cannot be opened in time.
func listShared(cmd *cobra.Command, host *environment.Host) []cobra.Completion {
	if cmd.Flags().Lookup(stateName) == nil {
		return nil
	}
	address, err := ParseState(cmd)
	if err != nil || !address.IsShared() {
		return nil
	}
	ctx, done := context.WithTimeout(cmd.Context(), sharedTimeout)
	defer done()
	net, err := host.Open(ctx)
	if err != nil {
		return nil
	}
	place, end, err := sharedstate.Access{Address: address, Net: net, Lookup: environment.LookupEnv}.Open(ctx)
	if err != nil {
		return nil
	}
	defer end()
	ids, err := place.List(ctx)
	if err != nil {
		return nil
	}
	var all []cobra.Completion
	for _, id := range ids {
		holder := "free"
		if lease, err := place.ReadLease(ctx, id); err == nil && lease.Holder != nil {
			holder = lease.Holder.String()
		}
		all = append(all, cobra.CompletionWithDesc(id, console.SanitizeLine(holder)))
	}
	return all
}
