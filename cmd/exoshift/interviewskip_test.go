package main

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"exoshift/internal/app/interview"
	"exoshift/provisioner"
	"exoshift/wizard"
)

func TestTrackCheckStates_SkippedNamesFailed(t *testing.T) {
	steps := provisioner.Plan{
		{ID: "offers", Title: "Check instance types", Do: func(context.Context, provisioner.Report) error { return errors.New("no such type") }},
		{ID: "quotas", Title: "Check the quotas", Needs: []string{"offers"}},
	}
	var last wizard.CheckState
	emit := interview.TrackCheckStates(steps, &sync.Map{}, func(now wizard.CheckState) { last = now })
	if err := provisioner.Run(t.Context(), steps, emit); err == nil {
		t.Fatal("a failed check is no failure")
	}
	if last.ID != "quotas" || !strings.Contains(last.Text, `because "Check instance types" did not succeed`) {
		t.Errorf("%+v", last)
	}
}
