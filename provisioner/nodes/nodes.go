// Package nodes looks after the nodes of a cluster that runs: it joins them with their machines and the answers, and removes them
// without a loss for what runs on them.
package nodes

import (
	"context"
	"net/netip"

	"exoshift/provisioner"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/nodes/ceph"
	"exoshift/state"
)

// Cloud has the machines and the records of the cluster.
type Cloud interface {
	network.Cloud
	// DescribeInstances returns the instances that have all the labels, with their disks, which ListInstances leaves out.
	DescribeInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	// StopInstance stops an instance and waits until it is stopped: state.Found if it was, fault.NotFound if there is none, and
	// fault.Transient while it is being stopped.
	StopInstance(ctx context.Context, id string) (state.Action, error)
	// DeleteInstance deletes an instance and waits until it is gone: state.Found if it was.
	DeleteInstance(ctx context.Context, id string) (state.Action, error)
	// ListInstancePools returns the instance pools that have all the labels.
	ListInstancePools(ctx context.Context, labels map[string]string) ([]state.InstancePool, error)
	// EvictPoolMember has a pool destroy one member and become smaller by one: state.Found if that is no member of it.
	EvictPoolMember(ctx context.Context, poolID, instanceID string) (state.Action, error)
}

// Cluster is the running cluster.
type Cluster interface {
	ceph.Cluster
	// Poll reads the whole state of the cluster.
	Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error)
	// ListClusterNodes returns the nodes, sorted by name.
	ListClusterNodes(ctx context.Context) ([]state.ClusterNode, error)
	// ListNodePods returns the pods of a node, sorted by namespace and name.
	ListNodePods(ctx context.Context, node string) ([]state.Pod, error)
	// ListRouters returns the routers of all ingress controllers, sorted by name.
	ListRouters(ctx context.Context) ([]state.Pod, error)
	// ListBudgets returns the disruption budgets of all namespaces.
	ListBudgets(ctx context.Context) ([]state.DisruptionBudget, error)
	// ListAttachments returns the names of the volumes that are attached to a node.
	ListAttachments(ctx context.Context, node string) ([]string, error)
	// ListLocalVolumes returns the claims of the volumes that only this node has.
	ListLocalVolumes(ctx context.Context, node string) ([]string, error)
	// SetCordon cordons a node or ends that: state.Found if it is so already, fault.NotFound if there is no such node.
	SetCordon(ctx context.Context, node string, cordoned bool) (state.Action, error)
	// EvictPod evicts a pod: a *state.EvictionBlockedError if a disruption budget does not permit it now.
	EvictPod(ctx context.Context, pod state.Pod) (state.Action, error)
	// DeleteNode deletes a Node: state.Found if it is gone.
	DeleteNode(ctx context.Context, node string) (state.Action, error)
}

// Clients are what the verbs work with.
type Clients struct {
	Cloud   Cloud
	Cluster Cluster
	Clock   provisioner.Clock
}

// Phase is the phase of all steps here.
const Phase = "nodes"

// KindNode is the kind of nodes in events.
const KindNode = "node"
