package machines

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// maxPrefix is Exoscale's limit of the prefix of members' names.
const maxPrefix = 30

// FormatPool returns the name of the instance pool of a role's machines.
func FormatPool(spec state.Spec, role state.Role) string { return spec.ObjectName(string(role)) }

// pools are the groups whose machines an instance pool makes.
type pools struct{ *Machines }

func (m pools) refresh(ctx context.Context) error {
	roles := state.ListPoolRoles(m.Spec)
	if len(roles) == 0 {
		return nil
	}
	all, err := m.Cloud.ListInstancePools(ctx, m.Spec.Labels())
	if err != nil {
		return err
	}
	there, err := m.Cloud.ListInstances(ctx, m.Spec.Labels())
	if err != nil {
		return err
	}
	for _, role := range roles {
		for _, pool := range all {
			if pool.Name == FormatPool(m.Spec, role) {
				m.Spec.Members.Replace(role, ListMembers(pool, there, m.Facts.Get()))
			}
		}
	}
	return m.saveMembers()
}

func (m pools) saveMembers() error {
	return m.Facts.Update(func(facts *state.Facts) { facts.PoolMembers = m.Spec.Members.Map() })
}

// ensure has the pool of a role make the machines that are missing, and learns their names.
func (m pools) ensure(ctx context.Context, report provisioner.Report, role state.Role) error {
	wanted, err := m.newPool(ctx, role)
	if err != nil {
		return err
	}
	if err := m.addLeaving(ctx, &wanted); err != nil {
		return err
	}
	waiting := provisioner.WaitEmitter{Clock: m.Clock}
	pool, action, err := m.Cloud.EnsureInstancePool(ctx, wanted, state.InstanceObserver{
		Running: func(instance state.Instance, action state.Action) {
			report.EmitObject(state.KindInstance, instance.Name, instance.ID, string(action))
			m.Record(instance)
		},
		Waiting: func(wait state.InstanceWait) {
			waiting.Emit(report, provisioner.Event{Since: &wait.Since, Limit: wait.Limit.Seconds(), Last: formatWait(wait, wanted.Size)})
		},
	})
	if err != nil {
		return err
	}
	report.EmitObject(state.KindInstancePool, pool.Name, pool.ID, string(action))
	there, err := m.Cloud.ListInstances(ctx, m.Spec.Labels())
	if err != nil {
		return err
	}
	for _, instance := range there {
		if !slices.Contains(pool.Members, instance.ID) {
			continue
		}
		if m.IsPreview {
			report.EmitObject(state.KindInstance, instance.Name, instance.ID, string(state.Found))
		}
		m.Record(instance)
	}
	m.Spec.Members.Replace(role, ListMembers(pool, there, m.Facts.Get()))
	if err := m.saveMembers(); err != nil {
		return err
	}
	machines := m.Spec.Machines(role)
	if err := m.checkMade(machines); err != nil {
		return err
	}
	if err := m.DNS.Publish(ctx, report, machines, m.findAddress); err != nil {
		return err
	}
	m.emitBooting(report, machines)
	return nil
}

// addLeaving has the pool make as many more machines as it has members that others take the place of.
func (m pools) addLeaving(ctx context.Context, wanted *state.InstancePool) error {
	facts := m.Facts.Get()
	if len(facts.Removals) == 0 {
		return nil
	}
	all, err := m.Cloud.ListInstancePools(ctx, m.Spec.Labels())
	if err != nil {
		return err
	}
	for _, pool := range all {
		for _, id := range pool.Members {
			if pool.Name == wanted.Name && isLeaving(facts, id) {
				wanted.Size++
			}
		}
	}
	if wanted.Size > affinityCapacity {
		wanted.AntiAffinityGroups = nil
	}
	return nil
}

// isLeaving reports whether the answers do not have a machine any more that is still there.
func isLeaving(facts state.Facts, id string) bool {
	return slices.ContainsFunc(facts.Removals, func(r state.NodeRemoval) bool {
		return r.MachineID == id && (r.Committed || r.ReplacedBy != "")
	})
}

func (m pools) checkMade(machines []state.Machine) error {
	for _, machine := range machines {
		if !m.IsPreview && !m.Spec.Members.Has(machine.Role, machine.Name) {
			return fault.Newf(fault.Transient, "wait for the instance pool "+FormatPool(m.Spec, machine.Role), "it has %d of %d machines",
				len(m.Spec.Members.List(machine.Role)), len(machines)).WithHint("run the same command again")
		}
	}
	return nil
}

// newPool: all members have the same user data, so it names none of them.
func (m pools) newPool(ctx context.Context, role state.Role) (state.InstancePool, error) {
	machine := state.Machine{Role: role, MachineSpec: m.Spec.Group(role)}
	model := m.newInstance(machine, m.Image.Template())
	pool := state.InstancePool{
		Name: FormatPool(m.Spec, role), Prefix: strings.TrimRight(string(role)[:min(len(role), maxPrefix)], "-"), Type: model.Type, TemplateID: model.TemplateID, DiskGiB: model.DiskGiB,
		SecurityGroups: model.SecurityGroups, PrivateNetworks: m.PrivateNetwork.ListIDs(), Labels: model.Labels, DeployTarget: model.DeployTarget, Size: len(m.Spec.Machines(role)),
	}
	if pool.Size <= affinityCapacity {
		pool.AntiAffinityGroups = model.AntiAffinityGroups
	}
	if m.IsPreview {
		return pool, nil
	}
	var err error
	pool.UserData, err = m.buildNodeDocument(ctx, machine)
	return pool, err
}

// FormatBounds returns between which counts a pool may be, e.g. "3 to 12"; "": it has no bounds.
func FormatBounds(group state.MachineSpec) string {
	switch {
	case group.Min > 0 && group.Max > 0:
		return fmt.Sprintf("%d to %d", group.Min, group.Max)
	case group.Min > 0:
		return fmt.Sprintf("at least %d", group.Min)
	case group.Max > 0:
		return fmt.Sprintf("at most %d", group.Max)
	}
	return ""
}

// ListMembers returns the names of a pool's machines that are there, without those that others take the place of.
func ListMembers(pool state.InstancePool, there []state.Instance, facts state.Facts) []string {
	var names []string
	for _, instance := range there {
		if slices.Contains(pool.Members, instance.ID) && !isLeaving(facts, instance.ID) {
			names = append(names, instance.Name)
		}
	}
	return names
}
