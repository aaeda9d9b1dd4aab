package openshift

import (
	"fmt"
	"strconv"
	"strings"

	"exoshift/internal/simcloud/kube"
)

// Memory of nodes, and the request of a monitoring pod (inferred), in GiB.
const (
	defaultMemory  = 16
	smallMemory    = 2
	requiredMemory = 4
)

func (k *kubelet) getMemory() string {
	gib := defaultMemory
	if k.clusters.faults.SmallNodes && k.config.Role != "master" {
		gib = smallMemory
	}
	return fmt.Sprintf("%dGi", gib)
}

// describeMemoryShortage returns the scheduler's message about the monitoring, "" if it fits on a node or no candidate node has
// joined yet.
func describeMemoryShortage(nodes []kube.Object) string {
	candidates, full := 0, 0
	for _, node := range nodes {
		if describeMisfit(node, nil, nil) != "" {
			continue
		}
		candidates++
		if gib, err := strconv.Atoi(strings.TrimSuffix(node.GetString("status.capacity.memory"), "Gi")); err == nil && gib < requiredMemory {
			full++
		}
	}
	if candidates == 0 || full < candidates {
		return ""
	}
	return fmt.Sprintf("0/%d nodes are available: %d Insufficient memory, %d node(s) had untolerated taints.", len(nodes), full, len(nodes)-candidates)
}
