package resource

import (
	"maps"
	"net/http"
	"strings"

	"exoshift/internal/simcloud/api/rest"
	"exoshift/internal/stable"
)

// Quotas are the limits of an organization, over all zones.
type Quotas struct {
	limits map[string]int
	usage  map[string]func() int
}

type wireQuota struct {
	Resource string `json:"resource"`
	Usage    int    `json:"usage"`
	Limit    int    `json:"limit"` // -1: none
}

// NewQuotas returns the limits in force. Those of elastic IPs (5 in an organization), buckets, GPUs, memory, CPU and storage
// are documented or recorded; the names of the others are known, their values are guesses: that of instances suffices for a
// cluster of a thousand nodes. That the latest family of GPUs has one, too, is a guess, too.
func NewQuotas(overrides map[string]int) *Quotas {
	limits := map[string]int{
		"instance": 2000, "snapshot": 100, "template": 30, "elastic-ip": 5, "iam-key": 100, "private-network": 30,
		"network-load-balancer": 5, "sks-cluster": 10, "database": 15, "bucket": 100, "block-storage": 20480,
		"block-storage-volume": 1000, "block-storage-max-size": 10240, "block-storage-volume-attachments": 5,
		"memory": -1, "cpu": -1, "storage": -1, "gpu": 0, "gpu2": 0, "gpu3": 0, "gpua30": 0, "gpu3080ti": 0,
		"gpua5000": 0, "gpurtx6000pro": 0, "gpub300": 0,
	}
	maps.Copy(limits, overrides)
	return &Quotas{limits: limits, usage: map[string]func() int{}}
}

// Count sets how the usage of a resource is counted; without it nothing is used.
func (q *Quotas) Count(resource string, usage func() int) { q.usage[resource] = usage }

// RegisterRoutes adds the routes of quotas.
func (q *Quotas) RegisterRoutes(register rest.Register) {
	register("GET /quota", func(*rest.Request) (any, error) {
		var quotas []wireQuota
		for resource := range q.limits {
			quotas = append(quotas, q.view(resource))
		}
		stable.Sort(quotas, func(x, y wireQuota) int { return strings.Compare(x.Resource, y.Resource) })
		return map[string]any{"quotas": quotas}, nil
	})
	register("GET /quota/{id}", func(req *rest.Request) (any, error) {
		if _, ok := q.limits[req.ID()]; !ok {
			return nil, rest.NotFound("quota", req.ID())
		}
		return q.view(req.ID()), nil
	})
}

func (q *Quotas) view(resource string) wireQuota {
	return wireQuota{Resource: resource, Usage: q.count(resource), Limit: q.limits[resource]}
}

// Limit returns the limit of a resource; negative: there is no limit.
func (q *Quotas) Limit(resource string) int {
	if limit, ok := q.limits[resource]; ok {
		return limit
	}
	return -1
}

func (q *Quotas) count(resource string) int {
	if count, ok := q.usage[resource]; ok {
		return count()
	}
	return 0
}

// Check refuses that many more of a resource if they exceed its limit.
func (q *Quotas) Check(resource string, more int) error {
	limit := q.Limit(resource)
	if limit < 0 || q.count(resource)+more <= limit {
		return nil
	}
	return rest.Errorf(http.StatusForbidden, "Quota exceeded: your organization may have %d of resource %s", limit, resource)
}
