package preflight

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
	"exoshift/provisioner/install/network"
	"exoshift/state"
)

// Quotas compares the organization's limits with the needs of an installation.
type Quotas struct {
	spec         state.Spec
	facts        *state.FactsStore
	cloud        Cloud
	inventory    *Inventory
	availability *Availability
	accepted     func() error // called once everything is checked; may be nil
}

// NewQuotas returns the check of the quotas, the last one before anything is changed: accepted is called after it,
// unless it is nil.
func NewQuotas(spec state.Spec, facts *state.FactsStore, cloud Cloud, inventory *Inventory, availability *Availability, accepted func() error) *Quotas {
	return &Quotas{spec: spec, facts: facts, cloud: cloud, inventory: inventory, availability: availability, accepted: accepted}
}

// QuotaCheck is one limit of the organization with the needs of the installation.
type QuotaCheck struct {
	Resource   string `json:"resource"`
	Need       int    `json:"need"`
	Used       int    `json:"used"`
	Limit      int    `json:"limit"` // -1: none
	After      int    `json:"after"`
	Sufficient bool   `json:"sufficient"`
}

// Check fails with fault.Quota if a limit is too low.
func (q *Quotas) Check(ctx context.Context, report provisioner.Report) error {
	checks, err := q.List(ctx)
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
			WithHint("request higher limits in the Exoscale portal under Organization, Quotas; nothing was created").WithField(field)
	}
	cost, err := Estimate(q.spec)
	if err != nil {
		return err
	}
	report.EmitProgress(cost.String())
	if q.accepted == nil {
		return nil
	}
	return q.accepted()
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

// List returns the limits that the installation needs more of.
func (q *Quotas) List(ctx context.Context) ([]QuotaCheck, error) {
	quotas, err := q.cloud.ListQuotas(ctx)
	if err != nil {
		return nil, err
	}
	needs := q.countMissing()
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
	q := NewQuotas(spec, &state.FactsStore{}, nil, &Inventory{spec: spec}, &Availability{types: indexTypes(types)}, nil)
	needs := q.countMissing()
	maps.DeleteFunc(needs, func(_ string, n int) bool { return n == 0 })
	return needs
}

// At the peak the bootstrap machine runs beside all others. The unit of the quotas for memory and storage is not known;
// organizations have no limit on them.
func (q *Quotas) countMissing() map[string]int {
	needs := map[string]int{}
	for _, machine := range ListMachines(q.spec, q.facts.Get()) {
		if q.inventory.hasObject(state.KindInstance, machine.Name) {
			continue
		}
		needs["instance"]++
		needs["cpu"] += q.availability.types[machine.Type].CPUs
		if family, _, _ := strings.Cut(machine.Type, "."); strings.HasPrefix(family, "gpu") {
			needs[family] += q.availability.types[machine.Type].GPUs
		}
	}
	q.countNew(needs, "elastic-ip", state.KindElasticIP, q.listElasticIPNames()...)
	if q.spec.Network.PrivateNetwork != "" {
		q.countNew(needs, "private-network", state.KindPrivateNetwork, network.FormatPrivateNetwork(q.spec))
	}
	q.countNew(needs, "iam-key", state.KindAPIKey, q.listKeyNames()...)
	q.countNew(needs, "bucket", state.KindBucket, q.listMissingBuckets()...)
	if q.facts.Get().Template == "" || !q.inventory.hasObject(state.KindTemplate, q.facts.Get().Template) {
		needs["template"] = 1
	}
	return needs
}

func (q *Quotas) listMissingBuckets() []string {
	if q.facts.Get().IsBootstrapped() {
		return access.ListPersistentBuckets(q.spec)
	}
	return q.spec.BucketNames()
}

func (q *Quotas) listElasticIPNames() []string {
	if q.spec.IsRoundRobin() {
		return nil
	}
	return []string{q.spec.ObjectName("api"), q.spec.ObjectName("ingress")}
}

func (q *Quotas) listKeyNames() []string {
	var names []string
	for _, policy := range assets.ListPolicies() {
		names = append(names, q.spec.ObjectName(policy))
	}
	return names
}

func (q *Quotas) countNew(needs map[string]int, resource, kind string, names ...string) {
	for _, name := range names {
		if !q.inventory.hasObject(kind, name) {
			needs[resource]++
		}
	}
}
