package openshift

import (
	"context"
	"slices"
	"sync"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
)

// controllers are all controllers and operators of a cluster, on the machine that leads. They read etcd's state directly, but
// probe the outside from that machine.
type controllers struct {
	*cluster
	machine     machine.Machine
	heartbeats  map[string]stateRecord // last heartbeats of the nodes; lost with the machine
	lastErrors  map[string]string
	lastCleaned time.Time // when requests for certificates were deleted last
	probes      probeState
	// renderings holds those of the pools.
	renderings map[string]rendering
	// reported is the input of each operator's written status, as long as that status is unchanged.
	reported map[string]string

	leaderSince   time.Time // when this machine became the leader
	handledInputs inputs    // the inputs of the last tick
	nextSync      time.Time // when the next tick is due without a change
	failed        bool      // a controller has to try again
}

// inputs are versions of everything that the controllers act on, except for the time.
type inputs struct{ objects, members, processes, probes uint64 }

type stateRecord struct {
	What  string
	State string
	Since time.Time // by the cluster's clock
}

const (
	// controlInterval is how soon the controllers act on a change.
	controlInterval = 5 * time.Second
	// resyncInterval is the interval of full syncs without a change.
	resyncInterval = time.Minute
)

func (c *cluster) runControllers(ctx context.Context, m machine.Machine) {
	c.runAsLeader(ctx, func(ctx context.Context) {
		m.Console("kube-controller-manager: became leader")
		k := &controllers{cluster: c, machine: m, heartbeats: map[string]stateRecord{}, lastErrors: map[string]string{}, renderings: map[string]rendering{},
			reported: map[string]string{}, leaderSince: c.clock.Now()}
		var running sync.WaitGroup
		defer running.Wait()
		running.Go(func() { k.runProbes(ctx) })
		for ctx.Err() == nil {
			if c.checkQuorum() == nil && k.isDue() {
				k.syncAll(ctx)
			}
			_ = c.clock.Sleep(ctx, controlInterval)
		}
	})
}

func (k *controllers) getInputs() inputs {
	return inputs{objects: k.objects.ChangeCount(), members: k.members.Version(), processes: k.processes.Load(), probes: k.probes.version()}
}

// isDue reports whether a tick has work: an input changed since the last tick began, a controller failed, or a scheduled time
// was reached.
func (k *controllers) isDue() bool {
	return k.failed || k.getInputs() != k.handledInputs || !k.clock.Now().Before(k.nextSync)
}

func (k *controllers) scheduleAt(at time.Time) {
	if at.Before(k.nextSync) {
		k.nextSync = at
	}
}

func (k *controllers) syncAll(ctx context.Context) {
	k.handledInputs, k.failed, k.nextSync = k.getInputs(), false, k.clock.Now().Add(resyncInterval)
	if _, ok := k.objects.Get(versionResource, "", "version"); !ok {
		return // the manifests are still being applied
	}
	seen := k.buildSnapshot()
	for _, controller := range []struct {
		name      string
		reconcile func(context.Context, clusterSnapshot) error
	}{
		{"kube-controller-manager: csrsigning", k.sign},
		{"kube-controller-manager: csrcleaner", k.cleanRequests},
		{"kube-controller-manager: nodelifecycle", k.syncNodes},
		{"kube-controller-manager: workloads", k.syncWorkloads},
		{"network-operator", k.syncNetwork},
		{"static-pods", k.syncStaticPods},
		{"etcd-operator", k.syncEtcd},
		{"kube-apiserver: endpoints", k.syncEndpoints},
		{"machine-config-operator", k.syncMachineConfig},
		{"ingress-operator", k.syncIngress},
		{"console-operator", k.syncConsole},
		{"image-registry-operator", k.syncImageRegistry},
		{"samples-operator", k.syncSamples},
		{"cluster-version-operator", k.syncVersion},
	} {
		err := controller.reconcile(ctx, seen)
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
func (k *controllers) hasLasted(what, state string, atLeast time.Duration) bool {
	now, atLeast := k.clock.Now(), k.faults.scaleDuration(atLeast)
	last, ok := k.stateRecords.Get(what)
	if !ok || last.State != state {
		if err := k.stateRecords.Put(what, stateRecord{what, state, now}); err != nil {
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
	etcd            etcdStatus
	bootstrapped    bool // by the status in the bootstrap ConfigMap
	probes          probeResult
}

func (k *controllers) buildSnapshot() clusterSnapshot {
	seen := clusterSnapshot{nodes: k.objects.List(nodeResource, ""), pods: map[string]kube.Object{}, etcd: k.getEtcdStatus(), probes: k.probes.get()}
	for _, pod := range k.objects.List(podResource, "") {
		seen.pods[pod.Namespace()+"/"+pod.Name()] = pod
	}
	status, _ := k.objects.Get(mapResource, "kube-system", "bootstrap")
	seen.bootstrapped = status.GetString("data.status") == "complete"
	seen.masters = seen.listReady("node-role.kubernetes.io/master")
	seen.schedulingError = describeUnschedulable(seen.masters)
	return seen
}

func (v clusterSnapshot) listReady(label string) []kube.Object {
	return slices.DeleteFunc(slices.Clone(v.nodes), func(node kube.Object) bool {
		_, labelled := node.Labels()[label]
		return !labelled || node.Condition("Ready").GetString("status") != "True"
	})
}

func (v clusterSnapshot) countReadyPods(app string) int {
	count := 0
	for _, pod := range v.pods {
		if pod.Labels()["app"] == app && pod.IsReady() {
			count++
		}
	}
	return count
}

func newBoundPod(namespace, name, app, node string, annotations kube.Object) kube.Object {
	labels := kube.Object{"app": app, "k8s-app": app}
	if app == etcdApp {
		labels["etcd"], labels["revision"] = "true", "1"
	}
	return kube.Object{
		"metadata": kube.Object{"name": name, "namespace": namespace, "labels": labels, "annotations": annotations},
		"spec":     kube.Object{"nodeName": node, "hostNetwork": true, "containers": []kube.Object{{"name": app, "image": "quay.io/openshift-release-dev/ocp-v4.0-art-dev"}}},
		"status":   kube.Object{"phase": "Pending"},
	}
}

func (k *controllers) report(namespace, component, reason, message string) error {
	_, err := k.objects.Create(eventResource, namespace, kube.Object{
		"metadata":       kube.Object{"generateName": component + "."},
		"involvedObject": kube.Object{"kind": "Deployment", "namespace": namespace, "name": component},
		"source":         kube.Object{"component": component},
		"reason":         reason, "message": message, "type": "Normal", "count": 1, "firstTimestamp": k.now(), "lastTimestamp": k.now(),
	})
	return err
}
