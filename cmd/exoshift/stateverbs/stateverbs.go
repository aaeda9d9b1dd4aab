// Package stateverbs has the verbs `state`, which sets shared state up, moves clusters in and out and says who may read it, and
// `attach`, which watches the runs there.
package stateverbs

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/sharedstate"
	"exoshift/state/shared"
)

// NewCommand returns the verb `state`.
func NewCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state",
		Short: "Share the folders of clusters with a team: locked, encrypted, in object storage",
		Long: `Share the folders of clusters with a team: locked, encrypted, in object storage.

Shared state is at s3://BUCKET/PREFIX?endpoint=https://HOST, or at file:///DIRECTORY on a file system that several machines
mount. --state names it for all verbs, or else EXOSHIFT_STATE, or else "state: URL" in ~/.config/exoshift/config.yaml. Kubeconfigs, keys, Ignition and whatever else is secret is encrypted
to the recipients; answers, facts, journal and events are not. One run at a time changes a cluster.

Your identity decrypts it: the file that EXOSHIFT_AGE_IDENTITY names, an age identity or an SSH private key without a
passphrase, or the secret vault://HOST/PATH?mount=MOUNT#KEY, for which you sign in at Vault; or else ~/.ssh/id_ed25519 or ~/.ssh/id_rsa. The key for the bucket is that of AWS_ACCESS_KEY_ID, or else the one
that "state init" created on this machine, or else that of EXOSCALE_API_KEY.`,
		Example: `  exoshift state init 's3://fleet/prod?endpoint=https://sos-ch-gva-2.exo.io' --recipient "$(cat ~/.ssh/id_ed25519.pub)"
  exoshift state import -d ~/.local/state/exoshift/c-demo-1
  exoshift state list`,
		Args: cobra.ArbitraryArgs,
		RunE: cli.RunGroup,
	}
	cmd.AddCommand(newInitCommand(std), newImportCommand(std), newExportCommand(std), newListCommand(std), newAuditCommand(std), newRecipientsCommand(std), newUnlockCommand(std))
	for _, command := range cmd.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	return cmd
}

// open opens the place that --state names.
func open(cmd *cobra.Command, std cli.Streams) (sharedstate.Access, *shared.Place, func(), error) {
	access, err := newAccess(cmd, std, "")
	if err != nil {
		return access, nil, nil, err
	}
	place, end, err := access.Open(cmd.Context())
	return access, place, end, err
}

// newAccess is for an address; "" is that of --state.
func newAccess(cmd *cobra.Command, std cli.Streams, address string) (sharedstate.Access, error) {
	var at sharedstate.Address
	var err error
	if address == "" {
		at, err = cli.ParseState(cmd)
	} else {
		at, err = sharedstate.ParseAddress(address)
	}
	if err != nil {
		return sharedstate.Access{}, err
	}
	net, err := std.Host.Open(cmd.Context())
	return cli.NewAccess(at, net, std), err
}

// confirm asks for a yes; without a terminal --yes is required.
func confirm(ctx context.Context, std cli.Streams, yes bool, question string) error {
	switch {
	case yes:
		return nil
	case !std.IsTerminal():
		return exit.WithCode(exit.Usage, errors.New("nothing was changed: use --yes to confirm"))
	}
	fmt.Fprint(std.Out, question+" [y/N] ")
	answer, err := std.ReadLine(ctx)
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	if answer != "y" && answer != "yes" {
		return exit.WithCode(exit.Usage, errors.New("nothing was changed"))
	}
	return nil
}
