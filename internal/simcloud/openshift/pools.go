package openshift

import (
	"context"
	"encoding/json"
	"time"

	"exoshift/internal/simcloud/kube"
)

// machineConfig is the machine config operator: once the bootstrap is over it brings the machine config server to the
// masters, and from then on machines of every role can come. (In reality it may start a little earlier, and then
// workers that are fast are approved blindly with the masters.) It does so too when the bootstrap machine has torn its
// own server down and etcd waits for a master in vain: the one that replaces it needs a server.
func (k *controllers) machineConfig(_ context.Context, seen view) error {
	const namespace = "openshift-machine-config-operator"
	if seen.bootstrapped && k.held("machine-config", "", 45*time.Second) || k.tornDown() && k.held("machine-config-late", "", 15*time.Minute) {
		for _, master := range seen.masters {
			name := "machine-config-server-" + master.Name()
			if err := k.objects.Ensure(podResource, namespace, place(namespace, name, mcsApp, master.Name(), nil), nil); err != nil {
				return err
			}
		}
	}
	configs := k.objects.List(machineConfigResource, "")
	for _, pool := range k.objects.List(poolResource, "") {
		merged, err := k.rendering(pool.Name(), configs)
		if err == nil && (pool.Name() != "worker" || !k.troubles.WorkersUnserved) {
			err = k.keepRendered(merged)
		}
		if err := k.pool(pool.Name(), merged, err, seen); err != nil {
			return err
		}
	}
	return nil
}

// rendering is the last rendering of a pool's configurations.
type rendering struct {
	of     string // names and versions of all machine configurations
	merged rendered
	err    error
}

// rendering renders again only after a change: that is much work for something that hardly ever changes.
func (k *controllers) rendering(pool string, configs []kube.Object) (rendered, error) {
	all := ""
	for _, config := range configs {
		all += config.Name() + "/" + config.Text("metadata.resourceVersion") + " "
	}
	last := k.renderings[pool]
	if last.of != all {
		last.of = all
		last.merged, last.err = render(pool, k.record().Version, configs)
		k.renderings[pool] = last
	}
	return last.merged, last.err
}

// pool counts the machines of a pool. One whose configuration cannot be rendered keeps what it has.
func (k *controllers) pool(name string, merged rendered, failure error, seen view) error {
	reports := k.misconfigured(name, seen.nodes)
	all, ready := 0, 0
	for _, node := range seen.ready("node-role.kubernetes.io/" + name) {
		if reports[node.Name()] == "" {
			ready++
		}
	}
	for _, node := range seen.nodes {
		if _, ok := node.Labels()["node-role.kubernetes.io/"+name]; ok {
			all++
		}
	}
	_, err := k.objects.Change(poolResource, "", name, func(o kube.Object) error {
		o.Set("status.machineCount", all)
		o.Set("status.readyMachineCount", ready)
		o.Set("status.updatedMachineCount", ready)
		o.Set("status.unavailableMachineCount", all-ready)
		o.Set("status.degradedMachineCount", len(reports))
		setCondition(o, k.now(), "Updated", truth(all > 0 && all == ready), "", "")
		setCondition(o, k.now(), "Updating", truth(all != ready), "", "")
		setCondition(o, k.now(), "Degraded", truth(failure != nil || len(reports) > 0), "", "")
		setCondition(o, k.now(), "NodeDegraded", truth(len(reports) > 0), "", nodeReports(reports))
		setCondition(o, k.now(), "RenderDegraded", truth(failure != nil), "", why(failure))
		if failure == nil {
			o.Set("spec.configuration", merged.reference())
			o.Set("status.configuration", merged.reference())
		}
		return nil
	})
	return err
}

func why(failure error) string {
	if failure == nil {
		return ""
	}
	return failure.Error()
}

// keepRendered creates the machine configuration that all of a pool amount to.
func (k *controllers) keepRendered(merged rendered) error {
	if _, ok := k.objects.Get(machineConfigResource, "", merged.name); ok {
		return nil
	}
	content, err := json.Marshal(merged.document)
	if err != nil {
		return err
	}
	var config map[string]any
	if err := json.Unmarshal(content, &config); err != nil {
		return err
	}
	object := named(merged.name)
	object.Set("spec.config", config)
	return k.objects.Ensure(machineConfigResource, "", object, nil)
}

// reference is how a pool refers to it.
func (r rendered) reference() kube.Object {
	const version = "machineconfiguration.openshift.io/v1"
	sources := make([]kube.Object, len(r.sources))
	for i, name := range r.sources {
		sources[i] = kube.Object{"apiVersion": version, "kind": machineConfigKind, "name": name}
	}
	return kube.Object{"apiVersion": version, "kind": machineConfigKind, "name": r.name, "source": sources}
}

// tornDown tells whether the bootstrap machine's control plane is gone.
func (k *controllers) tornDown() bool {
	_, ok := k.objects.Get(eventResource, "kube-system", "bootstrap-finished")
	return ok
}
