package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// NewCompletionCommand returns the verb `completion`. cobra's own writes to the standard output of the process, whatever
// the streams are, and has no examples.
func NewCompletionCommand(std Streams) *cobra.Command {
	var plain bool
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Generate the completion script of a shell",
		Long: `Generate the completion script of a shell: bash, zsh, fish or powershell. It completes commands, flags and their values.

bash requires the package bash-completion; zsh requires "autoload -U compinit; compinit" in ~/.zshrc. Start a new shell afterwards.`,
		Example: `  source <(exoshift completion bash)                                          # this shell only
  exoshift completion bash > ~/.local/share/bash-completion/completions/exoshift
  exoshift completion zsh > "${fpath[1]}/_exoshift"
  exoshift completion fish > ~/.config/fish/completions/exoshift.fish
  exoshift completion powershell >> $PROFILE`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []cobra.Completion{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := writeCompletion(cmd.Root(), args[0], !plain, std); err != nil {
				return fmt.Errorf("write the completion script: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&plain, "no-descriptions", false, "complete without descriptions")
	return cmd
}

func writeCompletion(root *cobra.Command, shell string, described bool, std Streams) error {
	switch {
	case shell == "bash":
		return root.GenBashCompletionV2(std.Out, described)
	case shell == "zsh" && described:
		return root.GenZshCompletion(std.Out)
	case shell == "zsh":
		return root.GenZshCompletionNoDesc(std.Out)
	case shell == "fish":
		return root.GenFishCompletion(std.Out, described)
	case described:
		return root.GenPowerShellCompletionWithDesc(std.Out)
	}
	return root.GenPowerShellCompletion(std.Out)
}
