package operators

import (
	"fmt"
	"strconv"
	"strings"

	"exoshift/internal/simcloud/kube"
)

// requiredMemory is the request of a monitoring pod (inferred), in GiB.
const requiredMemory = 4

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
