package main

import (
	"context"
	"fmt"
	"slices"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/console"
	"exoshift/state"
	tuiwizard "exoshift/tui/wizard"
)

// installSharedInteractive begins a cluster in shared state, or goes on with one.
func installSharedInteractive(ctx context.Context, o cli.Options, std cli.Streams) error {
	drafts, err := listDraftOptions(o)
	if err != nil {
		return err
	}
	clusters, err := listSharedOptions(ctx, o, std)
	if err != nil {
		return err
	}
	d := &startScreen{flags: o, std: std, frontend: o.Output.NewFrontend(std), options: slices.Concat(drafts, clusters, listNewOptions(o, drafts))}
	d.options = append(d.options, startOption{StartOption: tuiwizard.StartOption{ID: "leave", Title: "Quit", Help: "Nothing is changed."}})
	return d.run(ctx)
}

// listSharedOptions returns an option for each cluster in shared state.
func listSharedOptions(ctx context.Context, o cli.Options, std cli.Streams) ([]startOption, error) {
	clusters, err := cli.ListShared(ctx, o, std)
	if err != nil {
		return nil, err
	}
	var all []startOption
	for _, cluster := range clusters {
		name := console.SanitizeLine(cluster.ID)
		one := startOption{StartOption: tuiwizard.StartOption{
			ID: "shared:" + cluster.ID, Title: "Continue " + name, Help: "Shows it if it is installed; otherwise the plan is shown first. Existing resources are kept.",
		}}
		named := o
		named.ID = cluster.ID
		one.run = func(ctx context.Context) error { return openShared(ctx, named, std) }
		if cluster.Holder != nil {
			one.Title, one.Help = "Show "+name+", which is in use", console.SanitizeLine(fmt.Sprintf("%s. Watch it: exoshift attach %s", cluster.Holder, cluster.ID))
			one.run = func(ctx context.Context) error { return showShared(ctx, named, std) }
		}
		all = append(all, one)
	}
	return all, nil
}

// openShared shows a cluster that is installed, and goes on with one that is not.
func openShared(ctx context.Context, o cli.Options, std cli.Streams) error {
	var facts state.Facts
	err := cli.RunOnCluster(ctx, o, std, "status", false, func(_ context.Context, o cli.Options) (err error) {
		folder, err := state.Open(o.Dir)
		if err == nil {
			facts, err = folder.LoadFacts()
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case !facts.Installed.IsZero():
		return showShared(ctx, o, std)
	}
	return installShared(ctx, o, std)
}

func showShared(ctx context.Context, o cli.Options, std cli.Streams) error {
	return cli.RunOnCluster(ctx, o, std, "status", false, func(ctx context.Context, o cli.Options) error { return runStatus(ctx, o, std) })
}

// apply carries an interview's answers out; in shared state as the holder of the cluster's lock.
func (d *startScreen) apply(ctx context.Context) error {
	o := d.flags
	if o.ID = d.backend.Cluster(); o.ID == "" || o.State == nil || o.Private != nil {
		return d.backend.Apply(ctx, d.flags.NewDisplay(d.std))
	}
	return cli.RunOnCluster(ctx, o, d.std, "install", true, func(ctx context.Context, o cli.Options) error {
		d.backend.UseFolder(o.Request)
		if err := cli.RecordPlan(ctx, o, d.backend.HashPlan); err != nil {
			return err
		}
		return d.backend.Apply(ctx, o.NewDisplay(d.std))
	})
}
