package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/request"
	"exoshift/state"
)

func TestRenewal_AsksInteractively(t *testing.T) {
	ended := state.Facts{IgnitionExpires: time.Now().Add(-time.Hour)}
	standing := ended
	standing.BootstrapRemoved = time.Now()
	for name, c := range map[string]struct {
		facts        state.Facts
		given        cli.Options
		typed        string
		asked, renew bool
	}{
		"a yes":                {ended, cli.Options{Output: cli.OutputTUI}, "y\n", true, true},
		"a no":                 {ended, cli.Options{Output: cli.OutputTUI}, "n\n", true, false},
		"said already":         {ended, cli.NewOptions(request.Request{Renew: true}, cli.OutputTUI), "", false, true},
		"nobody there":         {ended, cli.Options{Output: cli.OutputPlain}, "", false, false},
		"young ones":           {state.Facts{IgnitionExpires: time.Now().Add(time.Hour)}, cli.Options{Output: cli.OutputTUI}, "", false, false},
		"none yet":             {state.Facts{}, cli.Options{Output: cli.OutputTUI}, "", false, false},
		"an installed cluster": {standing, cli.Options{Output: cli.OutputTUI}, "", false, false},
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
		err = promptRenewal(t.Context(), folder, &o, cli.Streams{In: strings.NewReader(c.typed), Out: &out})
		asked := strings.Contains(out.String(), "Replace them? [y/N]")
		if asked != c.asked || o.Renew != c.renew || err != nil {
			t.Errorf("%s: asked %v, renew %v, %v", name, asked, o.Renew, err)
		}
	}
}
