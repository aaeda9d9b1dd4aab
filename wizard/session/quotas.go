package session

import (
	"fmt"
	"strings"

	"exoshift/state"
	"exoshift/wizard"
)

// CompareQuotas compares limits of the organization with a cluster's needs, in the order of the limits. Limits that do
// not apply are left out.
func CompareQuotas(quotas []wizard.Quota, needs map[string]int) []wizard.QuotaCheck {
	var compared []wizard.QuotaCheck
	for _, quota := range quotas {
		if need := needs[quota.Resource]; need > 0 {
			after := quota.Used + need
			compared = append(compared, wizard.QuotaCheck{
				Quota: quota, Need: need, After: after, Sufficient: quota.Limit < 0 || after <= quota.Limit,
			})
		}
	}
	return compared
}

// CheckQuotas returns a problem for each limit that does not suffice. It names the field that can be changed, where there
// is one, and the excess or the limit to request.
func CheckQuotas(spec state.Spec, quotas []wizard.Quota, needs map[string]int) []wizard.Problem {
	var faults []wizard.Problem
	for _, q := range CompareQuotas(quotas, needs) {
		if q.Sufficient {
			continue
		}
		fault := wizard.Problem{Field: findAdjustableField(q, spec), Message: fmt.Sprintf(
			"the quota %q is too low: %d used, %d needed, limit %d. %s; or request a limit of %d in the Exoscale portal under Organization, Quotas",
			q.Resource, q.Used, q.Need, q.Limit, formatAlternative(q, spec), q.After)}
		faults = append(faults, fault)
	}
	return faults
}

func findAdjustableField(q wizard.QuotaCheck, spec state.Spec) string {
	switch {
	case q.Resource == "instance", q.Resource == "cpu":
		return "sizing.workers.count"
	case q.Resource == "elastic-ip":
		return "loadBalancer.strategy"
	case strings.HasPrefix(q.Resource, "gpu"):
		return findFamilyField(spec, q.Resource)
	}
	return ""
}

func findFamilyField(spec state.Spec, family string) string {
	for _, field := range wizard.Nodes.ListFields(spec) {
		if strings.HasSuffix(field.Key, ".type") && strings.HasPrefix(field.Get(spec), family+".") {
			return field.Key
		}
	}
	return ""
}

func formatAlternative(q wizard.QuotaCheck, spec state.Spec) string {
	over, workers := q.After-q.Limit, spec.Sizing.Workers.Count
	switch {
	case q.Resource == "instance" && workers-over >= wizard.MinNodes:
		return fmt.Sprintf("%d workers instead of %d would fit", workers-over, workers)
	case q.Resource == "instance":
		return fmt.Sprintf("%d fewer instances would fit", over)
	case q.Resource == "elastic-ip":
		return fmt.Sprintf("%d fewer in use would fit, and dns-round-robin needs none", over)
	case strings.HasPrefix(q.Resource, "gpu"):
		return "instances of another type would fit"
	}
	return fmt.Sprintf("%d fewer in use would fit", over)
}
