package openshift

import (
	"fmt"
	"time"

	"exoshift/internal/simcloud/kube"
)

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

// How long an operator needs when it has what it needs, and how long a loss lasts before it says so.
const (
	settleTime   = 60 * time.Second
	settleJitter = 4 * time.Minute
	lossTime     = 60 * time.Second
)

// operate moves an operator through its conditions and tells whether it is available. What it needs may be away for
// a moment without anybody noticing.
func (k *controllers) operate(operator clusterOperator, seen view) (bool, error) {
	missing := operator.needs(k, seen)
	current, _ := k.objects.Get(operatorResource, "", operator.name)
	available := condition(current, "Available").Text("status") == "True"
	lost := k.held("missing/"+operator.name, truth(missing != ""), lossTime)
	switch {
	case missing == "":
		available = k.held("settling/"+operator.name, "yes", settleTime+jitter(operator.name, settleJitter)) || available
	case lost:
		k.held("settling/"+operator.name, "no", 0)
		available = false
	}
	message := "All is well"
	if missing != "" {
		message = missing
	}
	ailment := k.ailment(operator.name, seen)
	ever := available || len(current.List("status.versions")) > 0
	_, err := k.objects.Change(operatorResource, "", operator.name, func(o kube.Object) error {
		setCondition(o, k.now(), "Available", truth(available), "AsExpected", message)
		setCondition(o, k.now(), "Progressing", truth(!ever), "AsExpected", message)
		if ailment != "" {
			setCondition(o, k.now(), "Degraded", "True", "Error", ailment)
		} else {
			setCondition(o, k.now(), "Degraded", truth(ever && !available), "AsExpected", message)
		}
		setCondition(o, k.now(), "Upgradeable", "True", "AsExpected", "")
		if available {
			o.Set("status.versions", []kube.Object{{"name": "operator", "version": k.record().Version}})
		}
		return nil
	})
	return available, err
}

// ailment tells why an operator is degraded although it has what it needs, "" if it is not.
func (k *controllers) ailment(operator string, seen view) string {
	if slow := k.fsync(seen); operator == "etcd" && slow != "" {
		return "FSyncControllerDegraded: " + slow
	}
	if degraded := k.degradedMasters(); operator == "machine-config" {
		return degraded
	}
	return ""
}
