package operators

import (
	"cmp"
	"context"
	"slices"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// nodeGracePeriod is the time without a heartbeat after which a node's conditions become Unknown.
const nodeGracePeriod = 100 * time.Second

// nodeLifecycle is the controller of nodes.
type nodeLifecycle struct {
	*loop
	heartbeats map[string]cluster.StateRecord // the last heartbeats of the nodes; lost with the machine
}

// sync marks silent nodes as unknown, deletes the pods of deleted nodes, and removes taints that were set at registration.
func (k nodeLifecycle) sync(_ context.Context, seen clusterSnapshot) error {
	known := map[string]bool{}
	workless := k.isMasterSchedulable()
	for _, node := range seen.nodes {
		known[node.Name()] = true
		if err := k.syncNode(node, workless); err != nil {
			return err
		}
	}
	for _, pod := range seen.pods {
		if name := pod.GetString("spec.nodeName"); name != "" && !known[name] {
			if _, err := k.Objects.Delete(cluster.PodResource, pod.Namespace(), pod.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// syncNode: workless is true if masters are to be schedulable.
func (k nodeLifecycle) syncNode(node kube.Object, workless bool) error {
	ready := node.Condition("Ready")
	beat := cmp.Or(ready.GetString("lastHeartbeatTime"), node.GetString("metadata.creationTimestamp"))
	silent := k.isSilent(node.Name(), beat)
	_, master := node.Label(cluster.MasterTaint)
	if !silent && (!master || !workless) {
		return nil
	}
	_, err := k.Objects.Update(cluster.NodeResource, "", node.Name(), func(o kube.Object) error {
		if silent && ready.GetString("status") != "Unknown" {
			o.SetCondition(k.Timestamp(), "Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
			o.Condition("Ready")["lastHeartbeatTime"] = beat
		}
		if master && workless {
			cluster.RemoveTaint(o, cluster.MasterTaint)
			o.Map("metadata.labels")["node-role.kubernetes.io/worker"] = ""
		}
		return nil
	})
	return err
}

func (k nodeLifecycle) isSilent(node, beat string) bool {
	if k.heartbeats[node].State != beat {
		since := k.leaderSince
		if at, err := time.Parse(time.RFC3339, beat); err == nil && at.After(since) {
			since = at
		}
		k.heartbeats[node] = cluster.StateRecord{What: node, State: beat, Since: since}
	}
	end := k.heartbeats[node].Since.Add(nodeGracePeriod)
	if k.Clock.Now().After(end) {
		return true
	}
	k.scheduleAt(end.Add(time.Second))
	return false
}

func (k nodeLifecycle) isMasterSchedulable() bool {
	scheduler, _ := k.Objects.Get("schedulers.config.openshift.io", "", "cluster")
	return scheduler.GetBool("spec.mastersSchedulable")
}

// networkOperator starts the network plugin.
type networkOperator struct{ *loop }

// sync starts a pod of OpenShift's own network plugin on every node. Any other plugin must be in the manifests, or nodes
// remain NotReady.
func (k networkOperator) sync(_ context.Context, seen clusterSnapshot) error {
	network, _ := k.Objects.Get("networks.config.openshift.io", "", "cluster")
	kind := network.GetString("spec.networkType")
	if kind != "OVNKubernetes" {
		return k.syncCilium(seen)
	}
	for _, node := range seen.nodes {
		name := "ovnkube-node-" + node.Name()
		_, placed := seen.pods["openshift-ovn-kubernetes/"+name]
		if placed || !k.hasLasted("network/"+node.Name(), "", 40*time.Second) {
			continue
		}
		if err := k.Objects.Ensure(cluster.PodResource, "openshift-ovn-kubernetes", newBoundPod("openshift-ovn-kubernetes", name, cluster.NetworkApp, node.Name(), nil), nil); err != nil {
			return err
		}
	}
	return nil
}

// syncEndpoints publishes the addresses of the API servers.
func syncEndpoints(c *cluster.Cluster) error {
	addresses := c.ListServers()
	slices.Sort(addresses)
	plain := make([]kube.Object, len(addresses))
	for i, address := range addresses {
		plain[i] = kube.Object{"ip": address}
	}
	subsets := []kube.Object{{"addresses": plain, "ports": []kube.Object{{"name": "https", "port": cluster.APIPort, "protocol": "TCP"}}}}
	meta := kube.Object{"name": "kubernetes", "labels": kube.Object{"kubernetes.io/service-name": "kubernetes"}}
	if err := c.Objects.Ensure("endpoints", "default", kube.Object{"metadata": meta, "subsets": subsets}, func(o kube.Object) error {
		o["subsets"] = subsets
		return nil
	}); err != nil {
		return err
	}
	slice := []kube.Object{{"addresses": addresses, "conditions": kube.Object{"ready": true}}}
	return c.Objects.Ensure("endpointslices.discovery.k8s.io", "default", kube.Object{"metadata": meta, "addressType": "IPv4", "endpoints": slice,
		"ports": []kube.Object{{"name": "https", "port": cluster.APIPort, "protocol": "TCP"}}}, func(o kube.Object) error {
		o["endpoints"] = slice
		return nil
	})
}

// GetInternalAddress returns the internal address of a node, or "".
func GetInternalAddress(node kube.Object) string {
	for _, address := range node.List("status.addresses") {
		if address.GetString("type") == "InternalIP" {
			return address.GetString("address")
		}
	}
	return ""
}
