package aboutverbs

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/docs"
	"exoshift/internal/app/exit"
	"exoshift/internal/text/similar"
)

func newDocsCommand(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "docs [PAGE]",
		Short: "Show the documentation",
		Long: `Show a page of the documentation, as plain text. Without PAGE, the pages are listed.

PAGE is a name of the list, such as how-to/nodes, or its last part, nodes.`,
		Example: "  exoshift docs\n  exoshift docs first-cluster\n  exoshift docs security | less",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return listCompletions(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return printList(std.Out)
			}
			page, err := findPage(args[0])
			if err != nil {
				return err
			}
			_, err = io.WriteString(std.Out, Render(page))
			return err
		},
	}
}

func findPage(name string) (docs.Page, error) {
	pages := docs.Find(name)
	if len(pages) == 1 {
		return pages[0], nil
	}
	problem := fmt.Sprintf("there is no page %q", name)
	if len(pages) > 1 {
		problem = fmt.Sprintf("several pages are called %q: %s", name, strings.Join(listNames(pages), ", "))
	} else if meant := findNearest(name); meant != "" {
		problem += "; did you mean " + meant + "?"
	}
	return docs.Page{}, exit.WithCode(exit.Usage, errors.New(problem+"\n  see: exoshift docs"))
}

// findNearest returns the name that is nearest to a mistyped one, which may be its last part; "" for none.
func findNearest(typed string) string {
	names := listNames(docs.List())
	for _, name := range names {
		if at := strings.LastIndexByte(name, '/'); at >= 0 {
			names = append(names, name[at+1:])
		}
	}
	return similar.FindNearest(strings.ToLower(typed), names)
}

func listNames(pages []docs.Page) []string {
	var names []string
	for _, page := range pages {
		names = append(names, page.Name())
	}
	return names
}

func listCompletions() []cobra.Completion {
	var completions []cobra.Completion
	for _, page := range docs.List() {
		completions = append(completions, cobra.CompletionWithDesc(page.Name(), page.Title()))
	}
	return completions
}

// printList lists the pages; of folders in folders only their own list, which has a page for each failure or decision.
func printList(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PAGE\tTITLE")
	for _, page := range docs.List() {
		if strings.Count(page.Name(), "/") < 2 {
			fmt.Fprintf(table, "%s\t%s\n", page.Name(), page.Title())
		}
	}
	return table.Flush()
}
