package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

func buildMachineRules() []Rule {
	return []Rule{{
		ID:          "no-hostname",
		Cause:       "Machines have no host names: they all register as localhost, and only one node can have that name.",
		Fix:         "Set each host name:\n{subject}",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "a machine that you give its name by this command joins at once, and the installation goes on",
		Blocks:      Nodes,
		HoldFor:     time.Minute,
		Explains:    []string{"worker-config-unserved", "requests-left"},
		detect:      detectMissingHostname,
	}, {
		ID:          "wrong-node-address",
		Cause:       "A node uses an address that is not its machine's and is not reachable for the others.",
		Fix:         "Set the address of the machine:\n{subject}",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "the machine takes the right address when it has booted again, and the installation goes on",
		Blocks:      ControlPlane,
		HoldFor:     time.Minute,
		detect:      detectWrongAddress,
	}, {
		ID:          "worker-config-unserved",
		Cause:       "The machine config servers on the masters do not serve the worker pool, or requests do not reach them.",
		Fix:         "Check the pools and the log of the servers:\noc get machineconfigpools; oc -n openshift-machine-config-operator logs -l k8s-app=machine-config-server --tail=20",
		Confidence:  Medium,
		Disposition: Wait,
		Waits:       "the cluster renders its pools by itself, sometimes late, and tries again by itself once what hinders it is mended",
		Blocks:      Nodes,
		HoldFor:     unservedDelay,
		detect:      detectUnservedWorkers,
	}, {
		ID:          "machine-stopped",
		Cause:       "Machines of the cluster are stopped.",
		Fix:         "Start them:\nexo compute instance start --zone {zone} {subject}",
		Confidence:  High,
		Disposition: Repair,
		Blocks:      Nodes,
		Restores:    MachineParts,
		HoldFor:     time.Minute,
		WithoutAPI:  true,
		detect:      detectStoppedMachine,
	}, {
		ID:    "machine-silent",
		Cause: "A machine has never made contact, while others of its role have joined.",
		Fix: "Check its console in the Exoscale portal. If it is stuck, delete it and run the same command again: it recreates the machine.\n" +
			"exo compute instance delete --zone {zone} {subject}",
		Confidence:  Medium,
		Disposition: Wait,
		Waits:       "the machine may be stuck in a way that its console mends, and the installation goes on once it joins",
		Blocks:      Nodes,
		detect:      detectSilentMachine,
	}}
}

// The hostname of a machine that was given none.
func isLocalhost(name string) bool {
	host, _, _ := strings.Cut(name, ".")
	return host == "localhost"
}

func detectMissingHostname(m *inputIndex) detection {
	var evidence []string
	for _, node := range m.Snapshot.Nodes {
		if isLocalhost(node.Name) {
			evidence = append(evidence, fmt.Sprintf("node %s has the address %s", node.Name, node.Address))
		}
	}
	for _, request := range m.Snapshot.Requests {
		if isLocalhost(request.Node) {
			evidence = append(evidence, fmt.Sprintf("request %s is for a certificate of %s", quoteName(request.Name), request.Node))
		}
	}
	if len(evidence) == 0 {
		return detection{}
	}
	nameless := listNameless(m)
	return detection{
		evidence: evidence, subject: []string{strings.Join(limitLines(formatHostnameCommands(m, nameless)), "\n")},
		blocks: findBlockedPhase(m, collectNames(nameless)),
	}
}

// listNameless returns the machines that may be those without a host name; none if nothing registers as localhost. The bootstrap
// machine approves whatever masters request, so that of nameless masters one is a node: without it, a master that others of its role
// have joined without is silent for another reason.
func listNameless(m *inputIndex) []state.Instance {
	isNameless := slices.ContainsFunc(m.Snapshot.Requests, func(r state.NodeRequest) bool { return isLocalhost(r.Node) })
	addresses := map[string]bool{}
	for _, node := range m.Snapshot.Nodes {
		if isLocalhost(node.Name) {
			isNameless, addresses[node.Address] = true, true
		}
	}
	if !isNameless {
		return nil
	}
	masters := m.masters.missing
	if !slices.ContainsFunc(masters, func(machine state.Instance) bool { return addresses[machine.Address] }) {
		masters = slices.DeleteFunc(slices.Clone(masters), func(machine state.Instance) bool { return m.silent[machine.Name] })
	}
	return slices.Concat(masters, m.others.missing)
}

