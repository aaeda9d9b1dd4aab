package api

import (
	"net/http"
	"slices"
	"strings"
)

type wireQuota struct {
	Resource string `json:"resource"`
	Usage    int    `json:"usage"`
	Limit    int    `json:"limit"` // -1: none
}

// mergeLimits returns the limits in force. Those of elastic IPs (5 in an organization), buckets, GPUs, memory, CPU and storage
// are documented or recorded; the names of the others are known, their values are guesses: that of instances suffices for a
// cluster of a thousand nodes. That the latest family of GPUs has one, too, is a guess, too.
func mergeLimits(overrides map[string]int) map[string]int {
	limits := map[string]int{
		"instance": 2000, "snapshot": 100, "template": 30, "elastic-ip": 5, "iam-key": 100, "private-network": 30,
		"network-load-balancer": 5, "sks-cluster": 10, "database": 15, "bucket": 100, "block-storage": 20480,
		"block-storage-volume": 1000, "block-storage-max-size": 10240, "block-storage-volume-attachments": 5,
		"memory": -1, "cpu": -1, "storage": -1, "gpu": 0, "gpu2": 0, "gpu3": 0, "gpua30": 0, "gpu3080ti": 0,
		"gpua5000": 0, "gpurtx6000pro": 0, "gpub300": 0,
	}
	for resource, limit := range overrides {
		limits[resource] = limit
	}
	return limits
}

func (a *API) registerQuotaRoutes(register func(string, handler)) {
	register("GET /quota", func(*call) (any, error) {
		var quotas []wireQuota
		for resource := range a.limits {
			quotas = append(quotas, a.computeQuota(resource))
		}
		slices.SortFunc(quotas, func(x, y wireQuota) int { return strings.Compare(x.Resource, y.Resource) })
		return map[string]any{"quotas": quotas}, nil
	})
	register("GET /quota/{id}", func(c *call) (any, error) {
		if _, ok := a.limits[c.id()]; !ok {
			return nil, newNotFound("quota", c.id())
		}
		return a.computeQuota(c.id()), nil
	})
}

func (a *API) computeQuota(resource string) wireQuota {
	return wireQuota{Resource: resource, Usage: a.countUsage(resource), Limit: a.limits[resource]}
}

// Limit returns the organization's limit of a resource; negative: there is no limit.
func (a *API) Limit(resource string) int {
	if limit, ok := a.limits[resource]; ok {
		return limit
	}
	return -1
}

// countUsage counts over all zones: quotas belong to the organization.
func (a *API) countUsage(resource string) int {
	switch resource {
	case "instance":
		return a.tables.instances.count()
	case "elastic-ip":
		return a.tables.elasticIPs.count()
	case "template":
		return a.tables.templates.count()
	case "private-network":
		return a.tables.networks.count()
	case "network-load-balancer":
		return a.tables.balancers.count()
	case "snapshot":
		return a.tables.snapshots.count()
	case "block-storage-volume":
		return a.tables.volumes.count()
	case "block-storage":
		return a.countVolumeSize()
	case "bucket":
		return len(a.getBuckets())
	case "iam-key":
		return a.tables.apiKeys.count()
	}
	return a.countInstanceUsage(resource)
}

func (a *API) countInstanceUsage(resource string) int {
	sum := 0
	for _, i := range a.tables.instances.listAll() {
		kind, err := a.findInstanceType(i.Type)
		switch {
		case err != nil: // a type that no longer exists is not counted
		case resource == "cpu":
			sum += kind.CPUs
		case resource == "memory":
			sum += kind.Memory
		case resource == kind.Family:
			sum += kind.GPUs
		}
	}
	return sum
}

func (a *API) checkQuota(resource string, more int) error {
	limit := a.Limit(resource)
	if limit < 0 || a.countUsage(resource)+more <= limit {
		return nil
	}
	return newAPIError(http.StatusForbidden, "Quota exceeded: your organization may have %d of resource %s", limit, resource)
}
