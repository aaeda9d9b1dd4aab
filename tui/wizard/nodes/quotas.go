package nodes

import (
	"cmp"

	"exoshift/internal/stable"
	"exoshift/tui/components/plan"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// Without limits, the needs are shown alone.
func buildQuotaRows(quotas []wizard.Quota, needs map[string]int) []plan.Quota {
	var rows []plan.Quota
	for _, q := range session.CompareQuotas(quotas, needs) {
		rows = append(rows, plan.Quota{Resource: q.Resource, Used: q.Used, Limit: q.Limit, Need: q.Need})
	}
	if len(quotas) > 0 {
		return rows
	}
	for resource, need := range needs {
		if need > 0 {
			rows = append(rows, plan.Quota{Resource: resource, Need: need, Unknown: true})
		}
	}
	stable.Sort(rows, func(a, b plan.Quota) int {
		return cmp.Or(cmp.Compare(b.Need, a.Need), cmp.Compare(a.Resource, b.Resource))
	})
	return rows
}

func buildCost(theme theme.Theme, e wizard.Estimate) plan.Cost {
	return plan.Cost{Theme: theme, Hour: e.Hour, Month: e.Month, Date: e.Date, Unknown: e.Unknown, Machines: e.Machines}
}
