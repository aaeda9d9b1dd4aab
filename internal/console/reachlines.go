package console

import (
	"fmt"
	"io"
	"time"

	"exoshift/wizard/reach"
)

// NewReachLines returns a printer of one line for each result as it comes: everything, or problems alone. It must be
// called by one goroutine at a time. now is the time of day.
func NewReachLines(w io.Writer, now func() time.Time, everything bool) func(reach.Result) {
	return func(r reach.Result) {
		if everything || isProblem(r) {
			fmt.Fprintf(w, "%s %s\n", now().Format(time.TimeOnly), problemLine(r, true))
		}
	}
}
