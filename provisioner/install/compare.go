package install

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/network"
	"exoshift/state"
)

// MachineDifference is a machine that differs from the answers, and that an installation does not change.
type MachineDifference struct {
	Name   string
	ID     string
	Reason string   // the difference, a sentence
	Do     []string // the commands that resolve it, one a line

	role state.Role // "": the answers have no such machine
}

// Differences that an installation cannot resolve are refused. Where a machine of the same role is missing, the operator
// is replacing them one by one: the missing one is created, and the others are reported at the end.
func (i *Installation) compareMachines(ctx context.Context, report provisioner.Report) error {
	missing, differences, err := i.listMachineDifferences(ctx)
	if err != nil {
		return err
	}
	if err := i.checkMembers(ctx, report, missing); err != nil {
		return err
	}
	for _, difference := range differences {
		report.EmitProgress(difference.Name + ": " + difference.Reason)
	}
	if hasRefusedDifference(missing, differences) {
		return newDifferenceError(differences)
	}
	i.unresolved = differences
	return nil
}

func hasRefusedDifference(missing []state.Machine, differences []MachineDifference) bool {
	return slices.ContainsFunc(differences, func(d MachineDifference) bool {
		return !slices.ContainsFunc(missing, func(m state.Machine) bool { return m.Role == d.role })
	})
}

// CheckUnresolved returns the differences that the installation did not resolve as an error, or nil.
func (i *Installation) CheckUnresolved() error {
	if len(i.unresolved) == 0 {
		return nil
	}
	return newDifferenceError(i.unresolved)
}

// The number of machines whose commands are in the error itself; a plan has them all.
const hintedMachines = 3

func newDifferenceError(differences []MachineDifference) error {
	lines, commands := make([]string, len(differences)), []string{}
	for n, difference := range differences {
		lines[n] = difference.Name + ": " + difference.Reason
		if n < hintedMachines {
			commands = append(commands, difference.Do...)
		}
	}
	hint := "An installation does not change machines that exist. Restore the answers, or make the machines as the answers say, one by one:\n" + strings.Join(commands, "\n")
	if rest := len(differences) - hintedMachines; rest > 0 {
		hint += fmt.Sprintf("\nThe commands for %d more are in `exoshift plan`.", rest)
	}
	return fault.Newf(fault.Invalid, "compare the machines with the answers", "%d differ: %s", len(differences), strings.Join(lines, "; ")).
		WithHint("%s\nThen run the same command again.", hint)
}

