package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"exoshift/internal/console"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
)

// A user signs in once at Lieutenant and once at Vault, in a browser, while the preflight waits for it.
func TestSignIn_DuringChecks(t *testing.T) {
	t.Parallel()
	virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		var shown []string
		s.Access = environment.NewSimulatedAccess(zone)
		browse := s.Access.Show
		s.Access.Show = func(ctx context.Context, page string) error {
			shown = append(shown, page)
			return browse(ctx, page)
		}
		preview, err := s.Preview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(shown) != 2 || !strings.HasPrefix(shown[0], "https://id.vshn.net/") || len(preview.Unseen) > 0 {
			t.Errorf("shown %v, unseen %v", shown, preview.Unseen)
		}
		if !strings.Contains(preview.Difference.Unified, "+    baseDomain: "+s.Spec.Domain()) {
			t.Errorf("the difference:\n%s", preview.Difference.Unified)
		}
	})
}

// A non-interactive plan omits what requires a sign-in.
func TestPlan_WithoutSignIn(t *testing.T) {
	t.Parallel()
	virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		s.Access = &environment.Access{}
		preview, err := s.Preview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(preview.Unseen) != 1 || !strings.Contains(preview.Unseen[0], "it requires a browser,") || preview.Difference.Unified != "" {
			t.Errorf("unseen %v, difference %q", preview.Unseen, preview.Difference.Unified)
		}
		preview.Changes = nil
		if err := changes.CheckUnchanged(nil, preview); exit.Code(err) != exit.Human {
			t.Errorf("who expects no change hears %v", err)
		}
		var lines bytes.Buffer
		if err := console.WritePlanJSON(&lines, nil, preview); err != nil || !strings.Contains(lines.String(), `"unseen":["changes in Project Syn`) {
			t.Errorf("%v\n%s", err, lines.String())
		}
		if _, err := finish(t, s); exit.Code(err) != exit.Human {
			t.Errorf("exit code %d: %v", exit.Code(err), err)
		}
	})
}
