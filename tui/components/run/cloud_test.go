package run

import (
	"testing"

	"exoshift/provisioner"
)

func TestCloud_CountsInCorrectWords(t *testing.T) {
	class := provisioner.ObjectView{Kind: "storageclass", Name: "fast", Action: "created"}
	for name, c := range map[string]struct {
		cloud            Cloud
		summary, remains string
	}{
		"of an installation":    {Cloud{}, "nothing created yet", "nothing created yet"},
		"of an installed one":   {Cloud{Installed: true}, "nothing changed yet", "nothing changed yet"},
		"one object":            {Cloud{Objects: []provisioner.ObjectView{class}}, "1 storageclass", "1 object stays"},
		"a kind that ends in s": {Cloud{Objects: []provisioner.ObjectView{class, class}}, "2 storageclasses", "2 objects stay"},
	} {
		if got := c.cloud.RenderSummary(); got != c.summary {
			t.Errorf("%s: %q", name, got)
		}
		if got := c.cloud.FormatRemaining(); got != c.remains {
			t.Errorf("%s: %q", name, got)
		}
	}
}
