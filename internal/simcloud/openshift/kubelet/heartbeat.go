package kubelet

import (
	"context"
	"net/http"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/operators"
)

type heartbeat struct {
	at    time.Time
	ready bool
}

const (
	heartbeatInterval = 40 * time.Second
	noNetwork         = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: " +
		"No CNI configuration file in /etc/kubernetes/cni/net.d/. Has your network provider started?"
)

// buildConditions reports the node as ready when a pod of the network plugin is.
func (k *kubelet) buildConditions() []kube.Object {
	now := k.cluster.Timestamp()
	ready := kube.Object{"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": noNetwork,
		"lastHeartbeatTime": now}
	if k.isNetworkReady() {
		ready = kube.Object{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status",
			"lastHeartbeatTime": now}
	}
	if k.heartbeat.at.IsZero() || k.heartbeat.ready != k.isNetworkReady() {
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

func (k *kubelet) isNetworkReady() bool {
	for _, p := range k.pods {
		program, _ := findProgram(p.object)
		plugin := p.app == cluster.NetworkApp || p.app == "" && program == operators.CiliumAgent
		if plugin && p.ready.Load() {
			return true
		}
	}
	return false
}

// report writes the conditions on changes, and periodically as a heartbeat.
func (k *kubelet) report(ctx context.Context) {
	now, ready := k.cluster.Clock.Now(), k.isNetworkReady()
	if before := k.online.Swap(ready); ready && !before {
		k.api.Close() // the plugin takes over the machine's network and cuts open connections
	}
	if k.heartbeat.ready == ready && now.Sub(k.heartbeat.at) < heartbeatInterval {
		return
	}
	status := kube.Object{"status": kube.Object{"conditions": k.buildConditions()}}
	_, err := k.api.Do(ctx, http.MethodPatch, apiclient.NodesPath+"/"+k.node+"/status", status)
	switch {
	case apiclient.IsCode(err, http.StatusNotFound):
		err = k.register(ctx)
	case apiclient.IsCode(err, http.StatusUnauthorized):
		k.machine.Console("kubelet: the node's certificate is not valid any more")
	}
	if err == nil {
		k.heartbeat = heartbeat{at: now, ready: ready}
		k.certificates.renew()
	} else if ctx.Err() == nil {
		k.machine.Console("kubelet: error updating node status: %v", err)
	}
}
