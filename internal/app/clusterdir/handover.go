package clusterdir

import (
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/preflight"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// BuildHandover is for a folder whose run has succeeded. kept reports whether the folder is kept.
func BuildHandover(folder state.Folder, spec state.Spec, kept bool) (handover.Report, error) {
	facts, err := folder.LoadFacts()
	if err != nil {
		return handover.Report{}, err
	}
	source := handover.Input{Spec: spec, Facts: facts, Board: provisioner.NewBoard(install.Steps(spec)), Rehearsal: facts.Rehearsal}
	source.Secrets = syn.ListSecretNames()
	if err := ReadEvents(folder, source.Board.Fold); err != nil {
		return handover.Report{}, err
	}
	if kept {
		source.Folder = folder.Path()
	}
	cost, err := preflight.Estimate(spec)
	source.Hour, source.Month, source.PriceDate, source.Unpriced = cost.Hour, cost.Month, cost.Date, cost.Unknown
	return handover.New(source), err
}

// DescribeHandover reports an error as a note, for display only.
func DescribeHandover(folder state.Folder, spec state.Spec, kept bool) handover.Report {
	report, err := BuildHandover(folder, spec, kept)
	if err != nil {
		report.Title, report.Note = "The cluster is installed", "Its details could not be read: "+err.Error()
	}
	return report
}
