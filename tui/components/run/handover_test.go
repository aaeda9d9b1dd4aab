package run

import (
	"strings"
	"testing"

	"exoshift/provisioner/handover"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/tuitest"
)

// The handover report fills exactly its cells, whatever it shows.
func FuzzHandoverIsExact(f *testing.F) {
	f.Add(80, 24, "Check the zone", 3, false)
	f.Add(0, -3, "世界世界世界世界世界世界", 0, true)
	f.Add(119, 2, "two\nlines and a word"+strings.Repeat("x", 300), 9, true)
	f.Add(40, -3, "scrolled", 19, false)
	f.Add(122, -3, "beside a picture", 19, false)
	f.Fuzz(func(t *testing.T, width, height int, text string, n int, ascii bool) {
		width, height, n = width%250, height%80, (n%20+20)%20
		styles, text := tuitest.NewTheme(ascii), cells.Sanitize(text)
		spec := state.Default()
		spec.Cluster.ID, spec.Exoscale.Zone = text, text
		report := handover.New(handover.Input{Spec: spec, Folder: text, Hour: 1, PriceDate: text})
		tuitest.CheckExact(t, Handover{Theme: styles, Report: report, Offset: n}, width, height)
	})
}
