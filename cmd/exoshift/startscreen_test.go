package main

import (
	"context"
	"testing"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/interview"
	"exoshift/state"
	tuiwizard "exoshift/tui/wizard"
)

func TestStartScreen_OpenFailureExitCode(t *testing.T) {
	d := startScreen{
		open: func(context.Context) (*interview.Backend, error) { return nil, &state.LockedError{Path: "x"} },
		frontend: func(ctx context.Context, w tuiwizard.Options) (tuiwizard.Outcome, error) { // its screen shows the error, and is closed
			_, err := w.Open(ctx, "")
			if err == nil {
				t.Error("a folder that somebody holds was opened")
			}
			return tuiwizard.Outcome{}, nil
		},
	}
	if code := exit.Code(d.run(t.Context())); code != exit.Locked {
		t.Errorf("exit code %d", code)
	}
}
