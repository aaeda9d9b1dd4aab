package operators

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/machineconfig"
)

// Annotations of a node by which the machine-config operator and its daemon speak.
const (
	CurrentConfig = "machineconfiguration.openshift.io/currentConfig"
	DesiredConfig = "machineconfiguration.openshift.io/desiredConfig"
	ConfigState   = "machineconfiguration.openshift.io/state"
)

// findMismatches returns the reports of a pool's machine config daemons, by node: a configuration that the cluster does not
// have.
func (k machineConfigOperator) findMismatches(pool string, nodes []kube.Object) map[string]string {
	reports := map[string]string{}
	for _, node := range nodes {
		name, _ := node.Map("metadata.annotations")[CurrentConfig].(string)
		_, member := node.Label("node-role.kubernetes.io/" + pool)
		if _, known := k.Objects.Get(machineconfig.Resource, "", name); member && name != "" && !known {
			reports[node.Name()] = fmt.Sprintf("machineconfig.machineconfiguration.openshift.io %q not found", name)
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
