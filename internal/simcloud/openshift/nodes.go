package openshift

import (
	"context"
	"slices"
	"time"

	"exoshift/internal/simcloud/kube"
)

// graceOfNodes is how long a node may be silent.
const graceOfNodes = 100 * time.Second

// nodes looks after the nodes: silent ones become unknown, pods of deleted ones go, and taints that others set at
// registration are taken off.
func (k *controllers) nodes(_ context.Context, seen view) error {
	known := map[string]bool{}
	workless := k.mastersSchedulable()
	for _, node := range seen.nodes {
		known[node.Name()] = true
		if err := k.node(node, workless); err != nil {
			return err
		}
	}
	for _, pod := range seen.pods {
		if name := pod.Text("spec.nodeName"); name != "" && !known[name] {
			if _, err := k.objects.Delete(podResource, pod.Namespace(), pod.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// node looks after one node, of a cluster whose masters are to be schedulable (workless) or not.
func (k *controllers) node(node kube.Object, workless bool) error {
	ready := condition(node, "Ready")
	silent := k.silent(node.Name(), ready.Text("lastHeartbeatTime"))
	_, master := node.Labels()[masterTaint]
	if !silent && (!master || !workless) {
		return nil
	}
	_, err := k.objects.Change(nodeResource, "", node.Name(), func(o kube.Object) error {
		if silent && ready.Text("status") != "Unknown" {
			setCondition(o, k.now(), "Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
			condition(o, "Ready")["lastHeartbeatTime"] = ready.Text("lastHeartbeatTime")
		}
		if master && workless {
			untaint(o, masterTaint)
			o.Map("metadata.labels")["node-role.kubernetes.io/worker"] = ""
		}
		return nil
	})
	return err
}

// silent tells whether a node's last sign of life is too long ago.
func (k *controllers) silent(node, beat string) bool {
	if k.beats[node].State != beat {
		since := k.began
		if at, err := time.Parse(time.RFC3339, beat); err == nil && at.After(since) {
			since = at
		}
		k.beats[node] = sighting{node, beat, since}
	}
	end := k.beats[node].Since.Add(graceOfNodes)
	if k.clock.Now().After(end) {
		return true
	}
	k.wakeAt(end.Add(time.Second))
	return false
}

func tainted(node kube.Object, key string) bool {
	return slices.ContainsFunc(node.List("spec.taints"), func(taint kube.Object) bool { return taint.Text("key") == key })
}

func untaint(node kube.Object, key string) {
	taints := node.List("spec.taints")
	left := slices.DeleteFunc(slices.Clone(taints), func(taint kube.Object) bool { return taint.Text("key") == key })
	if len(left) == len(taints) {
		return
	}
	if len(left) == 0 {
		delete(node.Map("spec"), "taints")
		return
	}
	node.Set("spec.taints", left)
}

func (k *controllers) mastersSchedulable() bool {
	scheduler, _ := k.objects.Get("schedulers.config.openshift.io", "", "cluster")
	yes, _ := scheduler.Get("spec.mastersSchedulable").(bool)
	return yes
}

// network starts a pod of OpenShift's own network plugin on every node. Any other must have come with the manifests, or
// nodes stay not ready.
func (k *controllers) network(_ context.Context, seen view) error {
	network, _ := k.objects.Get("networks.config.openshift.io", "", "cluster")
	kind := network.Text("spec.networkType")
	if kind != "OVNKubernetes" {
		return k.cilium(seen)
	}
	for _, node := range seen.nodes {
		name := "ovnkube-node-" + node.Name()
		_, placed := seen.pods["openshift-ovn-kubernetes/"+name]
		if placed || !k.held("network/"+node.Name(), "", 40*time.Second) {
			continue
		}
		if err := k.objects.Ensure(podResource, "openshift-ovn-kubernetes", place("openshift-ovn-kubernetes", name, networkApp, node.Name(), nil), nil); err != nil {
			return err
		}
	}
	return nil
}

// endpoints publishes where the API servers are.
func (k *controllers) endpoints(context.Context, view) error {
	addresses := k.serverAddresses()
	slices.Sort(addresses)
	plain := make([]kube.Object, len(addresses))
	for i, address := range addresses {
		plain[i] = kube.Object{"ip": address}
	}
	subsets := []kube.Object{{"addresses": plain, "ports": []kube.Object{{"name": "https", "port": apiPort, "protocol": "TCP"}}}}
	meta := kube.Object{"name": "kubernetes", "labels": kube.Object{"kubernetes.io/service-name": "kubernetes"}}
	if err := k.objects.Ensure("endpoints", "default", kube.Object{"metadata": meta, "subsets": subsets}, func(o kube.Object) error {
		o["subsets"] = subsets
		return nil
	}); err != nil {
		return err
	}
	slice := []kube.Object{{"addresses": addresses, "conditions": kube.Object{"ready": true}}}
	return k.objects.Ensure("endpointslices.discovery.k8s.io", "default", kube.Object{"metadata": meta, "addressType": "IPv4", "endpoints": slice,
		"ports": []kube.Object{{"name": "https", "port": apiPort, "protocol": "TCP"}}}, func(o kube.Object) error {
		o["endpoints"] = slice
		return nil
	})
}
