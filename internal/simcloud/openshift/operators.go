package openshift

import "fmt"

// clusterOperator is one of the operators that the cluster version consists of, with what it needs to be available.
type clusterOperator struct {
	name  string
	needs func(*controllers, view) string // what is missing, "" if nothing
}

// operators lists the 33 operators of a default installation by name.
func operators() []clusterOperator {
	return []clusterOperator{
		{"authentication", needsLogin}, {"baremetal", needsControlPlane}, {"cloud-controller-manager", needsMaster},
		{"cloud-credential", needsControlPlane}, {"cluster-autoscaler", needsControlPlane}, {"config-operator", needsPlace},
		{"console", needsApps}, {"control-plane-machine-set", needsControlPlane}, {"csi-snapshot-controller", needsControlPlane},
		{"dns", needsPlace}, {"etcd", needsEtcd}, {"image-registry", needsRegistry}, {"ingress", needsApps},
		{"insights", needsBootstrapped}, {"kube-apiserver", needsAll("kubeapiservers")},
		{"kube-controller-manager", needsAll("kubecontrollermanagers")}, {"kube-scheduler", needsAll("kubeschedulers")},
		{"kube-storage-version-migrator", needsControlPlane}, {"machine-api", needsControlPlane}, {"machine-approver", needsControlPlane},
		{"machine-config", needsMachineConfig}, {"marketplace", needsBootstrapped}, {"monitoring", needsMonitoring},
		{"network", needsMaster}, {"node-tuning", needsControlPlane}, {"openshift-apiserver", needsReplicas},
		{"openshift-controller-manager", needsControlPlane}, {"openshift-samples", needsBootstrapped},
		{"operator-lifecycle-manager", needsControlPlane}, {"operator-lifecycle-manager-catalog", needsControlPlane},
		{"operator-lifecycle-manager-packageserver", needsControlPlane}, {"service-ca", needsControlPlane}, {"storage", needsControlPlane},
	}
}

func needsMaster(_ *controllers, seen view) string {
	if len(seen.masters) == 0 {
		return "no schedulable master is ready"
	}
	return ""
}

// needsPlace is for what does not tolerate nodes that no cloud controller has seen.
func needsPlace(_ *controllers, seen view) string { return seen.homeless }

// needsReplicas is for what runs on every master.
func needsReplicas(k *controllers, seen view) string {
	untouched := 0
	for _, master := range seen.masters {
		if tainted(master, cloudTaint) {
			untouched++
		}
	}
	if untouched > 0 {
		return fmt.Sprintf("%d of %d requested instances are unavailable: %d node(s) had untolerated taint {%s: true}",
			untouched, k.record().Replicas, untouched, cloudTaint)
	}
	return needsControlPlane(k, seen)
}

func needsControlPlane(k *controllers, _ view) string {
	if running := k.running("kubeapiservers.operator.openshift.io"); running < min(2, k.record().Replicas) {
		return fmt.Sprintf("kube-apiserver runs on %d masters", running)
	}
	return ""
}

func needsBootstrapped(_ *controllers, seen view) string {
	if !seen.bootstrapped {
		return "the bootstrap is not complete"
	}
	return ""
}

func needsEtcd(k *controllers, seen view) string {
	if voters := len(seen.etcd.voters()); voters < k.record().Replicas {
		return fmt.Sprintf("%d of %d masters have a voting member", voters, k.record().Replicas)
	}
	return ""
}

func needsAll(resource string) func(*controllers, view) string {
	return func(k *controllers, _ view) string {
		if running := k.running(resource + ".operator.openshift.io"); running < k.record().Replicas {
			return fmt.Sprintf("%d of %d nodes are at revision 1", running, k.record().Replicas)
		}
		return ""
	}
}

func needsMachineConfig(k *controllers, seen view) string {
	if ready := seen.readyPods(mcsApp); ready < k.record().Replicas {
		return fmt.Sprintf("machine-config-server runs on %d of %d masters", ready, k.record().Replicas)
	}
	return k.degradedMasters()
}

func needsApps(_ *controllers, seen view) string {
	if seen.readyPods(routerApp) == 0 {
		return "no router is available"
	}
	return seen.reach.apps
}

func needsLogin(k *controllers, seen view) string {
	if missing := needsReplicas(k, seen); missing != "" {
		return missing
	}
	return needsApps(k, seen)
}

func needsMonitoring(k *controllers, seen view) string {
	if full := withoutMemory(seen.nodes); full != "" {
		return "Prometheus \"openshift-monitoring/k8s\": SomePodsNotReady: " + full
	}
	for _, node := range seen.nodes {
		if condition(node, "Ready").Text("status") == "True" && !seen.reach.kubelets[node.Name()] {
			return fmt.Sprintf("the kubelet of %s was not reached on port %d", node.Name(), kubeletPort)
		}
	}
	return needsApps(k, seen)
}
