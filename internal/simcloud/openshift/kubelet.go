package openshift

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
)

// nodeBootstrapper is who a machine is before it has a certificate of its own.
const nodeBootstrapper = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"

// kubelet makes a machine a node: it asks for certificates, registers, and runs the pods it is given.
type kubelet struct {
	world   *World
	machine machine.Machine
	config  machineConfig
	cluster *cluster
	node    string
	access  access // the node bootstrapper's; its authority and server are the node's, too
	api     *client

	running sync.WaitGroup
	pods    map[string]*pod // by namespace/name
	beat    heartbeat
	seen    sighting    // of what runs here
	online  atomic.Bool // the network plugin runs
	// registries that let this machine in, by host.
	registries sync.Map
}

// How long a machine takes to pull the release's operating system and to start again from it (inferred).
const (
	pivotTime  = 5 * time.Minute
	pivotSteps = 10
)

// runNode lives from the first start after Ignition until ctx ends.
func (w *World) runNode(ctx context.Context, m machine.Machine) {
	k, err := w.newKubelet(m)
	if err != nil {
		m.Console("kubelet: %v", err)
		return
	}
	defer k.running.Wait()
	if !k.pivot(ctx) {
		return
	}
	k.startStaticPods(ctx)
	if !k.awaitHostname(ctx) || !k.enroll(ctx) {
		return
	}
	defer k.api.close()
	k.running.Go(func() { k.serve(ctx) })
	for ctx.Err() == nil {
		_ = w.clock.Sleep(ctx, k.sync(ctx))
	}
}

// How often a kubelet asks for its pods: while something changes, and once nothing has for a while.
const (
	syncEvery    = 10 * time.Second
	settledEvery = beatEvery
	settledAfter = 5 * time.Minute
)

func (w *World) newKubelet(m machine.Machine) (*kubelet, error) {
	config, err := readMachineConfig(m)
	if err != nil {
		return nil, err
	}
	content, _ := m.ReadFile(bootstrapAccess)
	opened, err := openKubeconfig(content)
	if err != nil {
		return nil, err
	}
	shared, err := w.cluster(config.InfraID)
	if err != nil {
		return nil, err
	}
	k := &kubelet{world: w, config: config, cluster: shared, node: nodeName(m), access: opened, pods: map[string]*pod{}}
	k.machine = plugged{Machine: m, online: &k.online, taken: shared.networks, clock: w.clock}
	return k, nil
}

// pivot replaces the boot image's system by the release's, once. Its length comes in steps, so that a machine that is
// started again in between does not begin anew.
func (k *kubelet) pivot(ctx context.Context) bool {
	done, _ := k.machine.ReadFile(pivotedFile)
	switch len(done) {
	case pivotSteps:
		return true
	case 0:
		k.machine.Console("machine-config-daemon: pulling the release's operating system")
	}
	for step := len(done); step < pivotSteps; step++ {
		if k.world.work(ctx, (pivotTime+jitter(k.machine.Name(), 30*time.Second))/pivotSteps) != nil {
			return false
		}
		done = append(done[:step:step], '.')
		if err := k.machine.WriteFile(pivotedFile, done); err != nil {
			k.machine.Console("machine-config-daemon: %v", err)
		}
	}
	k.machine.Console("machine-config-daemon: rebooted into it")
	return ctx.Err() == nil
}

// enroll gets the node's identity and registers it; false if ctx ended before.
func (k *kubelet) enroll(ctx context.Context) bool {
	bootstrapper, err := newClient(k.machine, k.access, k.cluster.patience())
	if err != nil {
		k.machine.Console("kubelet: %v", err)
		return false
	}
	defer bootstrapper.close()
	identity, ok := k.obtain(ctx, bootstrapper, k.clientRequest())
	if !ok {
		return false
	}
	own := k.access
	own.certificate, own.key = identity.certificate, identity.key
	if k.api, err = newClient(k.machine, own, k.cluster.patience()); err != nil {
		k.machine.Console("kubelet: %v", err)
		return false
	}
	return k.world.poll(ctx, 10*time.Second, func(ctx context.Context) bool {
		err := k.register(ctx)
		if err != nil {
			k.machine.Console("kubelet: unable to register node %s: %v", k.node, err)
		}
		return err == nil
	})
}

// register creates the Node, or takes over one of the same name: two machines of one name fight for it.
func (k *kubelet) register(ctx context.Context) error {
	_, err := k.api.do(ctx, http.MethodPost, nodesPath, k.object())
	if isCode(err, http.StatusConflict) {
		_, err = k.api.do(ctx, http.MethodPatch, nodesPath+"/"+k.node+"/status", kube.Object{"status": kube.Object{"addresses": k.addresses()}})
	}
	if err == nil {
		k.machine.Console("kubelet: registered node %s", k.node)
	}
	return err
}

func (k *kubelet) addresses() []kube.Object {
	return []kube.Object{{"type": "InternalIP", "address": k.address().String()}, {"type": "Hostname", "address": k.node}}
}

// object is the Node as a kubelet creates it.
func (k *kubelet) object() kube.Object {
	const role = "node-role.kubernetes.io/"
	labels := kube.Object{"kubernetes.io/hostname": k.node, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
		"node.openshift.io/os_id": "rhel"}
	var taints []kube.Object
	if k.config.Role == "master" {
		labels[role+"master"], labels[role+"control-plane"] = "", ""
		taints = append(taints, kube.Object{"key": masterTaint, "effect": "NoSchedule"})
	} else {
		labels[role+"worker"] = ""
	}
	if k.config.ExternalCloud {
		taints = append(taints, kube.Object{"key": cloudTaint, "value": "true", "effect": "NoSchedule"})
	}
	spec := kube.Object{}
	if len(taints) > 0 {
		spec["taints"] = taints
	}
	return kube.Object{"apiVersion": "v1", "kind": "Node", "metadata": kube.Object{"name": k.node, "labels": labels, "annotations": k.configured()}, "spec": spec,
		"status": kube.Object{
			"addresses":  k.addresses(),
			"capacity":   kube.Object{"cpu": "4", "memory": k.memory(), "pods": "250"},
			"conditions": k.conditions(),
			"nodeInfo":   kube.Object{"systemUUID": k.machine.ID(), "kubeletVersion": "v" + kubernetesVersion(k.config.Version), "osImage": "Red Hat Enterprise Linux CoreOS"},
		}}
}
