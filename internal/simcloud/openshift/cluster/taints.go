package cluster

import (
	"slices"

	"exoshift/internal/simcloud/kube"
)

// Taints of nodes, and their effect.
const (
	MasterTaint = "node-role.kubernetes.io/master"
	// CloudTaint is on every node of a cluster with an external cloud provider until a cloud controller removes it.
	CloudTaint       = "node.cloudprovider.kubernetes.io/uninitialized"
	NotReadyTaint    = "node.kubernetes.io/not-ready"
	UnreachableTaint = "node.kubernetes.io/unreachable"
	CordonTaint      = "node.kubernetes.io/unschedulable"
	NoSchedule       = "NoSchedule"
)

// HasTaint reports whether a node has a taint of that key.
func HasTaint(node kube.Object, key string) bool {
	return slices.ContainsFunc(node.List("spec.taints"), func(taint kube.Object) bool { return taint.GetString("key") == key })
}

// RemoveTaint removes a node's taints of that key.
func RemoveTaint(node kube.Object, key string) {
	taints := node.List("spec.taints")
	left := slices.DeleteFunc(slices.Clone(taints), func(taint kube.Object) bool { return taint.GetString("key") == key })
	if len(left) == len(taints) {
		return
	}
	if len(left) == 0 {
		delete(node.Map("spec"), "taints")
		return
	}
	node.Set("spec.taints", left)
}

// Labels "app" of the release's own pods that have a simulated program. All others only become ready.
const (
	EtcdApp      = "etcd"
	APIServerApp = "openshift-kube-apiserver"
	McsApp       = "machine-config-server"
	RouterApp    = "router"
	NetworkApp   = "ovnkube-node"
)

// Draining annotates the pod of a router that is about to end.
const Draining = "draining"

// SlowStart annotates the pod of a router that takes long to start.
const SlowStart = "slow-start"
