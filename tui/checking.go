package tui

import (
	"context"
	"io"
	"time"

	"exoshift/wizard/reach"
)

// Checking is what the screen of reachability shows and may ask for. Its functions may be called from any goroutine.
type Checking struct {
	Title    string        // e.g. "c-demo-1 in ch-gva-2"
	Checks   []reach.Check // in the order in which they are shown
	Vantages []string      // the columns; those after the first are run only after a yes to their terms
	// Run makes the checks of these IDs from a vantage, nil: all of them, and tells each result.
	Run func(ctx context.Context, vantage string, ids []string, tell func(reach.Result)) error
	// Terms says what a vantage does and costs, one sentence; "" needs no yes.
	Terms func(vantage string) string
	Watch bool
	// Skip has a check left out from now on and returns what to write into the answers so that it stays so.
	Skip func(id, reason string, until time.Time) (answer string, err error)
	// Save writes the report and the firewall request and returns their paths.
	Save func(reach.Report) (paths []string, err error)

	In      io.Reader // nil for the standard input
	Out     io.Writer // nil for the standard output
	NoColor bool
	ASCII   bool
	Now     func() time.Time // nil for the wall clock
}

// Check shows the checks until the operator leaves, and returns the report as it is then. It begins with a run from the
// first vantage. The terminal is given back, whatever happens.
func Check(_ context.Context, _ Checking) (reach.Report, error) {
	return reach.Report{}, nil // TODO
}
