package openshift

import (
	"context"
	"net/http"
	"time"

	"exoshift/internal/simcloud/kube"
)

// heartbeat is what a kubelet last said about its node.
type heartbeat struct {
	at    time.Time
	ready bool
}

const (
	beatEvery = 40 * time.Second
	noNetwork = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: " +
		"No CNI configuration file in /etc/kubernetes/cni/net.d/. Has your network provider started?"
)

// conditions describe the node: it is ready when a pod of the network plugin is.
func (k *kubelet) conditions() []kube.Object {
	now := k.cluster.now()
	ready := kube.Object{"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": noNetwork,
		"lastHeartbeatTime": now}
	if k.networkReady() {
		ready = kube.Object{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status",
			"lastHeartbeatTime": now}
	}
	if k.beat.at.IsZero() || k.beat.ready != k.networkReady() {
		ready["lastTransitionTime"] = now
	}
	conditions := []kube.Object{ready}
	for kind, reason := range map[string]string{
		"MemoryPressure": "KubeletHasSufficientMemory", "DiskPressure": "KubeletHasNoDiskPressure", "PIDPressure": "KubeletHasSufficientPID",
	} {
		conditions = append(conditions, kube.Object{"type": kind, "status": "False", "reason": reason, "lastHeartbeatTime": now})
	}
	return conditions
}

func (k *kubelet) networkReady() bool {
	for _, p := range k.pods {
		program, _ := programOf(p.object)
		plugin := p.app == networkApp || p.app == "" && program == ciliumAgent
		if plugin && p.ready.Load() {
			return true
		}
	}
	return false
}

// report writes the conditions when they changed, and from time to time to show that the node lives.
func (k *kubelet) report(ctx context.Context) {
	now, ready := k.world.clock.Now(), k.networkReady()
	if before := k.online.Swap(ready); ready && !before {
		k.api.close() // the plugin moves the machine's address, and cuts what is open
	}
	if k.beat.ready == ready && now.Sub(k.beat.at) < beatEvery {
		return
	}
	status := kube.Object{"status": kube.Object{"conditions": k.conditions()}}
	_, err := k.api.do(ctx, http.MethodPatch, nodesPath+"/"+k.node+"/status", status)
	switch {
	case isCode(err, http.StatusNotFound):
		err = k.register(ctx)
	case isCode(err, http.StatusUnauthorized):
		k.machine.Console("kubelet: the node's certificate is not valid any more")
	}
	if err == nil {
		k.beat = heartbeat{at: now, ready: ready}
	} else if ctx.Err() == nil {
		k.machine.Console("kubelet: error updating node status: %v", err)
	}
}
