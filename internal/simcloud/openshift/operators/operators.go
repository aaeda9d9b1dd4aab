package operators

import (
	"fmt"

	"exoshift/internal/simcloud/openshift/cluster"
)

type clusterOperator struct {
	name    string
	require func(*loop, clusterSnapshot) string // returns what is missing, "" if nothing
}

// listOperators lists the 33 operators of a default installation by name.
func listOperators() []clusterOperator {
	return []clusterOperator{
		{"authentication", requireLogin}, {"baremetal", requireControlPlane}, {"cloud-controller-manager", requireMaster},
		{"cloud-credential", requireControlPlane}, {"cluster-autoscaler", requireControlPlane}, {"config-operator", requireSchedulableNode},
		{"console", requireApps}, {"control-plane-machine-set", requireControlPlane}, {"csi-snapshot-controller", requireControlPlane},
		{"dns", requireSchedulableNode}, {"etcd", requireEtcd}, {"image-registry", requireRegistry}, {"ingress", requireApps},
		{"insights", requireBootstrapped}, {"kube-apiserver", requireAll("kubeapiservers")},
		{"kube-controller-manager", requireAll("kubecontrollermanagers")}, {"kube-scheduler", requireAll("kubeschedulers")},
		{"kube-storage-version-migrator", requireControlPlane}, {"machine-api", requireControlPlane}, {"machine-approver", requireControlPlane},
		{"machine-config", requireMachineConfig}, {"marketplace", requireBootstrapped}, {"monitoring", requireMonitoring},
		{"network", requireMaster}, {"node-tuning", requireControlPlane}, {"openshift-apiserver", requireReplicas},
		{"openshift-controller-manager", requireControlPlane}, {"openshift-samples", requireBootstrapped},
		{"operator-lifecycle-manager", requireControlPlane}, {"operator-lifecycle-manager-catalog", requireControlPlane},
		{"operator-lifecycle-manager-packageserver", requireControlPlane}, {"service-ca", requireControlPlane}, {"storage", requireControlPlane},
	}
}

func listOperatorNames() []string {
	var names []string
	for _, operator := range listOperators() {
		names = append(names, operator.name)
	}
	return names
}

func requireMaster(_ *loop, seen clusterSnapshot) string {
	if len(seen.masters) == 0 {
		return "no schedulable master is ready"
	}
	return ""
}

// requireSchedulableNode is for operators that do not tolerate the taint for uninitialized nodes.
func requireSchedulableNode(_ *loop, seen clusterSnapshot) string { return seen.schedulingError }

func requireReplicas(k *loop, seen clusterSnapshot) string {
	untouched := 0
	for _, master := range seen.masters {
		if cluster.HasTaint(master, cluster.CloudTaint) {
			untouched++
		}
	}
	if untouched > 0 {
		return fmt.Sprintf("%d of %d requested instances are unavailable: %d node(s) had untolerated taint {%s: true}",
			untouched, k.Record().Replicas, untouched, cluster.CloudTaint)
	}
	return requireControlPlane(k, seen)
}

func requireControlPlane(k *loop, _ clusterSnapshot) string {
	if running := countRunning(k.Objects, "kubeapiservers.operator.openshift.io"); running < min(2, k.Record().Replicas) {
		return fmt.Sprintf("kube-apiserver runs on %d masters", running)
	}
	return ""
}

func requireBootstrapped(_ *loop, seen clusterSnapshot) string {
	if !seen.bootstrapped {
		return "the bootstrap is not complete"
	}
	return ""
}

func requireEtcd(k *loop, seen clusterSnapshot) string {
	if voters := len(seen.etcd.ListVoters()); voters < k.Record().Replicas {
		return fmt.Sprintf("%d of %d masters have a voting member", voters, k.Record().Replicas)
	}
	return ""
}

func requireAll(resource string) func(*loop, clusterSnapshot) string {
	return func(k *loop, _ clusterSnapshot) string {
		if running := countRunning(k.Objects, resource+".operator.openshift.io"); running < k.Record().Replicas {
			return fmt.Sprintf("%d of %d nodes are at revision 1", running, k.Record().Replicas)
		}
		return ""
	}
}

func requireMachineConfig(k *loop, seen clusterSnapshot) string {
	if ready := seen.readyPods[cluster.McsApp]; ready < k.Record().Replicas {
		return fmt.Sprintf("machine-config-server runs on %d of %d masters", ready, k.Record().Replicas)
	}
	return describeDegradedMasters(k.Objects)
}

func requireApps(_ *loop, seen clusterSnapshot) string {
	if seen.readyPods[cluster.RouterApp] == 0 {
		return "no router is available"
	}
	return seen.probes.apps
}

func requireLogin(k *loop, seen clusterSnapshot) string {
	if missing := requireReplicas(k, seen); missing != "" {
		return missing
	}
	return requireApps(k, seen)
}

func requireMonitoring(k *loop, seen clusterSnapshot) string {
	if full := describeMemoryShortage(seen.nodes); full != "" {
		return "Prometheus \"openshift-monitoring/k8s\": SomePodsNotReady: " + full
	}
	for _, node := range seen.nodes {
		if node.Condition("Ready").GetString("status") == "True" && !seen.probes.kubelets[node.Name()] {
			return fmt.Sprintf("the kubelet of %s was not reached on port %d", node.Name(), KubeletPort)
		}
	}
	return requireApps(k, seen)
}
