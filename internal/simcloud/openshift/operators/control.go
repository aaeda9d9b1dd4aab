// Package operators is the controllers of Kubernetes and the operators of OpenShift in a simulated cluster.
package operators

import (
	"context"
	"slices"
	"sync"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/etcd"
	"exoshift/internal/simcloud/openshift/upgrade"
)

// loop runs all controllers and operators of a cluster, on the machine that leads. They read etcd's state directly, but probe the
// outside from that machine.
type loop struct {
	*cluster.Cluster
	machine     machine.Machine
	controllers []controller
	prober      *prober
	updates     *upgrade.Updates
	lastErrors  map[string]string // by controller

	leaderSince   time.Time // when this machine became the leader
	handledInputs inputs    // the inputs of the last tick
	nextSync      time.Time // when the next tick is due without a change
	failed        bool      // a controller has to try again
}

type controller struct {
	name string
	sync func(context.Context, clusterSnapshot) error
}

// inputs are versions of everything that the controllers act on, except for the time.
type inputs struct{ objects, members, processes, probes uint64 }

const (
	// controlInterval is how soon the controllers act on a change.
	controlInterval = 5 * time.Second
	// resyncInterval is the interval of full syncs without a change.
	resyncInterval = time.Minute
)

func newLoop(c *cluster.Cluster, m machine.Machine) *loop {
	graph := upgrade.NewGraph(c, m)
	k := &loop{Cluster: c, machine: m, prober: &prober{Cluster: c, machine: m, graph: graph}, lastErrors: map[string]string{}, leaderSince: c.Clock.Now()}
	k.updates = upgrade.New(c, graph, k.hasLasted)
	registry := registryOperator{k}
	k.controllers = []controller{
		{"kube-controller-manager: csrsigning", csrSigner{c}.sync},
		{"kube-controller-manager: csrcleaner", (&csrCleaner{Cluster: c}).sync},
		{"kube-controller-manager: nodelifecycle", nodeLifecycle{k, map[string]cluster.StateRecord{}}.sync},
		{"kube-controller-manager: workloads", workloads{k}.sync},
		{"kube-controller-manager: disruption", disruption{k}.sync},
		{"network-operator", networkOperator{k}.sync},
		{"static-pods", staticPods{k}.sync},
		{"etcd-operator", etcdOperator{k}.sync},
		{"kube-apiserver-operator: kubelet signer", kubeletSigner{k}.sync},
		{"kube-apiserver: endpoints", func(context.Context, clusterSnapshot) error { return syncEndpoints(c) }},
		{"machine-config-operator", machineConfigOperator{k, map[string]rendering{}}.sync},
		{"ingress-operator", ingressOperator{k}.sync},
		{"console-operator", consoleOperator{k}.sync},
		{"image-registry-operator", registry.sync},
		{"samples-operator", registry.syncSamples},
		{"cluster-version-operator: updates", func(ctx context.Context, _ clusterSnapshot) error { return k.updates.Sync(ctx) }},
		{"cluster-version-operator", versionOperator{k, map[string]string{}}.sync},
		// Behind the controllers that make pods, which act on the same snapshot.
		{"machine-config-controller: drain", func(_ context.Context, seen clusterSnapshot) error { return k.updates.Drain(seen.nodes, seen.pods) }},
	}
	return k
}

// Run runs the controllers of a cluster on a machine, as long as it leads.
func Run(ctx context.Context, c *cluster.Cluster, m machine.Machine) {
	c.RunAsLeader(ctx, func(ctx context.Context) {
		m.Console("kube-controller-manager: became leader")
		k := newLoop(c, m)
		var running sync.WaitGroup
		defer running.Wait()
		running.Go(func() { k.prober.run(ctx) })
		for ctx.Err() == nil {
			if c.Members.CheckQuorum() == nil && k.isDue() {
				k.syncAll(ctx)
			}
			_ = c.Clock.Sleep(ctx, controlInterval)
		}
	})
}

func (k *loop) getInputs() inputs {
	return inputs{objects: k.Objects.ChangeCount(), members: k.Members.Version(), processes: k.Members.CountChanges() + k.ServerChanges.Load(), probes: k.prober.version()}
}

// isDue reports whether a tick has work: an input changed since the last tick began, a controller failed, or a scheduled time
// was reached.
func (k *loop) isDue() bool {
	return k.failed || k.getInputs() != k.handledInputs || !k.Clock.Now().Before(k.nextSync)
}

func (k *loop) scheduleAt(at time.Time) {
	if at.Before(k.nextSync) {
		k.nextSync = at
	}
}

func (k *loop) syncAll(ctx context.Context) {
	k.handledInputs, k.failed, k.nextSync = k.getInputs(), false, k.Clock.Now().Add(resyncInterval)
	if _, ok := k.Objects.Get(cluster.VersionResource, "", "version"); !ok {
		return // the manifests are still being applied
	}
	seen := k.buildSnapshot()
	for _, controller := range k.controllers {
		err := controller.sync(ctx, seen)
		if err == nil {
			continue
		}
		k.failed = true
		if ctx.Err() == nil && k.lastErrors[controller.name] != err.Error() {
			k.lastErrors[controller.name] = err.Error()
			k.machine.Console("%s: %v", controller.name, err)
		}
	}
}

