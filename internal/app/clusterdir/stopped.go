package clusterdir

import (
	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/state"
)

// CheckStarted returns an error for a cluster whose machines were stopped: nothing about it can be changed until it is started again.
func CheckStarted(facts state.Facts) error {
	if known := facts.Hibernation; known != nil && known.Committed {
		return exit.WithCode(exit.Answers, fault.Newf(fault.Conflict, "use the cluster", "nothing was changed: the cluster was stopped, and is not started again yet").
			WithHint("start it first: exoshift start"))
	}
	return nil
}

// CheckRotated returns an error for a cluster whose API keys are being replaced: there are two of some.
func CheckRotated(facts state.Facts) error {
	if facts.Rotation != nil {
		return exit.WithCode(exit.Answers, fault.Newf(fault.Conflict, "use the API keys", "nothing was changed: a rotation of the cluster's API keys has not ended").
			WithHint("end it first: exoshift rotate api-keys"))
	}
	return nil
}
