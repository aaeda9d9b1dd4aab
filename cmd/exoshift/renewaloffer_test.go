package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"exoshift/state"
)

func TestCertificatesThatEndedAreAskedAboutWhereSomebodyCanAnswer(t *testing.T) {
	ended := state.Facts{IgnitionExpires: time.Now().Add(-time.Hour)}
	standing := ended
	standing.BootstrapRemoved = time.Now()
	for name, c := range map[string]struct {
		facts        state.Facts
		given        options
		typed        string
		asked, renew bool
	}{
		"a yes":                 {ended, options{output: outputTUI}, "y\n", true, true},
		"a no":                  {ended, options{output: outputTUI}, "n\n", true, false},
		"said already":          {ended, options{output: outputTUI, renew: true}, "", false, true},
		"nobody there":          {ended, options{output: outputPlain}, "", false, false},
		"young ones":            {state.Facts{IgnitionExpires: time.Now().Add(time.Hour)}, options{output: outputTUI}, "", false, false},
		"none yet":              {state.Facts{}, options{output: outputTUI}, "", false, false},
		"a cluster that stands": {standing, options{output: outputTUI}, "", false, false},
	} {
		folder, err := state.Create(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := folder.SaveFacts(c.facts); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		o := c.given
		err = promptRenewal(t.Context(), folder, &o, streams{in: strings.NewReader(c.typed), out: &out})
		asked := strings.Contains(out.String(), "Replace them? [y/N]")
		if asked != c.asked || o.renew != c.renew || err != nil {
			t.Errorf("%s: asked %v, renew %v, %v", name, asked, o.renew, err)
		}
	}
}
