package operators

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/machineconfig"
	"exoshift/internal/simcloud/openshift/upgrade"
)

// machineConfigOperator renders the configurations of the pools, and serves them.
type machineConfigOperator struct {
	*loop
	renderings map[string]rendering // by pool
}

// sync: once the bootstrap is complete it starts the machine config server on the
// masters, and from then on machines of every role can join. (In reality it may start a little earlier, and then fast workers
// are approved without checks, with the masters.) It also does so when the bootstrap machine has removed its own server while
// etcd still waits for a master: the replacement needs a server.
func (k machineConfigOperator) sync(_ context.Context, seen clusterSnapshot) error {
	const namespace = "openshift-machine-config-operator"
	if seen.bootstrapped && k.hasLasted("machine-config", "", 45*time.Second) || k.isTornDown() && k.hasLasted("machine-config-late", "", 15*time.Minute) {
		for _, master := range seen.masters {
			name := "machine-config-server-" + master.Name()
			if err := k.Objects.Ensure(cluster.PodResource, namespace, newBoundPod(namespace, name, cluster.McsApp, master.Name(), nil), nil); err != nil {
				return err
			}
		}
	}
	if err := k.syncLaggingConfigs(seen); err != nil {
		return err
	}
	configs, pools := k.Objects.List(machineconfig.Resource, ""), k.Objects.List(cluster.PoolResource, "")
	for _, pool := range pools {
		members := slices.DeleteFunc(slices.Clone(seen.nodes), func(node kube.Object) bool { return !upgrade.IsMember(node, pool.Name(), pools) })
		merged, err := k.renderPool(pool.Name(), configs)
		if err == nil && (pool.Name() != "worker" || !k.Faults.WorkersUnserved) {
			err = k.keepRendered(merged)
		}
		if err == nil {
			err = k.updates.Roll(pool, merged.Name, members)
		}
		if err := k.syncPool(pool, merged, err, members); err != nil {
			return err
		}
	}
	return nil
}

type rendering struct {
	of     string // names and versions of all machine configurations
	merged machineconfig.Rendered
	err    error
}

// renderPool caches its result by the configurations' versions: rendering is expensive and changes are rare.
func (k machineConfigOperator) renderPool(pool string, configs []kube.Object) (machineconfig.Rendered, error) {
	all := ""
	for _, config := range configs {
		all += config.Name() + "/" + config.GetString("metadata.resourceVersion") + " "
	}
	all += k.ConfigVersion()
	last := k.renderings[pool]
	if last.of != all {
		last.of = all
		last.merged, last.err = machineconfig.Render(pool, k.Record().Version, k.ConfigVersion(), configs)
		k.renderings[pool] = last
	}
	return last.merged, last.err
}

// syncPool: a pool whose configuration cannot be rendered keeps the previous one.
func (k machineConfigOperator) syncPool(pool kube.Object, merged machineconfig.Rendered, failure error, members []kube.Object) error {
	name := pool.Name()
	reports := k.findMismatches(members)
	all, updated, ready, unavailable := len(members), 0, 0, 0
	for _, node := range members {
		isDone := reports[node.Name()] == "" && k.updates.HasConfig(node, merged.Name)
		if node.GetBool("spec.unschedulable") || !node.IsReady() || !isDone && !isFailing(node) {
			unavailable++
		}
		if !node.IsReady() || !isDone {
			continue
		}
		updated++
		if !node.GetBool("spec.unschedulable") { // a cordoned node is not ready for its pool
			ready++
		}
	}
	paused := pool.GetBool("spec.paused")
	_, err := k.Objects.Update(cluster.PoolResource, "", name, func(o kube.Object) error {
		o.Set("status.machineCount", all)
		o.Set("status.readyMachineCount", ready)
		o.Set("status.updatedMachineCount", updated)
		o.Set("status.unavailableMachineCount", unavailable)
		o.Set("status.degradedMachineCount", len(reports))
		o.SetCondition(k.Timestamp(), "Updated", kube.FormatStatus(all > 0 && all == ready), "", "")
		o.SetCondition(k.Timestamp(), "Updating", kube.FormatStatus(all != ready && !paused), "", "")
		o.SetCondition(k.Timestamp(), "Degraded", kube.FormatStatus(failure != nil || len(reports) > 0), "", "")
		o.SetCondition(k.Timestamp(), "NodeDegraded", kube.FormatStatus(len(reports) > 0), "", formatNodeReports(reports))
		o.SetCondition(k.Timestamp(), "RenderDegraded", kube.FormatStatus(failure != nil), "", describeFailure(failure))
		if failure == nil {
			o.Set("spec.configuration", merged.BuildReference())
			o.Set("status.configuration", merged.BuildReference())
		}
		return nil
	})
	return err
}

// isFailing reports whether a node cannot get another configuration: then the operator may give it one more, and it counts as available. One
// that fails with the configuration that it is to have does not (machine-config-operator, isNodeMCDFailing).
func isFailing(node kube.Object) bool {
	annotations := node.Map("metadata.annotations")
	return annotations[CurrentConfig] != annotations[DesiredConfig] && annotations[ConfigState] == "Degraded"
}

func describeFailure(failure error) string {
	if failure == nil {
		return ""
	}
	return failure.Error()
}

func (k machineConfigOperator) keepRendered(merged machineconfig.Rendered) error {
	if _, ok := k.Objects.Get(machineconfig.Resource, "", merged.Name); ok {
		return nil
	}
	content, err := json.Marshal(merged.Document)
	if err != nil {
		return err
	}
	var config map[string]any
	if err := json.Unmarshal(content, &config); err != nil {
		return err
	}
	object := kube.NewNamed(merged.Name)
	object.Set("spec.config", config)
	return k.Objects.Ensure(machineconfig.Resource, "", object, nil)
}

func (k machineConfigOperator) isTornDown() bool {
	_, ok := k.Objects.Get(cluster.EventResource, "kube-system", "bootstrap-finished")
	return ok
}
