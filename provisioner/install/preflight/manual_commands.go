package preflight

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/ignition"
	"exoshift/state"
)

// Machines are named by ID, as names are not unique.
func (c *Comparison) formatExoCommand(verb, id string, arguments ...string) string {
	words := append([]string{"exo compute instance", verb, "--zone", c.spec.Exoscale.Zone, id}, arguments...)
	return strings.Join(words, " ")
}

// Exoscale scales within a family, and among the common ones.
func isScalable(from, to string) bool {
	before, _, _ := strings.Cut(from, ".")
	after, _, _ := strings.Cut(to, ".")
	common := []string{"standard", "cpu", "memory"}
	return before == after || slices.Contains(common, before) && slices.Contains(common, after)
}

// A load balancer needs no drain, as the other one takes over.
func listDrainCommands(name string, role state.Role) []string {
	switch role {
	case state.RoleLoadBalancer:
		return nil
	case state.RoleMaster:
		return []string{"oc adm drain " + name + " --ignore-daemonsets --delete-emptydir-data --force"}
	}
	return []string{"oc adm drain " + name + " --ignore-daemonsets --delete-emptydir-data"}
}

func (c *Comparison) listScaleCommands(machine state.Machine, id string) []string {
	commands := listDrainCommands(machine.Name, machine.Role)
	if machine.Role == state.RoleMaster {
		commands = append([]string{"# only while etcd has 3 healthy members: oc get etcd cluster -o yaml"}, commands...)
	}
	commands = append(commands, c.formatExoCommand("stop", id), c.formatExoCommand("scale", id, machine.Type), c.formatExoCommand("start", id))
	if machine.Role == state.RoleLoadBalancer {
		return commands
	}
	return append(commands, "oc adm uncordon "+machine.Name)
}

// The next installation recreates the machine if the answers contain it.
func (c *Comparison) listRemoveCommands(name, id string, role state.Role) []string {
	commands := listDrainCommands(name, role)
	switch role {
	case state.RoleStorage:
		commands = append([]string{"# only once Ceph is HEALTH_OK and holds nothing on " + name + " any more: purge its OSD first"}, commands...)
	case state.RoleMaster:
		commands = append([]string{"# only while etcd has 3 healthy members: oc get etcd cluster -o yaml"}, commands...)
	}
	commands = append(commands, c.formatExoCommand("delete", id))
	if role != state.RoleLoadBalancer {
		commands = append(commands, "oc delete node "+name)
	}
	if role == state.RoleMaster {
		commands = append(commands, "# the next installation waits until etcd has forgotten "+name+", and shows how")
	}
	return commands
}

// hasVerbs reports whether the verbs of nodes replace and remove machines of a role: they are for clusters that are installed.
func (c *Comparison) hasVerbs(role state.Role) bool {
	return !c.facts.Get().Installed.IsZero() && role != state.RoleStorage && slices.Contains(c.spec.ComputeRoles(), role)
}

// listResizeCommands returns the verbs that give all machines of a group the size of the answers; nil if that is not all that this one lacks.
func (c *Comparison) listResizeCommands(machine state.Machine, live state.Instance, fixed [][3]string) (commands []string) {
	resize := "exoshift nodes resize --group " + state.FormatGroup(machine.Role)
	inPlace := machine.Role == state.RoleMaster && !c.facts.Get().Installed.IsZero() && len(fixed) == 0 // the machine stays
	if !c.hasVerbs(machine.Role) && !inPlace || slices.ContainsFunc(fixed, func(f [3]string) bool { return f[0] != fixedDisk && f[0] != fixedLayout }) {
		return nil
	}
	if live.Type != machine.Type {
		before, _, _ := strings.Cut(live.Type, ".")
		after, _, _ := strings.Cut(machine.Type, ".")
		if before != after {
			return nil
		}
		commands = append(commands, resize+" --type "+machine.Type)
	}
	disk := machine.RootDisk + machine.DataDisk
	switch {
	case len(fixed) == 0:
		return commands
	case disk <= live.DiskGiB || dataDisk(live) != machine.DataDisk:
		return nil
	}
	return append(commands, fmt.Sprintf("%s --disk %d", resize, disk))
}

// dataDisk returns the size of the partition for data that a machine was started with, in GiB.
func dataDisk(live state.Instance) int {
	layout, err := ignition.ParseLayout(live.UserData)
	if err != nil || layout.RootGiB == 0 {
		return 0
	}
	return live.DiskGiB - layout.RootGiB
}
