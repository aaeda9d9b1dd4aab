package preflight

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/machines"
	"exoshift/provisioner/install/network"
	"exoshift/state"
)

// Cluster reports the members of etcd.
type Cluster interface {
	// Poll reads the whole state of the cluster.
	Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error)
}

// Comparison compares the machines that exist with the answers.
type Comparison struct {
	spec         state.Spec
	facts        *state.FactsStore
	cloud        Cloud
	cluster      Cluster
	clock        provisioner.Clock
	inventory    *Inventory
	availability *Availability
	replaced     []string // names of machines that are being replaced

	unresolved []MachineDifference
}

// NewComparison returns the comparison of a cluster's machines. Those that are being replaced, by the facts or by their names, may differ.
func NewComparison(spec state.Spec, facts *state.FactsStore, cloud Cloud, cluster Cluster, clock provisioner.Clock, inventory *Inventory, availability *Availability, replaced []string) *Comparison {
	return &Comparison{spec: spec, facts: facts, cloud: cloud, cluster: cluster, clock: clock, inventory: inventory, availability: availability, replaced: replaced}
}

// MachineDifference is a machine that differs from the answers, and that an installation does not change.
type MachineDifference struct {
	Name   string
	ID     string
	Reason string   // the difference, a sentence
	Do     []string // the commands that resolve it, one a line

	role state.Role // "": the answers have no such machine
}

// Check refuses differences that an installation cannot resolve. Where a machine of the same role is missing, the operator
// is replacing them one by one: the missing one is created, and the others are reported at the end.
func (c *Comparison) Check(ctx context.Context, report provisioner.Report) error {
	missing, differences, err := c.listMachineDifferences(ctx)
	if err != nil {
		return err
	}
	if err := c.checkMembers(ctx, report, missing); err != nil {
		return err
	}
	for _, difference := range differences {
		report.EmitProgress(difference.Name + ": " + difference.Reason)
	}
	if hasRefusedDifference(missing, differences) {
		return newDifferenceError(differences)
	}
	c.unresolved = differences
	return nil
}

func hasRefusedDifference(missing []state.Machine, differences []MachineDifference) bool {
	return slices.ContainsFunc(differences, func(d MachineDifference) bool {
		return !slices.ContainsFunc(missing, func(m state.Machine) bool { return m.Role == d.role })
	})
}

// CheckUnresolved returns the differences that the installation did not resolve as an error, or nil.
func (c *Comparison) CheckUnresolved() error {
	if len(c.unresolved) == 0 {
		return nil
	}
	return newDifferenceError(c.unresolved)
}

// The number of machines whose commands are in the error itself; a plan has them all.
const hintedMachines = 3

func newDifferenceError(differences []MachineDifference) error {
	lines, commands := make([]string, len(differences)), []string{}
	hinted, rest := 0, 0
	for n, difference := range differences {
		lines[n] = difference.Name + ": " + difference.Reason
		fresh := slices.DeleteFunc(slices.Clone(difference.Do), func(command string) bool { return slices.Contains(commands, command) })
		switch {
		case len(fresh) == 0: // what resizes a group
		case hinted < hintedMachines:
			hinted++
			commands = append(commands, fresh...)
		default:
			rest++
		}
	}
	hint := "An installation does not change existing machines. Restore the answers, or change the machines, one by one:\n" + strings.Join(commands, "\n")
	if rest > 0 {
		hint += fmt.Sprintf("\nThe commands for %d more are in `exoshift plan`.", rest)
	}
	return fault.Newf(fault.Invalid, "compare the machines with the answers", "%d differ: %s", len(differences), strings.Join(lines, "; ")).
		WithHint("%s\nThen run the same command again.", hint)
}

