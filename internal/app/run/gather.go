package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"exoshift/internal/app/exit"
	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
)

// gatherDiagnostics emits events about its result, and returns where it is. Its own errors are emitted and never replace the failure.
func (r Run) gatherDiagnostics(ctx context.Context, installation *install.Installation, failure error, emit func(provisioner.Event)) (place string) {
	if ctx.Err() != nil || !shouldGather(failure) {
		return ""
	}
	emit(provisioner.Event{Type: provisioner.TypeGathered, State: provisioner.Started, Text: "gathering diagnostic data, for at most one minute"})
	kept, missing := installation.Gather(ctx, failure)
	place = r.formatPlace(kept.Path)
	told := provisioner.Event{Type: provisioner.TypeGathered, State: provisioner.Done, Name: place, Text: fmt.Sprintf("%d files, %s, in %s", kept.Files, text.FormatSize(kept.Bytes), place)}
	if missing != nil {
		told.Reason = "some data is missing; index.json lists it"
		told.Text += "; " + told.Reason
	}
	if kept.Files == 0 {
		told.State, told.Name, told.Text, told.Reason = provisioner.Failed, "", "no data could be gathered", missing.Error()
	}
	emit(told)
	return told.Name
}

// formatPlace returns where a file of the folder will be when the run has ended: a private copy is gone then, and shared state has it.
func (r Run) formatPlace(path string) string {
	name, err := filepath.Rel(r.Folder.Path(), path)
	if !r.Private || err != nil {
		return path
	}
	return filepath.ToSlash(name) + " of shared state " + r.Locations.State
}

// shouldGather excludes failures that are self-explanatory: after a cancellation, or with an action needed.
func shouldGather(failure error) bool {
	var step *provisioner.StepError
	if !errors.As(failure, &step) {
		return false
	}
	code := exit.Code(failure)
	return code != exit.Interrupted && code != exit.Human
}
