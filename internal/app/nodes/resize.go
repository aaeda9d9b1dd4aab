package nodes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// Size is what the machines of a group are to be like.
type Size struct {
	Group string // as in the answers
	Type  string // "": as it is
	Disk  int    // of a machine, in GiB, with its data disk; 0: as it is
}

const opResize = "resize nodes"

func refuseSize(format string, args ...any) *fault.Error {
	return fault.Newf(fault.Conflict, opResize, "nothing was changed: "+format, args...)
}

// resize returns the answers of a cluster with the size, or why the group cannot have it.
func resize(c Cluster, size Size) (role state.Role, after state.Spec, err error) {
	switch size.Group {
	case state.FormatGroup(state.RoleMaster):
		if size.Disk > 0 {
			return role, after, exit.WithCode(exit.Answers, refuseSize("the machines of masters keep their disks: give --type"))
		}
	case state.FormatGroup(state.RoleLoadBalancer):
		return role, after, exit.WithCode(exit.Answers, refuseSize("a load balancer is no node of the cluster"))
	case state.FormatGroup(state.RoleStorage):
		return role, after, exit.WithCode(exit.Answers, refuseSize("the data of storage nodes has to be moved to other nodes first, which this verb does not do"))
	}
	if role, err = findResized(c, size.Group); err != nil {
		return role, after, err
	}
	if err := checkSize(size, c.Spec.Group(role)); err != nil {
		return role, after, exit.WithCode(exit.Answers, err)
	}
	after = c.Spec.WithGroup(role, func(group *state.MachineSpec) {
		if size.Type != "" {
			group.Type = size.Type
		}
		if size.Disk > 0 {
			group.RootDisk = size.Disk - group.DataDisk
		}
	})
	if problems := describeProblems(c.Spec, after); problems != "" {
		return role, after, exit.WithCode(exit.Answers, refuseSize("the answers would have faults: %s", problems))
	}
	return role, after, nil
}

// findResized returns the role of a group whose machines can get another size.
func findResized(c Cluster, group string) (state.Role, error) {
	if group == state.FormatGroup(state.RoleMaster) {
		return state.RoleMaster, nil
	}
	return c.findGroup(group)
}

func checkSize(size Size, group state.MachineSpec) error {
	before, _, _ := strings.Cut(group.Type, ".")
	after, _, _ := strings.Cut(size.Type, ".")
	switch disk := group.RootDisk + group.DataDisk; {
	case group.Count == 0:
		return refuseSize("the group %s has no nodes", size.Group)
	case size.Type != "" && before != after:
		return refuseSize("%s is of another family than %s, which %s has", size.Type, group.Type, size.Group).
			WithHint("add a group of that type to the answers instead (sizing.extraGroups), then remove the nodes of this one")
	case size.Disk > 0 && size.Disk < disk:
		return refuseSize("the machines of %s have %d GiB, and a disk cannot become smaller", size.Group, disk)
	}
	return nil
}

// listOtherSizes returns the names of the nodes whose machines are not of the size of the answers, and of those whose replacement was begun.
func listOtherSizes(ctx context.Context, c Cluster, role state.Role, after state.Spec) ([]string, error) {
	clients, disconnect, err := c.OpenClients(state.NoJournal{})
	if err != nil {
		return nil, err
	}
	defer disconnect()
	if err := c.waitAnswer(ctx, clients); err != nil {
		return nil, err
	}
	all, err := nodes.List(ctx, after, c.Facts, clients, true)
	if err != nil {
		return nil, fmt.Errorf("list the nodes: %w", err)
	}
	group := after.Group(role)
	var names []string
	for _, node := range all {
		differs := node.Machine != nil && (node.Machine.Type != group.Type || node.Machine.DiskGiB != group.RootDisk+group.DataDisk)
		if node.Role == role && node.Answer != nil && differs {
			names = append(names, node.Name)
		}
	}
	for _, removal := range c.Facts.Removals {
		begun := removal.ReplacedBy != "" || removal.Type != "" // the machine of a master may have the type already
		if removal.Role == role && begun && !slices.Contains(names, removal.Node) {
			names = append(names, removal.Node)
		}
	}
	return names, nil
}
