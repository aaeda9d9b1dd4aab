package kubelet

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/machineconfig"
)

type pod struct {
	object    kube.Object // at its start
	app       string      // of the release's own pods; "" for those of manifests
	namespace string
	name      string
	uid       string
	protocol  string // of a router
	fromAPI   bool   // bound by the API; not a static pod
	stop      func()
	ready     atomic.Bool
	done      atomic.Bool                   // its program ended successfully
	waiting   atomic.Pointer[waitingReason] // why it does not run
	probed    atomic.Pointer[[]kube.Object] // the statuses of its containers, if probes of other hosts decide about them
	reported  string                        // what was last written to the API
}

// staticPodPath returns the file of a pod that starts from the disk, as it must run before there is an API; "" for others.
func staticPodPath(app string) string {
	switch app {
	case cluster.EtcdApp:
		return "/etc/kubernetes/manifests/etcd-pod.yaml"
	case cluster.APIServerApp:
		return "/etc/kubernetes/manifests/kube-apiserver-pod.yaml"
	}
	return ""
}

func (k *kubelet) startStaticPods(ctx context.Context) {
	for _, app := range []string{cluster.EtcdApp, cluster.APIServerApp} {
		content, ok := k.machine.ReadFile(staticPodPath(app))
		var object kube.Object
		if ok && json.Unmarshal(content, &object) == nil {
			k.start(ctx, object, false)
		}
	}
}

func (k *kubelet) sync(ctx context.Context) time.Duration {
	list, err := k.api.Get(ctx, "/api/v1/pods?fieldSelector=spec.nodeName%3D"+k.node)
	if err == nil {
		k.syncPods(ctx, list.List("items"))
	}
	k.report(ctx)
	state := k.computeState(list.List("items"))
	if err != nil || state != k.lastState.State {
		k.lastState = cluster.StateRecord{What: k.node, State: state, Since: k.cluster.Clock.Now()}
	}
	balances := k.nodePorts.sync(ctx, k.running.Go, k.online.Load())
	now := k.cluster.Clock.Now()
	if balances || now.Sub(k.lastState.Since) < idleAfter {
		return syncInterval
	}
	return max(syncInterval, k.heartbeat.at.Add(heartbeatInterval).Sub(now))
}

// computeState fingerprints a kubelet's pods and whether its node is ready.
func (k *kubelet) computeState(wanted []kube.Object) string {
	states := []string{strconv.FormatBool(k.heartbeat.ready)}
	for _, object := range wanted {
		states = append(states, object.GetString("metadata.uid")+object.GetString("metadata.generation"))
	}
	for id, running := range k.pods {
		states = append(states, id+running.reported)
	}
	slices.Sort(states)
	return strings.Join(states, " ")
}

func (k *kubelet) syncPods(ctx context.Context, wanted []kube.Object) {
	there := map[string]bool{}
	for _, object := range wanted {
		id := object.Namespace() + "/" + object.Name()
		there[id] = true
		running := k.pods[id]
		if running != nil && running.uid != object.GetString("metadata.uid") && staticPodPath(running.app) == "" {
			running.stop()
			running = nil
		}
		if running == nil {
			running = k.start(ctx, object, true)
		}
		if object.IsReady() != running.ready.Load() {
			running.reported = "" // the API has another status, as after a restoration of etcd
		}
		k.reportPod(ctx, running)
	}
	for id, running := range k.pods {
		if !there[id] && staticPodPath(running.app) == "" {
			running.stop()
			delete(k.pods, id)
		}
	}
}

func (k *kubelet) start(ctx context.Context, object kube.Object, fresh bool) *pod {
	app, _ := object.Label("app")
	p := &pod{object: object, app: app, namespace: object.Namespace(), name: object.Name(), uid: object.GetString("metadata.uid"),
		protocol: object.GetString("metadata.annotations.protocol"), fromAPI: fresh}
	if object.OwnerUID() != "" {
		p.app = ""
	}
	if path := staticPodPath(p.app); path != "" && fresh {
		content, err := json.Marshal(object)
		if err == nil {
			err = k.machine.WriteFile(path, content)
		}
		if err != nil {
			k.machine.Console("kubelet: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	p.stop = func() {
		cancel()
		<-ended
	}
	k.pods[p.namespace+"/"+p.name] = p
	k.running.Go(func() {
		defer close(ended)
		defer cancel()
		if err := k.run(ctx, p); err != nil && ctx.Err() == nil {
			k.machine.Console("%s: %v", p.name, err)
		}
	})
	return p
}

func (k *kubelet) run(ctx context.Context, p *pod) error {
	switch p.app {
	case cluster.EtcdApp:
		return etcdMember{cluster: k.cluster, machine: k.machine, node: k.node}.run(ctx, p)
	case cluster.APIServerApp:
		return runAPIServer(ctx, k.cluster, k.machine, p)
	case cluster.RouterApp:
		return router{cluster: k.cluster, machine: k.machine, api: k.api}.run(ctx, p)
	case "":
		k.runtime.runContainer(ctx, p)
		return nil
	}
	if k.cluster.WaitScaled(ctx, 15*time.Second+cluster.Jitter(p.name, 15*time.Second)) != nil {
		return nil
	}
	p.ready.Store(true)
	if p.app == cluster.McsApp {
		return machineconfig.ServeCluster(ctx, k.cluster, k.machine, k.config)
	}
	return nil
}

func (k *kubelet) reportPod(ctx context.Context, p *pod) {
	state, ready := "Running", "False"
	if p.ready.Load() {
		state, ready = "Ready", "True"
	}
	container := kube.Object{"ready": p.ready.Load(), "state": kube.Object{"running": kube.Object{}}}
	if found := p.waiting.Load(); found != nil {
		state = found.reason + ": " + found.message
		container["state"] = kube.Object{"waiting": kube.Object{"reason": found.reason, "message": found.message}}
	}
	phase := "Running"
	if p.done.Load() {
		state, phase = "Succeeded", "Succeeded"
		container["state"] = kube.Object{"terminated": kube.Object{"reason": "Completed", "exitCode": 0}}
	}
	statuses := []kube.Object{container}
	if results := p.probed.Load(); results != nil && phase == "Running" {
		statuses = *results
		for _, one := range statuses {
			state += fmt.Sprintf(" %t", one["ready"])
		}
	}
	if p.reported == state {
		return
	}
	status := kube.Object{"status": kube.Object{
		"phase": phase, "hostIP": k.machine.Address().String(), "podIP": k.machine.Address().String(),
		"conditions":        []kube.Object{{"type": "Ready", "status": ready}},
		"containerStatuses": statuses,
	}}
	if _, err := k.api.Do(ctx, http.MethodPatch, "/api/v1/namespaces/"+p.namespace+"/pods/"+p.name+"/status", status); err == nil {
		p.reported = state
	}
}
