package install

import (
	"slices"
	"strings"

	"exoshift/state"
)

// exo returns a command of Exoscale's own program for a machine. It is named by its ID, as names are not unique.
func (i *Installation) exo(verb, id string, arguments ...string) string {
	words := append([]string{"exo compute instance", verb, "--zone", i.spec.Exoscale.Zone, id}, arguments...)
	return strings.Join(words, " ")
}

// interchangeable tells whether a machine can be scaled from one type to the other: within a family, and among the
// common ones.
func interchangeable(from, to string) bool {
	before, _, _ := strings.Cut(from, ".")
	after, _, _ := strings.Cut(to, ".")
	common := []string{"standard", "cpu", "memory"}
	return before == after || slices.Contains(common, before) && slices.Contains(common, after)
}

// drain empties a node; a load balancer has nothing to empty, as the other one takes over.
func drain(name string, role state.Role) []string {
	switch role {
	case state.RoleLoadBalancer:
		return nil
	case state.RoleMaster:
		return []string{"oc adm drain " + name + " --ignore-daemonsets --delete-emptydir-data --force"}
	}
	return []string{"oc adm drain " + name + " --ignore-daemonsets --delete-emptydir-data"}
}

// scaling are the commands that give a machine another type.
func (i *Installation) scaling(machine state.Machine, id string) []string {
	commands := drain(machine.Name, machine.Role)
	if machine.Role == state.RoleMaster {
		commands = append([]string{"# only while etcd has 3 healthy members: oc get etcd cluster -o yaml"}, commands...)
	}
	commands = append(commands, i.exo("stop", id), i.exo("scale", id, machine.Type), i.exo("start", id))
	if machine.Role == state.RoleLoadBalancer {
		return commands
	}
	return append(commands, "oc adm uncordon "+machine.Name)
}

// removal are the commands that remove a machine. The next installation makes it anew if the answers ask for it.
func (i *Installation) removal(name, id string, role state.Role) []string {
	commands := drain(name, role)
	switch role {
	case state.RoleStorage:
		commands = append([]string{"# only once Ceph is HEALTH_OK and holds nothing on " + name + " any more: purge its OSD first"}, commands...)
	case state.RoleMaster:
		commands = append([]string{"# only while etcd has 3 healthy members: oc get etcd cluster -o yaml"}, commands...)
	}
	commands = append(commands, i.exo("delete", id))
	if role != state.RoleLoadBalancer {
		commands = append(commands, "oc delete node "+name)
	}
	if role == state.RoleMaster {
		commands = append(commands, "# the next installation waits until etcd has forgotten "+name+", and says how")
	}
	return commands
}
