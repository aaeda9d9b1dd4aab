package stateverbs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/sharedstate"
	"exoshift/internal/console"
	"exoshift/state/shared"
)

func newInitCommand(std cli.Streams) *cobra.Command {
	var recipients []string
	var lock string
	var yes bool
	cmd := &cobra.Command{
		Use:   "init URL",
		Short: "Set up shared state: create missing buckets, and encrypt it to the first recipients",
		Long: `Set up shared state: create missing buckets, and encrypt it to the first recipients.

Two private buckets are created unless they exist: BUCKET with versions, and BUCKET-locks without. The storage must
support conditional writes, which is checked first: without them, two machines could change one cluster at the same time.

At Exoscale, an IAM role and an API key are created, too, which read and write objects of these buckets and may do nothing else.
The key is written to a file that only you can read, and used from then on; hand it to the team and to CI. With AWS_ACCESS_KEY_ID
the buckets have a key already, and none is created. What exists is kept: run it again to create what is missing. No verb deletes
any of it.

Storage without conditional writes is refused, unless something else holds the locks: Leases in a namespace of the cluster of
KUBECONFIG (get, create and update on leases), or the locks of Terraform states in a project of GitLab (GITLAB_TOKEN of a Maintainer,
or CI_JOB_TOKEN; GITLAB_HOST names the server). This is kept in shared state, so that all machines lock in the same place. A lock in
GitLab has no lifetime: one that a run left in the moment of taking it stays until "state unlock".`,
		Example:           `  exoshift state init 's3://fleet/prod?endpoint=https://sos-ch-gva-2.exo.io' --recipient age1... --recipient "$(cat ci.pub)"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.FixedCompletions([]cobra.Completion{"file:///", "s3://"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(recipients) == 0 {
				return exit.WithCode(exit.Usage, errors.New("--recipient is required: an age recipient or an SSH public key; can be repeated"))
			}
			if err := checkRecipients(recipients); err != nil {
				return err
			}
			access, err := newAccess(cmd, std, args[0])
			if err != nil {
				return err
			}
			if lock, err = sharedstate.ResolveLock(access.Lookup, lock); err != nil {
				return err
			}
			missing, err := access.ListMissing(cmd.Context(), recipients, lock)
			if err != nil {
				return err
			}
			for _, line := range slices.Concat(missing.Changes, missing.Notes) {
				fmt.Fprintln(std.Out, console.SanitizeLine(line))
			}
			if len(missing.Changes) == 0 {
				fmt.Fprintf(std.Out, "%s is set up already; nothing was changed.\n", args[0])
				return nil
			}
			if err := confirm(cmd.Context(), std, yes, "Create this?"); err != nil {
				return err
			}
			key, err := access.Initialize(cmd.Context(), recipients, lock)
			if err != nil {
				return err
			}
			printSetup(std, args[0], len(recipients), key)
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&recipients, "recipient", nil, "recipient that can decrypt it: an age recipient or an SSH public key; can be repeated")
	cmd.Flags().StringVar(&lock, "lock", "", "what holds the locks of storage without conditional writes: kubernetes:NAMESPACE or gitlab:PROJECT")
	cli.AddYesFlag(cmd, "create missing buckets without a prompt")
	cmd.PreRun = func(cmd *cobra.Command, _ []string) { yes, _ = cmd.Flags().GetBool("yes") }
	return cmd
}

func printSetup(std cli.Streams, address string, recipients int, keyFile string) {
	fmt.Fprintf(std.Out, "Shared state is set up for %d recipients. Use it:\n  export EXOSHIFT_STATE=%s\n", recipients, cli.QuoteShell(address))
	if keyFile != "" {
		fmt.Fprintf(std.Out, "The API key for it, which may do nothing else, is in a file that only you can read, and is used here from now on:\n  %s\n"+
			"Hand it to your team and to CI, e.g. by: set -a; . %s; set +a\n", console.SanitizeLine(keyFile), cli.QuoteShell(console.SanitizeLine(keyFile)))
	}
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
		Short:   "Show the recipients of shared state",
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
		newChangeRecipients(std, "remove RECIPIENT...", "Remove recipients, and re-encrypt every cluster's files", remove))
	for _, command := range cmd.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	return cmd
}

func newChangeRecipients(std cli.Streams, use, short string, change func(recipients, named []string) ([]string, error)) *cobra.Command {
	verb, _, _ := strings.Cut(use, " ")
	cmd := &cobra.Command{
		Use:               use,
		Short:             short,
		Long:              short + ".\n\nNo cluster may be in use meanwhile. A removed recipient may have kept copies: replace the storage's API key, too.\nAfter an interruption, the same command continues.",
		Example:           "  exoshift state recipients " + verb + " age1...",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
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
		return nil, errors.New("nothing was changed: shared state needs at least one recipient")
	}
	return left, nil
}
