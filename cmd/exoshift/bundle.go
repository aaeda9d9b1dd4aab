package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/bundle"
	"exoshift/internal/console"
)

const packed = ".tar.gz"

func newBundleCommand(std cli.Streams) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "bundle [ID]",
		Short: "Pack a cluster's folder for those who help, without secrets and names",
		Long: `Pack a cluster's folder for those who help, without secrets and names.

The archive holds the answers, the facts, the journal, the events, the log and what was gathered after failures. Secrets,
public addresses, domains and names are replaced by tokens, the same by the same, so that it can still be followed. Files
that hold keys or certificates are not in it. What the tokens of addresses and names stand for is written to a file beside
it, which is for you alone. Look through the archive before you send it.`,
		Example: `  exoshift bundle c-demo-1
  exoshift bundle -d ./cluster --out ticket-4711.tar.gz`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return pack(o, out, std)
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cmd.Flags().StringVar(&out, "out", "", "the archive, which must not exist yet (default exoshift-bundle-<time>"+packed+" in this directory)")
	cli.AddOutputFlag(cmd, "how to tell what was replaced", cli.OutputPlain, cli.OutputJSON)
	return cmd
}

func pack(o cli.Options, out string, std cli.Streams) error {
	folder, err := clusterdir.Find(o.Dir)
	if err != nil {
		return err
	}
	if out == "" {
		out = "exoshift-bundle-" + time.Now().UTC().Format("20060102T150405Z") + packed
	}
	meanings := strings.TrimSuffix(out, packed) + ".tokens.json"
	for _, name := range []string{out, meanings} {
		if _, err := os.Lstat(name); err == nil {
			return exit.WithCode(exit.Usage, fmt.Errorf("%s exists already; name another file with --out", name))
		}
	}
	made, err := bundle.Pack(folder, clusterdir.NewRedactor(folder))
	if err != nil {
		return err
	}
	if err := write(out, made.Archive); err != nil {
		return err
	}
	key, err := json.MarshalIndent(made.Meanings, "", " ")
	if err == nil {
		err = write(meanings, append(key, '\n'))
	}
	if err != nil {
		return errors.Join(err, os.Remove(out))
	}
	if o.Output.IsJSON() {
		return json.NewEncoder(std.Out).Encode(bundleResult{"bundle", out, meanings, made})
	}
	console.PrintBundle(std.Out, made, out, meanings)
	return nil
}

type bundleResult struct {
	Type   string `json:"type"`
	Path   string `json:"path"`
	Tokens string `json:"tokens"` // the file with their meanings
	bundle.Bundle
}

func write(name string, content []byte) error {
	err := bundle.Create(name, content)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return exit.WithCode(exit.Usage, fmt.Errorf("write the bundle: %w; name another file with --out", err))
	}
	return err
}
