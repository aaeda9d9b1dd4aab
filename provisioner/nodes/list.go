package nodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"exoshift/internal/stable"
	"exoshift/provisioner"
	"exoshift/state"
)

// Node is a node, its machine, and what the answers say of both. Any of the three may be missing.
type Node struct {
	Name    string
	Role    state.Role
	Machine *state.Instance    // nil: there is none
	Node    *state.ClusterNode // nil: it has not registered
	Answer  *state.Machine     // nil: the answers do not ask for it
	// Removal is one that was begun and not ended; nil: there is none.
	Removal *state.NodeRemoval
	// LacksNetwork: the answers want an interface on the private network, and its machine has none on any.
	LacksNetwork bool
	// Balancer is what is known of a load balancer, which is no node of the cluster; nil: it is none.
	Balancer *Balancer
	// IsStorageChanged: a change of its Ceph was begun and not ended.
	IsStorageChanged bool
	// IsStorageAdded: it is a new storage node, and its addition was begun and not ended.
	IsStorageAdded bool
}

// Differs returns how it differs from the answers.
func (n Node) Differs() []string {
	var all []string
	switch {
	case n.Answer == nil:
		return []string{"the answers do not ask for it"}
	case n.Machine == nil:
		all = append(all, "there is no machine")
	default:
		if n.Machine.Type != n.Answer.Type {
			all = append(all, fmt.Sprintf("type %s, not %s", n.Machine.Type, n.Answer.Type))
		}
		if disk := n.Answer.RootDisk + n.Answer.DataDisk; n.Machine.DiskGiB > 0 && n.Machine.DiskGiB != disk {
			all = append(all, fmt.Sprintf("disk %d GiB, not %d GiB", n.Machine.DiskGiB, disk))
		}
		if n.LacksNetwork {
			all = append(all, "it is not in the private network")
		}
	}
	if n.Node == nil && n.Balancer == nil {
		all = append(all, "it is no node of the cluster")
	}
	return all
}

// Findings returns what is wrong with it, or going on.
func (n Node) Findings() []string {
	var all []string
	if n.Machine != nil && n.Machine.State != "running" {
		all = append(all, "the machine is "+n.Machine.State)
	}
	if n.Node != nil {
		if !n.Node.Ready {
			all = append(all, "not ready: "+n.Node.Reason)
		}
		if n.Node.Config != n.Node.DesiredConfig {
			all = append(all, "its configuration is being changed")
		}
		if n.Node.ConfigState == "Degraded" {
			all = append(all, "its configuration is degraded")
		}
	}
	if n.Balancer != nil {
		all = append(all, n.Balancer.list()...)
	}
	switch {
	case n.Removal == nil && n.IsStorageChanged:
		all = append(all, n.describeStorage())
	case n.Removal == nil:
	case n.Removal.Type != "":
		all = append(all, "its change to the type "+n.Removal.Type+" has not ended: "+FormatCommand(*n.Removal))
	case n.Role == state.RoleMaster:
		all = append(all, "its replacement has not ended: "+FormatCommand(*n.Removal))
	case n.Removal.ReplacedBy != "":
		all = append(all, "its replacement by "+n.Removal.ReplacedBy+" has not ended: exoshift nodes replace "+n.Name)
	default:
		all = append(all, "its removal has not ended: exoshift nodes remove "+n.Name)
	}
	return all
}

// describeStorage says which command ends the change of its Ceph.
func (n Node) describeStorage() string {
	if n.IsStorageAdded {
		return "its addition has not ended: exoshift nodes add --group storage --count 1"
	}
	return "its data is being moved for a change that has not ended: exoshift nodes replace or remove " + n.Name
}

// FormatCommand returns the command that ends what was begun with a node.
func FormatCommand(removal state.NodeRemoval) string {
	switch {
	case removal.Type != "":
		return "exoshift nodes resize --group " + state.FormatGroup(removal.Role) + " --type " + removal.Type
	case removal.ReplacedBy != "", removal.Role == state.RoleMaster:
		return "exoshift nodes replace " + removal.Node
	}
	return "exoshift nodes remove " + removal.Node
}

// Pool returns the machine config pool of a node by its rendered configuration, "rendered-<pool>-<hash>"; "": unknown.
func (n Node) Pool() string {
	if n.Node == nil {
		return ""
	}
	pool, found := strings.CutPrefix(n.Node.Config, "rendered-")
	if at := strings.LastIndexByte(pool, '-'); found && at > 0 {
		return pool[:at]
	}
	return ""
}

// List joins the nodes of the cluster with their machines and the answers, in the order of the answers; others come last. With
// disks, it asks for each machine by itself.
func List(ctx context.Context, spec state.Spec, facts state.Facts, clients Clients, disks bool) ([]Node, error) {
	var members []state.ClusterNode
	var machines []state.Instance
	err := provisioner.ForEach(ctx, []func(context.Context) error{
		func(ctx context.Context) (err error) {
			members, err = clients.Cluster.ListClusterNodes(ctx)
			return err
		},
		func(ctx context.Context) (err error) {
			list := clients.Cloud.ListInstances
			if disks {
				list = clients.Cloud.DescribeInstances
			}
			machines, err = list(ctx, spec.Labels())
			return err
		},
	}, func(ctx context.Context, read func(context.Context) error) error { return read(ctx) })
	if err != nil {
		return nil, err
	}
	if spec, _, err = readPools(ctx, spec, facts, clients.Cloud, machines); err != nil {
		return nil, err
	}
	return join(spec, facts, members, machines), nil
}

func join(spec state.Spec, facts state.Facts, members []state.ClusterNode, machines []state.Instance) []Node {
	var all []Node
	index := map[string]int{}
	find := func(name string, role state.Role) *Node {
		at, known := index[name]
		if !known {
			at = len(all)
			index[name] = at
			changed := facts.Storage != nil && facts.Storage.Node == name
			all = append(all, Node{Name: name, Role: role, Removal: facts.FindRemoval(name), IsStorageChanged: changed, IsStorageAdded: changed && facts.Storage.Added})
		}
		return &all[at]
	}
	for _, machine := range spec.Nodes() {
		find(machine.Name, machine.Role).Answer = &machine
	}
	answered := len(all)
	for _, machine := range machines {
		role := state.Role(machine.Labels[state.LabelRole])
		if role == state.RoleLoadBalancer || role == state.RoleBootstrap {
			continue
		}
		node := find(machine.Name, role)
		node.Machine = &machine
		node.LacksNetwork = spec.Network.PrivateNetwork != "" && role != state.RoleMaster && len(machine.PrivateNetworks) == 0
		if isOutdated(node.Removal, machine) {
			node.Removal = nil
		}
	}
	for _, member := range members {
		find(member.Name, "").Node = &member
	}
	stable.Sort(all[answered:], func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// isOutdated reports whether a removal was of an earlier machine of that name, which is gone: a run was killed before it could record
// that, and an installation has made the machine again.
func isOutdated(removal *state.NodeRemoval, machine state.Instance) bool {
	return removal != nil && removal.MachineID != "" && removal.MachineID != machine.ID
}

// errNotOurs is why a node is not touched that no machine of this cluster's label belongs to.
var errNotOurs = errors.New("there is no machine of this cluster behind it")
