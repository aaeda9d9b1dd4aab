package cli

import (
	"encoding/json"
	"fmt"

	"exoshift/internal/console"
	"exoshift/internal/text"
	"exoshift/provisioner"
)

// NewFindingPrinter prints findings about a backup beside a run, for programs as the events of one.
func NewFindingPrinter(o Options, std Streams) provisioner.Report {
	return func(event provisioner.Event) {
		if o.Output.IsJSON() {
			_ = json.NewEncoder(std.Out).Encode(event) // nobody reads it any more
			return
		}
		fmt.Fprintf(std.Err, "%s: %s\n", event.Name, console.SanitizeLine(event.Text))
		for _, line := range event.Evidence {
			fmt.Fprintf(std.Err, "  %s\n", console.SanitizeLine(line))
		}
		fmt.Fprintf(std.Err, "%s\n", text.Sanitize(event.Hint, text.WithLines))
	}
}
