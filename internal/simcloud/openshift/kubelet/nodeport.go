package kubelet

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/hostnet"
	"exoshift/internal/simcloud/openshift/operators"
)

// nodePorts are the ports of Services on a node, which kube-proxy or Cilium opens. UDP is not simulated.
type nodePorts struct {
	cluster *cluster.Cluster
	machine machine.Machine
	node    string
	open    map[int]*nodePort
}

// nodePort is an open one.
type nodePort struct {
	*nodePorts
	use    portUse
	chosen atomic.Uint64
	stop   func()
}

// portUse is what a port is open for.
type portUse struct {
	namespace, service string
	health             bool // it answers whether this node has a ready pod, instead of forwarding
}

// sync opens and closes ports, all of them without the network plugin, and reports whether any Service wants one.
func (n *nodePorts) sync(ctx context.Context, run func(func()), online bool) (wanted bool) {
	uses := map[int]portUse{}
	for _, service := range n.cluster.Objects.List(kube.ServiceResource, "") {
		if wanted = wanted || kube.ExposesNodePorts(service); online {
			n.addUses(uses, service)
		}
	}
	for number, port := range n.open {
		if use, used := uses[number]; !used || use != port.use {
			port.stop()
			delete(n.open, number)
		}
	}
	for number, use := range uses {
		if n.open[number] == nil {
			n.start(ctx, run, number, use)
		}
	}
	return wanted
}

// addUses adds the ports of a Service that are open on this node: those that forward while it has ready pods, of the policy Local on this
// node, and the one for health checks always.
func (n *nodePorts) addUses(uses map[int]portUse, service kube.Object) {
	if !kube.ExposesNodePorts(service) {
		return
	}
	if port := kube.HealthCheckNodePort(service); port != 0 {
		uses[port] = portUse{service.Namespace(), service.Name(), true}
	}
	if len(n.listEndpoints(service)) == 0 {
		return
	}
	for _, port := range service.List("spec.ports") {
		if number := port.GetInt("nodePort"); number != 0 && cmp.Or(port.GetString("protocol"), "TCP") == "TCP" {
			uses[number] = portUse{service.Namespace(), service.Name(), false}
		}
	}
}

func (n *nodePorts) start(ctx context.Context, run func(func()), number int, use portUse) {
	listener, err := n.machine.Listen(number)
	if err != nil {
		n.machine.Console("node port of service %s/%s: %v", use.namespace, use.service, err)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	started := &nodePort{nodePorts: n, use: use, stop: func() {
		cancel()
		<-ended
	}}
	n.open[number] = started
	run(func() {
		defer close(ended)
		defer cancel()
		_ = hostnet.Serve(ctx, listener, nil, started)
	})
}

// listEndpoints returns the ready pods to which this node forwards connections.
func (n *nodePorts) listEndpoints(service kube.Object) (ready []kube.Object) {
	selector := service.Map("spec.selector")
	if len(selector) == 0 {
		return nil
	}
	for _, pod := range n.cluster.Objects.List(cluster.PodResource, service.Namespace()) {
		here := pod.GetString("spec.nodeName") == n.node
		if isSelected(pod, selector) && pod.IsReady() && pod.Get("metadata.deletionTimestamp") == nil && (here || !kube.IsLocal(service)) {
			ready = append(ready, pod)
		}
	}
	return ready
}

func isSelected(pod kube.Object, selector map[string]any) bool {
	for key, value := range selector {
		if label, exists := pod.Label(key); !exists || label != value {
			return false
		}
	}
	return true
}

// ServeHTTP answers in the place of the pod, whose program is not simulated: every request gets its name and that of its node. A pod on
// another node is reached if that node is.
func (p *nodePort) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	service, _ := p.cluster.Objects.Get(kube.ServiceResource, p.use.namespace, p.use.service)
	ready := p.listEndpoints(service)
	switch {
	case p.use.health && len(ready) == 0:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case p.use.health:
		w.WriteHeader(http.StatusOK)
		return
	case len(ready) == 0:
		hangUp(w)
		return
	}
	pod := ready[p.chosen.Add(1)%uint64(len(ready))]
	node := pod.GetString("spec.nodeName")
	if node != p.node && hostnet.CheckPort(q.Context(), p.cluster.Timeout(), p.machine, pod.GetString("status.hostIP"), operators.KubeletPort) != nil {
		hangUp(w)
		return
	}
	_, _ = fmt.Fprintf(w, "%s %s\n", pod.Name(), node)
}

// hangUp ends a connection without an answer.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}
