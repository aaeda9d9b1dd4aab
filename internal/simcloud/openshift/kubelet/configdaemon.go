package kubelet

import (
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/upgrade"
)

// How long a machine takes to install the operating system of another release, and to boot into it (inferred).
const (
	rebootTime   = 4 * time.Minute
	rebootJitter = time.Minute
)

// appliedFile has the name of the configuration that the machine was booted with, after an update.
const appliedFile = "/etc/machine-config-daemon/applied"

// configDaemon is the machine config daemon of a node.
type configDaemon struct{ *kubelet }

// sync has the node drained, and returns true once the machine has to boot into another
// configuration. Before the first update of a cluster it does nothing.
func (k configDaemon) sync() (reboots bool) {
	if k.cluster.ConfigVersion() == "" || k.cluster.Members.CheckQuorum() != nil {
		return false
	}
	node, _ := k.cluster.Objects.Get(cluster.NodeResource, "", k.node)
	annotations := kube.Object(node.Map("metadata.annotations"))
	value := func(key string) string {
		text, _ := annotations[key].(string)
		return text
	}
	desired := value(upgrade.DesiredConfig)
	applied, _ := k.machine.ReadFile(appliedFile)
	switch {
	case desired == "" || value(upgrade.CurrentConfig) == desired:
		return false
	case string(applied) == desired:
		if k.heartbeat.ready {
			k.annotate(map[string]string{
				upgrade.CurrentConfig: desired, upgrade.ConfigState: "Done", upgrade.ConfigReason: "", upgrade.DesiredDrain: upgrade.FormatUncordon(desired),
			})
		}
		return false
	case value(upgrade.LastDrain) != upgrade.FormatDrain(desired):
		k.annotate(map[string]string{upgrade.ConfigState: "Working", upgrade.ConfigReason: "", upgrade.DesiredDrain: upgrade.FormatDrain(desired)})
		return false
	case k.hangs():
		k.annotate(map[string]string{upgrade.ConfigState: "Degraded", upgrade.ConfigReason: "failed to update OS to quay.io/openshift-release-dev/ocp-v4.0-art-dev: " +
			"error running rpm-ostree rebase: error: Timeout was reached: exit status 1"})
		return false
	}
	if err := k.machine.WriteFile(appliedFile, []byte(desired)); err != nil {
		k.machine.Console("machine-config-daemon: %v", err)
		return false
	}
	return true
}

func (k configDaemon) annotate(values map[string]string) {
	if err := upgrade.Annotate(k.cluster, k.node, values); err != nil {
		k.machine.Console("machine-config-daemon: %v", err)
	}
}

// hangs reports whether the daemon cannot install the operating system. Its pod is there from then on; once it was deleted, it can.
func (k configDaemon) hangs() bool {
	const what, namespace, name = "daemon hangs", "openshift-machine-config-operator", "machine-config-daemon-worker-0"
	if !k.cluster.Faults.HungDaemon || k.node != "worker-0" {
		return false
	}
	if _, begun := k.cluster.StateRecords.Get(what); begun {
		_, exists := k.cluster.Objects.Get(cluster.PodResource, namespace, name)
		return exists
	}
	pod := kube.Object{
		"metadata": kube.Object{"name": name, "namespace": namespace, "labels": kube.Object{"app": "machine-config-daemon", "k8s-app": "machine-config-daemon"},
			"ownerReferences": []kube.Object{{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "machine-config-daemon", "controller": true}}},
		"spec":   kube.Object{"nodeName": k.node, "hostNetwork": true, "containers": []kube.Object{{"name": "machine-config-daemon", "image": "quay.io/openshift-release-dev/ocp-v4.0-art-dev"}}},
		"status": kube.Object{"phase": "Pending"},
	}
	if err := k.cluster.Objects.Ensure(cluster.PodResource, namespace, pod, nil); err != nil {
		return true
	}
	_ = k.cluster.StateRecords.Put(what, cluster.StateRecord{What: what, Since: k.cluster.Clock.Now()}) // else it begins anew
	return true
}
