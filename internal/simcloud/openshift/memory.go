package openshift

import (
	"fmt"
	"strconv"
	"strings"

	"exoshift/internal/simcloud/kube"
)

// Memory of nodes, and what one needs for a pod of the monitoring (inferred), in GiB.
const (
	defaultMemory  = 16
	smallMemory    = 2
	requiredMemory = 4
)

// getMemory is what the kubelet says that the machine has.
func (k *kubelet) getMemory() string {
	gib := defaultMemory
	if k.clusters.faults.SmallNodes && k.config.Role != "master" {
		gib = smallMemory
	}
	return fmt.Sprintf("%dGi", gib)
}

// describeMemoryShortage tells in the scheduler's words why the monitoring has no node to run on, "" if there is one or none
// that it might run on has come yet.
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
