package session

import (
	"reflect"
	"slices"

	"exoshift/state"
	"exoshift/wizard"
)

// Estimates keeps the latest estimates: they are read far more often than they change.
type Estimates struct {
	estimate func(state.Spec) wizard.Estimate // nil: none
	kept     []keptEstimate
}

type keptEstimate struct {
	sizing   state.SizingSpec
	strategy string
	wizard.Estimate
}

// maxEstimates suffices for the answers and a few candidates.
const maxEstimates = 4

// Estimate returns the costs and needs of a cluster; the zero value if the interview estimates none.
func (e *Estimates) Estimate(spec state.Spec) wizard.Estimate {
	if e.estimate == nil {
		return wizard.Estimate{}
	}
	for _, kept := range e.kept {
		if kept.strategy == spec.LoadBalancer.Strategy && reflect.DeepEqual(kept.sizing, spec.Sizing) {
			return kept.Estimate
		}
	}
	spec.Sizing.ExtraGroups = slices.Clone(spec.Sizing.ExtraGroups)
	added := keptEstimate{spec.Sizing, spec.LoadBalancer.Strategy, e.estimate(spec)}
	e.kept = append(e.kept[max(len(e.kept)-maxEstimates+1, 0):], added)
	return added.Estimate
}
