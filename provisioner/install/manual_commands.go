package install

import (
	"slices"
	"strings"

	"exoshift/state"
)

// formatExoCommand returns a command of Exoscale's own program for a machine. It is named by its ID, as names are not unique.
func (i *Installation) formatExoCommand(verb, id string, arguments ...string) string {
	words := append([]string{"exo compute instance", verb, "--zone", i.spec.Exoscale.Zone, id}, arguments...)
	return strings.Join(words, " ")
}

// isScalable tells whether a machine can be scaled from one type to the other: within a family, and among the
// common ones.
func isScalable(from, to string) bool {
	before, _, _ := strings.Cut(from, ".")
	after, _, _ := strings.Cut(to, ".")
	common := []string{"standard", "cpu", "memory"}
	return before == after || slices.Contains(common, before) && slices.Contains(common, after)
}

// listDrainCommands empties a node; a load balancer has nothing to empty, as the other one takes over.
func listDrainCommands(name string, role state.Role) []string {
	switch role {
	case state.RoleLoadBalancer:
		return nil
	case state.RoleMaster:
		return []string{"oc adm drain " + name + " --ignore-daemonsets --delete-emptydir-data --force"}
	}
	return []string{"oc adm drain " + name + " --ignore-daemonsets --delete-emptydir-data"}
}

// listScaleCommands are the commands that give a machine another type.
func (i *Installation) listScaleCommands(machine state.Machine, id string) []string {
	commands := listDrainCommands(machine.Name, machine.Role)
	if machine.Role == state.RoleMaster {
		commands = append([]string{"# only while etcd has 3 healthy members: oc get etcd cluster -o yaml"}, commands...)
	}
	commands = append(commands, i.formatExoCommand("stop", id), i.formatExoCommand("scale", id, machine.Type), i.formatExoCommand("start", id))
	if machine.Role == state.RoleLoadBalancer {
		return commands
	}
	return append(commands, "oc adm uncordon "+machine.Name)
}

// listRemoveCommands are the commands that remove a machine. The next installation makes it anew if the answers ask for it.
func (i *Installation) listRemoveCommands(name, id string, role state.Role) []string {
	commands := listDrainCommands(name, role)
	switch role {
	case state.RoleStorage:
		commands = append([]string{"# only once Ceph is HEALTH_OK and holds nothing on " + name + " any more: purge its OSD first"}, commands...)
	case state.RoleMaster:
		commands = append([]string{"# only while etcd has 3 healthy members: oc get etcd cluster -o yaml"}, commands...)
	}
	commands = append(commands, i.formatExoCommand("delete", id))
	if role != state.RoleLoadBalancer {
		commands = append(commands, "oc delete node "+name)
	}
	if role == state.RoleMaster {
		commands = append(commands, "# the next installation waits until etcd has forgotten "+name+", and says how")
	}
	return commands
}