// The bootstrap machine is left out: it exists for minutes, and other steps handle it.
func (i *Installation) listMachineDifferences(ctx context.Context) (missing []state.Machine, differences []MachineDifference, err error) {
	there, err := i.clients.Cloud.DescribeInstances(ctx, i.spec.Labels())
	if err != nil {
		return nil, nil, err
	}
	live := map[string]state.Instance{}
	for _, instance := range there {
		live[instance.Name] = instance
	}
	delete(live, i.spec.Machines(state.RoleBootstrap)[0].Name)
	for _, machine := range slices.Concat(i.spec.Machines(state.RoleLoadBalancer), i.spec.Nodes()) {
		instance, exists := live[machine.Name]
		if !exists {
			missing = append(missing, machine)
			continue
		}
		delete(live, machine.Name)
		if difference, differs := i.compareMachine(machine, instance); differs {
			differences = append(differences, difference)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(live)) {
		role := state.Role(live[name].Labels[state.LabelRole])
		differences = append(differences, MachineDifference{
			Name: name, ID: live[name].ID, Reason: "the answers do not ask for it", Do: i.listRemoveCommands(name, live[name].ID, role),
		})
	}
	return missing, differences, nil
}

// Of several fixes, recreating the machine is enough.
func (i *Installation) compareMachine(machine state.Machine, live state.Instance) (MachineDifference, bool) {
	var reasons, gentle []string
	anew := false
	differ := func(what, is, wanted string) {
		reasons = append(reasons, fmt.Sprintf("its %s is %s and not %s", what, is, wanted))
	}
	if live.Type != machine.Type {
		differ("type", live.Type, machine.Type)
		if isScalable(live.Type, machine.Type) {
			gentle = append(gentle, i.listScaleCommands(machine, live.ID)...)
		} else {
			anew = true
		}
	}
	for _, fixed := range i.compareFixed(machine, live) {
		differ(fixed[0], fixed[1], fixed[2])
		anew = true
	}
	labels, commands := i.compareLabels(machine, live)
	reasons, gentle = append(reasons, labels...), append(gentle, commands...)
	groups, commands := i.compareGroups(machine, live)
	reasons, gentle = append(reasons, groups...), append(gentle, commands...)
	if anew {
		gentle = i.listRemoveCommands(machine.Name, live.ID, machine.Role)
	}
	return MachineDifference{Name: machine.Name, ID: live.ID, Reason: strings.Join(reasons, ", "), Do: gentle, role: machine.Role}, len(reasons) > 0
}

func (i *Installation) compareFixed(machine state.Machine, live state.Instance) [][3]string {
	var all [][3]string
	if disk := machine.RootDisk + machine.DataDisk; live.DiskGiB != disk {
		all = append(all, [3]string{"disk", fmt.Sprintf("%d GiB", live.DiskGiB), fmt.Sprintf("%d GiB", disk)})
	}
	if live.DeployTarget != i.deployTarget {
		all = append(all, [3]string{"deploy target", formatOrNothing(live.DeployTarget), formatOrNothing(i.spec.Exoscale.DeployTarget)})
	}
	name := i.formatAffinityName(affinityGroup{machine.Role, machine.Index / affinityCapacity})
	if id := i.findID(state.KindAntiAffinityGroup, name); id == "" || !slices.Contains(live.AntiAffinityGroups, id) {
		all = append(all, [3]string{"anti-affinity group", "another one", name})
	}
	if machine.Role == state.RoleLoadBalancer { // created from the newest public template of that day
		return all
	}
	// A deleted template has no name any more, and is registered again under the same one.
	if made, noted := i.findName(state.KindTemplate, live.TemplateID), i.Facts().Template; made != "" && noted != "" && made != noted {
		all = append(all, [3]string{"template", made, noted})
	}
	if layout, err := ignition.ParseLayout(live.UserData); err == nil && layout != ignition.NewLayout(machine) {
		all = append(all, [3]string{"disk's layout", describeLayout(layout), describeLayout(ignition.NewLayout(machine))})
	}
	return all
}

func describeLayout(layout ignition.Layout) string {
	switch {
	case layout.RootGiB == 0:
		return "one root partition"
	case layout.TopoLVM:
		return fmt.Sprintf("%d GiB for root and a volume group of TopoLVM", layout.RootGiB)
	}
	return fmt.Sprintf("%d GiB for root and a data partition", layout.RootGiB)
}

// The label of the certificates is compared elsewhere.
func (i *Installation) compareLabels(machine state.Machine, live state.Instance) (reasons, commands []string) {
	if role := live.Labels[state.LabelRole]; role != string(machine.Role) {
		labels := maps.Clone(live.Labels)
		labels[state.LabelRole] = string(machine.Role)
		var flags []string
		for _, key := range slices.Sorted(maps.Keys(labels)) {
			flags = append(flags, "--label "+key+"="+labels[key])
		}
		reasons = append(reasons, fmt.Sprintf("its label %s is %s and not %s", state.LabelRole, formatOrNothing(role), machine.Role))
		commands = append(commands, i.formatExoCommand("update", live.ID, flags...))
	}
	return reasons, commands
}

// Other security groups are the operator's.
func (i *Installation) compareGroups(machine state.Machine, live state.Instance) (reasons, commands []string) {
	wanted := network.ListGroupNames(i.spec, machine.Role)
	has := map[string]bool{}
	for _, id := range live.SecurityGroups {
		name := i.findName(state.KindSecurityGroup, id)
		has[name] = true
		if strings.HasPrefix(name, i.spec.ObjectName("")) && !slices.Contains(wanted, name) {
			reasons = append(reasons, "it is in the security group "+name)
			commands = append(commands, i.formatExoCommand("security-group remove", live.ID, name))
		}
	}
	for _, name := range wanted {
		if !has[name] {
			reasons = append(reasons, "it is not in the security group "+name)
			commands = append(commands, i.formatExoCommand("security-group add", live.ID, name))
		}
	}
	return reasons, commands
}

func (i *Installation) findID(kind, name string) string {
	for _, o := range i.existing {
		if o.Kind == kind && o.Name == name {
			return o.ID
		}
	}
	return ""
}

func (i *Installation) findName(kind, id string) string {
	for _, o := range i.existing {
		if o.Kind == kind && o.ID == id {
			return o.Name
		}
	}
	return ""
}

func formatOrNothing(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
