package operators

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/machineconfig"
	"exoshift/internal/simcloud/openshift/upgrade"
)

// Annotations of a node by which the machine-config operator and its daemon speak.
const (
	CurrentConfig = upgrade.CurrentConfig
	DesiredConfig = upgrade.DesiredConfig
	ConfigState   = upgrade.ConfigState
)

// findMismatches returns the reports of the machine config daemons of a pool's nodes, by node: a configuration that the cluster does not
// have, or one that cannot be applied.
func (k machineConfigOperator) findMismatches(members []kube.Object) map[string]string {
	reports := map[string]string{}
	for _, node := range members {
		annotations := node.Map("metadata.annotations")
		name, _ := annotations[CurrentConfig].(string)
		if _, known := k.Objects.Get(machineconfig.Resource, "", name); name != "" && !known {
			reports[node.Name()] = fmt.Sprintf("machineconfig.machineconfiguration.openshift.io %q not found", name)
		}
		if reason, _ := annotations[upgrade.ConfigReason].(string); reason != "" && annotations[ConfigState] == "Degraded" {
			reports[node.Name()] = reason
		}
	}
	return reports
}

func formatNodeReports(reports map[string]string) string {
	var lines []string
	for node, report := range reports {
		lines = append(lines, fmt.Sprintf("Node %s is reporting: %q", node, report))
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}

// describeDegradedMasters returns the operator's message about a degraded master pool, "" if it is not degraded.
func describeDegradedMasters(objects *kube.Objects) string {
	pool, _ := objects.Get(cluster.PoolResource, "", "master")
	if pool.Condition("NodeDegraded").GetString("status") != "True" {
		return ""
	}
	count := func(field string) any { return pool.Get("status." + field + "MachineCount") }
	return fmt.Sprintf("error required MachineConfigPool master is not ready, retrying. Status: (total: %v, ready %v, updated: %v, unavailable: %v, degraded: %v)",
		pool.Get("status.machineCount"), count("ready"), count("updated"), count("unavailable"), count("degraded"))
}
