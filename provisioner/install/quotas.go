package install

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/access"
	"exoshift/state"
)

// QuotaCheck is one limit of the organization with the needs of the installation.
type QuotaCheck struct {
	Resource   string `json:"resource"`
	Need       int    `json:"need"`
	Used       int    `json:"used"`
	Limit      int    `json:"limit"` // -1: none
	After      int    `json:"after"`
	Sufficient bool   `json:"sufficient"`
}

func (i *Installation) checkQuotas(ctx context.Context, report provisioner.Report) error {
	checks, err := i.listQuotaChecks(ctx)
	if err != nil {
		return err
	}
	var short []string
	var field string
	for _, check := range checks {
		report.EmitProgress(check.String())
		if !check.Sufficient {
			short = append(short, check.String())
			field = cmp.Or(field, countField(check.Resource))
		}
	}
	if len(short) > 0 {
		return fault.Newf(fault.Quota, "check quotas", "%s", strings.Join(short, "; ")).
			WithHint("ask Exoscale for higher limits in the portal under Organization, Quotas; this run has created nothing").WithField(field)
	}
	cost, err := Estimate(i.spec)
	if err != nil {
		return err
	}
	report.EmitProgress(cost.String())
	if i.options.Accepted == nil {
		return nil
	}
	return i.options.Accepted()
}

func countField(resource string) string {
	if resource == "instance" || resource == "cpu" {
		return "sizing.workers.count"
	}
	return ""
}

func (q QuotaCheck) String() string {
	limit := "no limit"
	if q.Limit >= 0 {
		limit = fmt.Sprintf("%d allowed", q.Limit)
	}
	return fmt.Sprintf("%s: needs %d more, %d in use, %s, %d afterwards", q.Resource, q.Need, q.Used, limit, q.After)
}

func (i *Installation) listQuotaChecks(ctx context.Context) ([]QuotaCheck, error) {
	quotas, err := i.clients.Cloud.ListQuotas(ctx)
	if err != nil {
		return nil, err
	}
	needs := i.countMissing()
	var checks []QuotaCheck
	for _, quota := range quotas {
		need := needs[quota.Resource]
		if need == 0 {
			continue
		}
		after := quota.Used + need
		checks = append(checks, QuotaCheck{
			Resource: quota.Resource, Need: need, Used: quota.Used, Limit: quota.Limit, After: after,
			Sufficient: quota.Limit < 0 || after <= quota.Limit,
		})
	}
	return checks, nil
}

// CountNeeds returns the needs of a new installation at its peak, by the names of Exoscale's quotas. Without the zone's
// types, CPUs and GPUs are not counted.
func CountNeeds(spec state.Spec, types []state.InstanceType) map[string]int {
	i := &Installation{spec: spec, facts: &state.FactsStore{}, types: indexTypes(types)}
	needs := i.countMissing()
	maps.DeleteFunc(needs, func(_ string, n int) bool { return n == 0 })
	return needs
}

// At the peak the bootstrap machine runs beside all others. The unit of the quotas for memory and storage is not known;
// organizations have no limit on them.
func (i *Installation) countMissing() map[string]int {
	needs := map[string]int{}
	for _, machine := range i.listMachines() {
		if i.hasObject(state.KindInstance, machine.Name) {
			continue
		}
		needs["instance"]++
		needs["cpu"] += i.types[machine.Type].CPUs
		if family, _, _ := strings.Cut(machine.Type, "."); strings.HasPrefix(family, "gpu") {
			needs[family] += i.types[machine.Type].GPUs
		}
	}
	i.countNew(needs, "elastic-ip", state.KindElasticIP, i.listElasticIPNames()...)
	i.countNew(needs, "iam-key", state.KindAPIKey, i.listKeyNames()...)
	i.countNew(needs, "bucket", state.KindBucket, i.listMissingBuckets()...)
	if i.Facts().Template == "" || !i.hasObject(state.KindTemplate, i.Facts().Template) {
		needs["template"] = 1
	}
	return needs
}

func (i *Installation) listMissingBuckets() []string {
	if i.Facts().IsBootstrapped() {
		return access.ListPersistentBuckets(i.spec)
	}
	return i.spec.BucketNames()
}

func (i *Installation) listElasticIPNames() []string {
	if i.spec.IsRoundRobin() {
		return nil
	}
	return []string{i.spec.ObjectName("api"), i.spec.ObjectName("ingress")}
}

func (i *Installation) listKeyNames() []string {
	var names []string
	for _, policy := range assets.ListPolicies() {
		names = append(names, i.spec.ObjectName(policy))
	}
	return names
}

func (i *Installation) countNew(needs map[string]int, resource, kind string, names ...string) {
	for _, name := range names {
		if !i.hasObject(kind, name) {
			needs[resource]++
		}
	}
}

func (i *Installation) hasObject(kind, name string) bool {
	for _, o := range i.existing {
		if o.Kind == kind && o.Name == name && (kind != state.KindInstance || o.Labels[state.LabelCluster] == i.spec.Cluster.ID) {
			return true
		}
	}
	return false
}