// hasLasted reports whether something has been in a state for at least that long, scaled on slow machines. Another state
// restarts the timer. It is stored in etcd, so that neither another leader nor a restart of the zone resets it.
func (k *loop) hasLasted(what, state string, atLeast time.Duration) bool {
	now, atLeast := k.Clock.Now(), k.Faults.ScaleDuration(atLeast)
	last, ok := k.StateRecords.Get(what)
	if !ok || last.State != state {
		if err := k.StateRecords.Put(what, cluster.StateRecord{What: what, State: state, Since: now}); err != nil {
			k.machine.Console("etcd: %v", err)
		}
		last.Since = now
	}
	if now.Sub(last.Since) >= atLeast {
		return true
	}
	k.scheduleAt(last.Since.Add(atLeast))
	return false
}

type clusterSnapshot struct {
	nodes           []kube.Object
	masters         []kube.Object          // the ready nodes of the control plane
	schedulingError string                 // why the release's operators cannot be scheduled, "" if they can
	pods            map[string]kube.Object // by namespace/name
	readyPods       map[string]int         // by their label "app"
	etcd            etcd.Status
	bootstrapped    bool // by the status in the bootstrap ConfigMap
	probes          probeResult
	turn            string // the operator that is being updated; "": none is
}

func (k *loop) buildSnapshot() clusterSnapshot {
	seen := clusterSnapshot{nodes: k.Objects.List(cluster.NodeResource, ""), pods: map[string]kube.Object{}, readyPods: map[string]int{}, etcd: k.Members.GetStatus(), probes: k.prober.get()}
	for _, pod := range k.Objects.List(cluster.PodResource, "") {
		seen.pods[pod.Namespace()+"/"+pod.Name()] = pod
		if app, _ := pod.Label("app"); app != "" && pod.IsReady() {
			seen.readyPods[app]++
		}
	}
	status, _ := k.Objects.Get(cluster.ConfigMapResource, "kube-system", "bootstrap")
	seen.bootstrapped = status.GetString("data.status") == "complete"
	seen.turn = k.updates.FindTurn(listOperatorNames())
	seen.masters = seen.listReady("node-role.kubernetes.io/master")
	seen.schedulingError = describeUnschedulable(seen.masters)
	return seen
}

func (v clusterSnapshot) listReady(label string) []kube.Object {
	return slices.DeleteFunc(slices.Clone(v.nodes), func(node kube.Object) bool {
		_, labelled := node.Label(label)
		return !labelled || node.Condition("Ready").GetString("status") != "True"
	})
}

const releaseImage = "quay.io/openshift-release-dev/ocp-v4.0-art-dev"

func newBoundPod(namespace, name, app, node string, annotations kube.Object) kube.Object {
	labels := kube.Object{"app": app, "k8s-app": app}
	if app == cluster.EtcdApp {
		labels["etcd"], labels["revision"] = "true", "1"
	}
	metadata := kube.Object{"name": name, "namespace": namespace, "labels": labels, "annotations": annotations}
	if owner, known := boundPodOwners()[app]; known {
		metadata["ownerReferences"] = []kube.Object{owner}
	} else if slices.ContainsFunc(listOperands(), func(o operand) bool { return o.app == app }) {
		metadata["ownerReferences"] = []kube.Object{{"apiVersion": "v1", "kind": "Node", "name": node, "controller": true}} // as of mirror pods
	}
	containers := []kube.Object{{"name": app, "image": releaseImage}}
	if app == cluster.EtcdApp {
		containers = append(containers, kube.Object{"name": "etcdctl", "image": releaseImage})
	}
	return kube.Object{
		"metadata": metadata,
		"spec":     kube.Object{"nodeName": node, "hostNetwork": true, "containers": containers},
		"status":   kube.Object{"phase": "Pending"},
	}
}

// boundPodOwners returns what makes the release's own pods in reality, by their label "app". It has no UID, as it is not
// simulated.
func boundPodOwners() map[string]kube.Object {
	return map[string]kube.Object{
		cluster.NetworkApp: {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "ovnkube-node", "controller": true},
		cluster.McsApp:     {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "machine-config-server", "controller": true},
		cluster.RouterApp:  {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "router-default", "controller": true},
	}
}

// report creates an event of an operator.
func (k *loop) report(namespace, component, reason, message string) error {
	_, err := k.Objects.Create(cluster.EventResource, namespace, kube.Object{
		"metadata":       kube.Object{"generateName": component + "."},
		"involvedObject": kube.Object{"kind": "Deployment", "namespace": namespace, "name": component},
		"source":         kube.Object{"component": component},
		"reason":         reason, "message": message, "type": "Normal", "count": 1, "firstTimestamp": k.Timestamp(), "lastTimestamp": k.Timestamp(),
	})
	return err
}
