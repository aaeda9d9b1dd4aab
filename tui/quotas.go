package tui

import (
	"cmp"
	"reflect"
	"slices"

	"exoshift/state"
	"exoshift/tui/pane"
	"exoshift/wizard"
)

// quotas are the limits of the organization, as far as the outside told them. What was told before nobody could tell any
// more is not held against anybody.
func (t *talk) quotas() []wizard.Quota {
	var all []wizard.Quota
	for _, q := range t.inquiries {
		if q.err == nil {
			all = append(all, q.reply.Quotas...)
		}
	}
	return all
}

// estimate says what the cluster of a Spec costs and needs.
func (t *talk) estimate(spec state.Spec) wizard.Estimate {
	if t.interview.Estimate == nil {
		return wizard.Estimate{}
	}
	return t.interview.Estimate(spec)
}

// shortages are the limits that do not suffice for the answers as they are.
func (t *talk) shortages() []wizard.Fault {
	quotas := t.quotas()
	if len(quotas) == 0 {
		return nil
	}
	return wizard.Shortages(t.spec(), quotas, t.weighed.of(t, t.spec()).Needs)
}

// stray are the shortages that no answer can mend: they stop those who leave the nodes.
func (t *talk) stray(screen wizard.Screen) []wizard.Fault {
	if screen != wizard.Nodes {
		return nil
	}
	return slices.DeleteFunc(t.shortages(), func(f wizard.Fault) bool { return f.Field != "" })
}

// weighing remembers what answers need, since that is asked for far more often than it changes.
type weighing struct {
	sizing   state.SizingSpec
	strategy string
	done     bool
	estimate wizard.Estimate
}

// of returns the estimate for a Spec.
func (w *weighing) of(t *talk, spec state.Spec) wizard.Estimate {
	if w.done && w.strategy == spec.LoadBalancer.Strategy && reflect.DeepEqual(w.sizing, spec.Sizing) {
		return w.estimate
	}
	spec = detached(spec)
	*w = weighing{sizing: spec.Sizing, strategy: spec.LoadBalancer.Strategy, done: true, estimate: t.estimate(spec)}
	return w.estimate
}

// quotaRows compares limits with needs; without limits, the needs are shown alone.
func quotaRows(quotas []wizard.Quota, needs map[string]int) []pane.Quota {
	var rows []pane.Quota
	for _, q := range wizard.Weigh(quotas, needs) {
		rows = append(rows, pane.Quota{Resource: q.Resource, Used: q.Used, Limit: q.Limit, Need: q.Need})
	}
	if len(quotas) > 0 {
		return rows
	}
	for resource, need := range needs {
		if need > 0 {
			rows = append(rows, pane.Quota{Resource: resource, Need: need, Unasked: true})
		}
	}
	slices.SortFunc(rows, func(a, b pane.Quota) int {
		return cmp.Or(cmp.Compare(b.Need, a.Need), cmp.Compare(a.Resource, b.Resource))
	})
	return rows
}

// costPane shows an estimate.
func costPane(theme pane.Theme, e wizard.Estimate) pane.Cost {
	return pane.Cost{Theme: theme, Hour: e.Hour, Month: e.Month, Date: e.Date, Unknown: e.Unknown, Machines: e.Machines}
}
