package openshift

import (
	"context"
	"slices"
	"sync"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
)

// controllers are all controllers and operators of a cluster, on the machine that leads. They work on what etcd holds
// without the network, but look at the outside from that machine.
type controllers struct {
	*cluster
	machine machine.Machine
	beats   map[string]sighting // last signs of life of the nodes; forgotten with the machine
	said    map[string]string
	cleaned time.Time // when requests for certificates were deleted last
	reach   reachability
	// renderings are those of the pools.
	renderings map[string]rendering
	// reported is what the status of each operator was made of, where it is still what was written.
	reported map[string]string

	began   time.Time // when this machine became the leader
	handled inputs    // what the last tick began with
	next    time.Time // when the next tick is due although nothing has changed
	failed  bool      // a controller has to try again
}

// inputs are versions of everything that the controllers act on, except for the time.
type inputs struct{ objects, members, processes, reach uint64 }

// sighting is since when something is as it is.
type sighting struct {
	What  string
	State string
	Since time.Time // by the cluster's clock
}

const (
	// controlEvery is how soon the controllers act on a change.
	controlEvery = 5 * time.Second
	// resyncEvery is how often they go through everything although nothing has changed.
	resyncEvery = time.Minute
)

// control runs the controllers whenever this machine leads, until ctx ends.
func (c *cluster) control(ctx context.Context, m machine.Machine) {
	c.lead(ctx, func(ctx context.Context) {
		m.Console("kube-controller-manager: became leader")
		k := &controllers{cluster: c, machine: m, beats: map[string]sighting{}, said: map[string]string{}, renderings: map[string]rendering{},
			reported: map[string]string{}, began: c.clock.Now()}
		var running sync.WaitGroup
		defer running.Wait()
		running.Go(func() { k.probe(ctx) })
		for ctx.Err() == nil {
			if c.quorum() == nil && k.due() {
				k.tick(ctx)
			}
			_ = c.clock.Sleep(ctx, controlEvery)
		}
	})
}

func (k *controllers) inputs() inputs {
	return inputs{objects: k.objects.Changes(), members: k.members.Version(), processes: k.processes.Load(), reach: k.reach.version()}
}

// due reports whether a tick has anything to do: something changed since the last one began, a controller failed, or the
// time has come that one waits for.
func (k *controllers) due() bool {
	return k.failed || k.inputs() != k.handled || !k.clock.Now().Before(k.next)
}

// wakeAt makes a tick due at a time.
func (k *controllers) wakeAt(at time.Time) {
	if at.Before(k.next) {
		k.next = at
	}
}

// tick lets every controller look once.
func (k *controllers) tick(ctx context.Context) {
	k.handled, k.failed, k.next = k.inputs(), false, k.clock.Now().Add(resyncEvery)
	if _, ok := k.objects.Get(versionResource, "", "version"); !ok {
		return // the manifests are still being applied
	}
	seen := k.look()
	for _, controller := range []struct {
		name      string
		reconcile func(context.Context, view) error
	}{
		{"kube-controller-manager: csrsigning", k.sign},
		{"kube-controller-manager: csrcleaner", k.cleanRequests},
		{"kube-controller-manager: nodelifecycle", k.nodes},
		{"kube-controller-manager: workloads", k.workloads},
		{"network-operator", k.network},
		{"static-pods", k.staticPods},
		{"etcd-operator", k.etcd},
		{"kube-apiserver: endpoints", k.endpoints},
		{"machine-config-operator", k.machineConfig},
		{"ingress-operator", k.ingress},
		{"console-operator", k.console},
		{"image-registry-operator", k.imageRegistry},
		{"samples-operator", k.samples},
		{"cluster-version-operator", k.version},
	} {
		err := controller.reconcile(ctx, seen)
		if err == nil {
			continue
		}
		k.failed = true
		if ctx.Err() == nil && k.said[controller.name] != err.Error() {
			k.said[controller.name] = err.Error()
			k.machine.Console("%s: %v", controller.name, err)
		}
	}
}

// held tells whether something has been in a state for at least that long, or longer on slow machines. Another state
// starts anew. It is
// remembered in etcd, so that neither another leader nor a restart of the zone begins to wait again.
func (k *controllers) held(what, state string, atLeast time.Duration) bool {
	now, atLeast := k.clock.Now(), k.troubles.lasting(atLeast)
	last, ok := k.sightings.Get(what)
	if !ok || last.State != state {
		if err := k.sightings.Put(what, sighting{what, state, now}); err != nil {
			k.machine.Console("etcd: %v", err)
		}
		last.Since = now
	}
	if now.Sub(last.Since) >= atLeast {
		return true
	}
	k.wakeAt(last.Since.Add(atLeast))
	return false
}

// view is what the controllers see at the beginning of a tick.
type view struct {
	nodes        []kube.Object
	masters      []kube.Object          // those of the nodes that are of the control plane and ready
	homeless     string                 // why the release's operators have no node to run on, "" if they have one
	pods         map[string]kube.Object // by namespace/name
	etcd         etcdStatus
	bootstrapped bool // the ConfigMap says so
	reach        reached
}

func (k *controllers) look() view {
	seen := view{nodes: k.objects.List(nodeResource, ""), pods: map[string]kube.Object{}, etcd: k.etcdStatus(), reach: k.reach.get()}
	for _, pod := range k.objects.List(podResource, "") {
		seen.pods[pod.Namespace()+"/"+pod.Name()] = pod
	}
	status, _ := k.objects.Get(mapResource, "kube-system", "bootstrap")
	seen.bootstrapped = status.Text("data.status") == "complete"
	seen.masters = seen.ready("node-role.kubernetes.io/master")
	seen.homeless = withoutPlace(seen.masters)
	return seen
}

// ready returns the ready nodes with a label, by name.
func (v view) ready(label string) []kube.Object {
	return slices.DeleteFunc(slices.Clone(v.nodes), func(node kube.Object) bool {
		_, labelled := node.Labels()[label]
		return !labelled || condition(node, "Ready").Text("status") != "True"
	})
}

// readyPods counts the ready pods with a label "app".
func (v view) readyPods(app string) int {
	count := 0
	for _, pod := range v.pods {
		if pod.Labels()["app"] == app && podReady(pod) {
			count++
		}
	}
	return count
}

// place makes a pod that is bound to a node.
func place(namespace, name, app, node string, annotations kube.Object) kube.Object {
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

// report writes an event.
func (k *controllers) report(namespace, component, reason, message string) error {
	_, err := k.objects.Create(eventResource, namespace, kube.Object{
		"metadata":       kube.Object{"generateName": component + "."},
		"involvedObject": kube.Object{"kind": "Deployment", "namespace": namespace, "name": component},
		"source":         kube.Object{"component": component},
		"reason":         reason, "message": message, "type": "Normal", "count": 1, "firstTimestamp": k.now(), "lastTimestamp": k.now(),
	})
	return err
}