// The bootstrap machine is left out: it exists for minutes, and other steps handle it.
func (c *Comparison) listMachineDifferences(ctx context.Context) (missing []state.Machine, differences []MachineDifference, err error) {
	there, err := c.cloud.DescribeInstances(ctx, c.spec.Labels())
	if err != nil {
		return nil, nil, err
	}
	live := map[string]state.Instance{}
	for _, instance := range there {
		live[instance.Name] = instance
	}
	delete(live, c.spec.Machines(state.RoleBootstrap)[0].Name)
	for _, machine := range slices.Concat(c.spec.Machines(state.RoleLoadBalancer), c.spec.Nodes()) {
		instance, exists := live[machine.Name]
		if !exists {
			missing = append(missing, machine)
			continue
		}
		delete(live, machine.Name)
		if difference, differs := c.compareMachine(machine, instance); differs && !c.isReplaced(machine.Name) {
			differences = append(differences, difference)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(live)) {
		if c.isReplaced(name) {
			continue
		}
		role := state.Role(live[name].Labels[state.LabelRole])
		commands := c.listRemoveCommands(name, live[name].ID, role)
		if c.hasVerbs(role) {
			commands = []string{"exoshift nodes remove " + name}
		}
		differences = append(differences, MachineDifference{Name: name, ID: live[name].ID, Reason: c.describeSurplus(name, role), Do: commands})
	}
	return missing, differences, nil
}

// describeSurplus tells apart what a changed answer about instance pools leaves behind.
func (c *Comparison) describeSurplus(name string, role state.Role) string {
	pooled := slices.Contains(c.spec.Members.List(role), name)
	switch group := c.spec.Group(role); {
	case group.Pool && group.Count > 0 && !pooled:
		return "it is no member of the instance pool that its group is in the answers"
	case !group.Pool && group.Count > 0 && pooled:
		return "it is a member of an instance pool, which its group is not in the answers"
	}
	return "it is not in the answers"
}

func (c *Comparison) isReplaced(name string) bool {
	removal := c.facts.Get().FindRemoval(name)
	return slices.Contains(c.replaced, name) || removal != nil && removal.ReplacedBy != ""
}

// Of several fixes, recreating the machine is enough.
func (c *Comparison) compareMachine(machine state.Machine, live state.Instance) (MachineDifference, bool) {
	var reasons, gentle []string
	anew := false
	differ := func(what, is, wanted string) {
		reasons = append(reasons, fmt.Sprintf("its %s is %s instead of %s", what, is, wanted))
	}
	if live.Type != machine.Type {
		differ("type", live.Type, machine.Type)
		if isScalable(live.Type, machine.Type) {
			gentle = append(gentle, c.listScaleCommands(machine, live.ID)...)
		} else {
			anew = true
		}
	}
	fixed := c.compareFixed(machine, live)
	for _, one := range fixed {
		differ(one[0], one[1], one[2])
		anew = true
	}
	if resize := c.listResizeCommands(machine, live, fixed); len(resize) > 0 {
		gentle, anew = resize, false
	}
	labels, commands := c.compareLabels(machine, live)
	reasons, gentle = append(reasons, labels...), append(gentle, commands...)
	groups, commands := c.compareGroups(machine, live)
	reasons, gentle = append(reasons, groups...), append(gentle, commands...)
	if anew {
		gentle = c.listRemoveCommands(machine.Name, live.ID, machine.Role)
	}
	return MachineDifference{Name: machine.Name, ID: live.ID, Reason: strings.Join(reasons, ", "), Do: gentle, role: machine.Role}, len(reasons) > 0
}

// What of a machine follows from its size.
const (
	fixedDisk   = "disk"
	fixedLayout = "disk's layout"
)

func (c *Comparison) compareFixed(machine state.Machine, live state.Instance) [][3]string {
	var all [][3]string
	if disk := machine.RootDisk + machine.DataDisk; live.DiskGiB != disk {
		all = append(all, [3]string{fixedDisk, fmt.Sprintf("%d GiB", live.DiskGiB), fmt.Sprintf("%d GiB", disk)})
	}
	if live.DeployTarget != c.availability.deployTarget {
		all = append(all, [3]string{"deploy target", formatOrNothing(live.DeployTarget), formatOrNothing(c.spec.Exoscale.DeployTarget)})
	}
	name := machines.FormatAffinityGroup(c.spec, machine)
	if id := c.inventory.findID(state.KindAntiAffinityGroup, name); !machine.Pool && (id == "" || !slices.Contains(live.AntiAffinityGroups, id)) {
		all = append(all, [3]string{"anti-affinity group", "another one", name})
	}
	if machine.Role == state.RoleLoadBalancer { // created from the newest public template of that day
		return all
	}
	// A deleted template has no name any more, and is registered again under the same one.
	if made, noted := c.inventory.findName(state.KindTemplate, live.TemplateID), c.facts.Get().Template; made != "" && noted != "" && made != noted {
		all = append(all, [3]string{"template", made, noted})
	}
	if layout, err := ignition.ParseLayout(live.UserData); err == nil && layout != ignition.NewLayout(machine) {
		all = append(all, [3]string{fixedLayout, describeLayout(layout), describeLayout(ignition.NewLayout(machine))})
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
func (c *Comparison) compareLabels(machine state.Machine, live state.Instance) (reasons, commands []string) {
	if role := live.Labels[state.LabelRole]; role != string(machine.Role) {
		labels := maps.Clone(live.Labels)
		labels[state.LabelRole] = string(machine.Role)
		var flags []string
		for _, key := range slices.Sorted(maps.Keys(labels)) {
			flags = append(flags, "--label "+key+"="+labels[key])
		}
		reasons = append(reasons, fmt.Sprintf("its label %s is %s instead of %s", state.LabelRole, formatOrNothing(role), machine.Role))
		commands = append(commands, c.formatExoCommand("update", live.ID, flags...))
	}
	return reasons, commands
}

// Other security groups are the operator's.
func (c *Comparison) compareGroups(machine state.Machine, live state.Instance) (reasons, commands []string) {
	wanted := network.ListGroupNames(c.spec, machine.Role)
	has := map[string]bool{}
	for _, id := range live.SecurityGroups {
		name := c.inventory.findName(state.KindSecurityGroup, id)
		has[name] = true
		if strings.HasPrefix(name, c.spec.ObjectName("")) && !slices.Contains(wanted, name) {
			reasons = append(reasons, "it is in the security group "+name)
			commands = append(commands, c.formatExoCommand("security-group remove", live.ID, name))
		}
	}
	for _, name := range wanted {
		if !has[name] {
			reasons = append(reasons, "it is not in the security group "+name)
			commands = append(commands, c.formatExoCommand("security-group add", live.ID, name))
		}
	}
	return reasons, commands
}

func formatOrNothing(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// Preview returns the differences, and the error with which an installation would refuse them.
func (c *Comparison) Preview(ctx context.Context, report provisioner.Report) (differences []MachineDifference, refusal, err error) {
	missing, differences, err := c.listMachineDifferences(ctx)
	if err != nil {
		return nil, nil, err
	}
	if refusal = c.checkMembers(ctx, report, missing); refusal == nil && hasRefusedDifference(missing, differences) {
		refusal = newDifferenceError(differences)
	}
	return differences, refusal, nil
}
