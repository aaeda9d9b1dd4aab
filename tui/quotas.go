package tui

import (
	"cmp"
	"reflect"
	"slices"

	"exoshift/state"
	"exoshift/tui/pane"
	"exoshift/wizard"
)

// listQuotas returns the limits of the organization from the latest lookup. After a failed one, earlier limits are not applied.
func (t *session) listQuotas() []wizard.Quota {
	var all []wizard.Quota
	for _, q := range t.lookups {
		if q.err == nil {
			all = append(all, q.result.Quotas...)
		}
	}
	return all
}

func (t *session) computeEstimate(spec state.Spec) wizard.Estimate {
	if t.interview.Estimate == nil {
		return wizard.Estimate{}
	}
	return t.interview.Estimate(spec)
}

func (t *session) listShortages() []wizard.Problem {
	quotas := t.listQuotas()
	if len(quotas) == 0 {
		return nil
	}
	return wizard.CheckQuotas(t.spec(), quotas, t.estimates.get(t, t.spec()).Needs)
}

// listUnassignedShortages returns the shortages that no answer can solve: they block leaving the nodes screen.
func (t *session) listUnassignedShortages(screen wizard.Screen) []wizard.Problem {
	if screen != wizard.Nodes {
		return nil
	}
	return slices.DeleteFunc(t.listShortages(), func(f wizard.Problem) bool { return f.Field != "" })
}

// estimateCache holds the latest estimate, since it is read far more often than it changes.
type estimateCache struct {
	sizing   state.SizingSpec
	strategy string
	known    bool
	estimate wizard.Estimate
}

func (w *estimateCache) get(t *session, spec state.Spec) wizard.Estimate {
	if w.known && w.strategy == spec.LoadBalancer.Strategy && reflect.DeepEqual(w.sizing, spec.Sizing) {
		return w.estimate
	}
	spec = copyGroups(spec)
	*w = estimateCache{sizing: spec.Sizing, strategy: spec.LoadBalancer.Strategy, known: true, estimate: t.computeEstimate(spec)}
	return w.estimate
}

// Without limits, the needs are shown alone.
func buildQuotaRows(quotas []wizard.Quota, needs map[string]int) []pane.Quota {
	var rows []pane.Quota
	for _, q := range wizard.CompareQuotas(quotas, needs) {
		rows = append(rows, pane.Quota{Resource: q.Resource, Used: q.Used, Limit: q.Limit, Need: q.Need})
	}
	if len(quotas) > 0 {
		return rows
	}
	for resource, need := range needs {
		if need > 0 {
			rows = append(rows, pane.Quota{Resource: resource, Need: need, Unknown: true})
		}
	}
	slices.SortFunc(rows, func(a, b pane.Quota) int {
		return cmp.Or(cmp.Compare(b.Need, a.Need), cmp.Compare(a.Resource, b.Resource))
	})
	return rows
}

func buildCost(theme pane.Theme, e wizard.Estimate) pane.Cost {
	return pane.Cost{Theme: theme, Hour: e.Hour, Month: e.Month, Date: e.Date, Unknown: e.Unknown, Machines: e.Machines}
}
