package stateverbs

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/state/shared"
)

func newInitCommand(std cli.Streams) *cobra.Command {
	var recipients []string
	var yes bool
	cmd := &cobra.Command{
		Use:   "init URL",
		Short: "Set shared state up: create what is missing, and encrypt it to the first recipients",
		Long: `Set shared state up: create what is missing, and encrypt it to the first recipients.

Two private buckets are created unless they exist: BUCKET with versions, and BUCKET-locks without. Whether the storage honours
conditional writes is checked first: without them two machines could work on one cluster.`,
		Example: `  exoshift state init 's3://fleet/prod?endpoint=https://sos-ch-gva-2.exo.io' --recipient age1... --recipient "$(cat ci.pub)"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(recipients) == 0 {
				return exit.WithCode(exit.Usage, errors.New("name who may read it: --recipient, with an age recipient or an SSH public key; may be repeated"))
			}
			if err := checkRecipients(recipients); err != nil {
				return err
			}
			access, err := newAccess(cmd, std, args[0])
			if err != nil {
				return err
			}
			missing, err := access.ListMissing(cmd.Context())
			if err != nil {
				return err
			}
			for _, bucket := range missing {
				fmt.Fprintf(std.Out, "bucket %s at %s does not exist and is created\n", bucket, access.Address.Bucket.Endpoint)
			}
			if err := confirm(cmd.Context(), std, yes || len(missing) == 0, "Create this?"); err != nil {
				return err
			}
			config, err := access.Initialize(cmd.Context(), recipients)
			if errors.Is(err, fs.ErrExist) {
				return exit.WithCode(exit.Usage, fmt.Errorf("%s is set up already; see: exoshift state recipients --help", args[0]))
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(std.Out, "Shared state is set up for %d recipients. Use it:\n  export EXOSHIFT_STATE=%s\n", len(config.Recipients), cli.QuoteShell(args[0]))
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&recipients, "recipient", nil, "who may read it: an age recipient or an SSH public key; may be repeated")
	cli.AddYesFlag(cmd, "create what is missing without asking")
	cmd.PreRun = func(cmd *cobra.Command, _ []string) { yes, _ = cmd.Flags().GetBool("yes") }
	return cmd
}

func checkRecipients(recipients []string) error {
	for _, recipient := range recipients {
		if _, err := shared.ParseRecipient(recipient); err != nil {
			return exit.WithCode(exit.Usage, err)
		}
	}
	return nil
}

func newRecipientsCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "recipients",
		Short:   "Show who may read shared state",
		Example: "  exoshift state recipients",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, place, end, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer end()
			for _, recipient := range place.Recipients() {
				fmt.Fprintln(std.Out, console.SanitizeLine(recipient))
			}
			return nil
		},
	}
	cli.AddStateFlag(cmd)
	cmd.AddCommand(newChangeRecipients(std, "add RECIPIENT...", "Add recipients, and encrypt every cluster's files to them, too", add),
		newChangeRecipients(std, "remove RECIPIENT...", "Remove recipients, and encrypt every cluster's files anew", remove))
	for _, command := range cmd.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	return cmd
}

func newChangeRecipients(std cli.Streams, use, short string, change func(recipients, named []string) ([]string, error)) *cobra.Command {
	verb, _, _ := strings.Cut(use, " ")
	cmd := &cobra.Command{
		Use:     use,
		Short:   short,
		Long:    short + ".\n\nNo cluster may be in use meanwhile. Who is removed may have kept what was readable until then: replace the storage's key, too.\nInterrupted, the same command goes on.",
		Example: "  exoshift state recipients " + verb + " age1...",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkRecipients(args); err != nil {
				return err
			}
			access, place, end, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer end()
			recipients, err := change(place.Recipients(), args)
			if err != nil {
				return exit.WithCode(exit.Usage, err)
			}
			if err := place.SetRecipients(cmd.Context(), recipients, access.NewHolder("state recipients "+verb)); err != nil {
				return err
			}
			fmt.Fprintf(std.Out, "Shared state is encrypted to %d recipients.\n", len(recipients))
			return nil
		},
	}
	cli.AddStateFlag(cmd)
	return cmd
}

func add(recipients, named []string) ([]string, error) {
	for _, recipient := range named {
		if !slices.Contains(recipients, recipient) {
			recipients = append(slices.Clip(recipients), recipient)
		}
	}
	return recipients, nil
}

func remove(recipients, named []string) ([]string, error) {
	left := slices.DeleteFunc(slices.Clone(recipients), func(r string) bool { return slices.Contains(named, r) })
	if len(left) == 0 {
		return nil, errors.New("nothing was changed: nobody could read shared state any more")
	}
	return left, nil
}
