package main

import (
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/preflight"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// buildHandover is for a folder whose run has succeeded. kept reports whether the folder is kept.
func buildHandover(folder state.Folder, spec state.Spec, kept bool) (handover.Report, error) {
	facts, err := folder.LoadFacts()
	if err != nil {
		return handover.Report{}, err
	}
	source := handover.Input{Spec: spec, Facts: facts, Board: provisioner.NewBoard(install.Steps(spec)), Rehearsal: facts.Rehearsal}
	source.Secrets = syn.ListSecretNames()
	if err := readEvents(folder, source.Board.Fold); err != nil {
		return handover.Report{}, err
	}
	if kept {
		source.Folder = folder.Path()
	}
	cost, err := preflight.Estimate(spec)
	source.Hour, source.Month, source.PriceDate, source.Unpriced = cost.Hour, cost.Month, cost.Date, cost.Unknown
	return handover.New(source), err
}

// readHandover reports an error as a note, for display only.
func readHandover(folder state.Folder, spec state.Spec, kept bool) handover.Report {
	report, err := buildHandover(folder, spec, kept)
	if err != nil {
		report.Title, report.Note = "The cluster is installed", "What is known about it could not be read: "+err.Error()
	}
	return report
}

func (s *session) saveHandover() error {
	report, err := buildHandover(s.folder, s.spec, !s.temporary)
	s.locations.Handover = report
	if s.temporary || err != nil {
		return err
	}
	return s.folder.Write(state.HandoverFile, report.RenderMarkdown())
}