func formatHostnameCommands(m *inputIndex, machines []state.Instance) []string {
	commands := make([]string, len(machines))
	for n, machine := range machines {
		commands[n] = m.formatSSHCommand(machine) + " sudo hostnamectl set-hostname " + machine.Name
	}
	return commands
}

func detectWrongAddress(m *inputIndex) detection {
	var evidence, commands []string
	for _, node := range m.Snapshot.Nodes {
		machine, ours := m.machines[node.Name]
		if !ours || node.Address == "" || machine.Address == "" || node.Address == machine.Address {
			continue
		}
		evidence = append(evidence, fmt.Sprintf("node %s has the address %s, its machine has %s", node.Name, node.Address, machine.Address))
		commands = append(commands, fmt.Sprintf("%s 'echo KUBELET_NODEIP_HINT=%s | sudo tee /etc/default/nodeip-configuration && sudo reboot'",
			m.formatSSHCommand(machine), machine.Address))
	}
	if len(evidence) == 0 {
		return detection{}
	}
	return detection{evidence: evidence, subject: []string{strings.Join(limitLines(commands), "\n")}}
}

// Workers ask for their certificates at most this long after the masters serve their configuration.
const unservedDelay = 20 * time.Minute

// detectUnservedWorkers holds when none of the other machines is known after the bootstrap is over. Before that their
// requests fail by design: the bootstrap machine serves masters only.
func detectUnservedWorkers(m *inputIndex) detection {
	if !m.hasReached(state.PhaseMemberRemoved) || len(m.others.missing) < 2 || m.others.known > 0 {
		return detection{}
	}
	if late := m.adaptToPace(unservedDelay) - unservedDelay; late > 0 && !m.hasReachedFor(state.PhaseMemberRemoved, late) {
		return detection{}
	}
	return detection{evidence: []string{
		"the masters serve configurations since " + m.PhaseTimes[state.PhaseMemberRemoved].UTC().Format("15:04 UTC"),
		"no contact: " + joinLimited(collectNames(m.others.missing)),
	}}
}

// stopped is the state of a machine that somebody has stopped.
const stopped = "stopped"

func detectStoppedMachine(m *inputIndex) detection {
	var found detection
	for _, machine := range m.Machines {
		unneeded := machine.Name == string(state.RoleBootstrap) && m.Facts.IsBootstrapped()
		if machine.State == stopped && !unneeded {
			found.evidence = append(found.evidence, fmt.Sprintf("%s, %s, is stopped", machine.Name, machine.Address))
			found.objects = append(found.objects, machine.Name)
		}
	}
	found.blocks = findBlockedPhase(m, found.objects)
	found.subject = []string{strings.Join(found.objects[:min(len(found.objects), maxListed)], " ")}
	return found
}

// detectSilentMachine leaves out machines without a host name, of which a rule of their own says so.
func detectSilentMachine(m *inputIndex) detection {
	var evidence, names []string
	nameless := collectNames(listNameless(m))
	for _, machine := range slices.Concat(m.masters.missing, m.others.missing) {
		if m.silent[machine.Name] && !slices.Contains(nameless, machine.Name) {
			names = append(names, machine.Name)
			evidence = append(evidence, fmt.Sprintf("%s, %s, is %s since %s, has no node and has requested no certificate",
				machine.Name, machine.Address, machine.State, machine.Created.UTC().Format("15:04 UTC")))
		}
	}
	if len(names) == 0 {
		return detection{}
	}
	return detection{evidence: evidence, subject: []string{strings.Join(names[:min(len(names), maxListed)], " ")}, blocks: findBlockedPhase(m, names)}
}

// findBlockedPhase returns the earliest phase that does not end without these machines.
func findBlockedPhase(m *inputIndex, names []string) Phase {
	switch {
	case slices.Contains(names, string(state.RoleBootstrap)):
		return Bootstrap
	case slices.ContainsFunc(names, m.isMaster):
		return ControlPlane
	}
	return Nodes
}
