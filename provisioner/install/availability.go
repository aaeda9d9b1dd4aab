package install

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/nodeimage"
	"exoshift/state"
)

func (i *Installation) checkAvailability(ctx context.Context, report provisioner.Report) error {
	if err := i.checkTypes(ctx); err != nil {
		return err
	}
	if err := i.checkTemplates(ctx, report); err != nil {
		return err
	}
	return i.findDeployTarget(ctx, report)
}

func (i *Installation) findDeployTarget(ctx context.Context, _ provisioner.Report) (err error) {
	if i.spec.Exoscale.DeployTarget == "" {
		return nil
	}
	i.deployTarget, err = i.clients.Cloud.FindDeployTarget(ctx, i.spec.Exoscale.DeployTarget)
	return fault.AttachField(err, "exoscale.deployTarget", fault.NotFound, fault.Conflict)
}

func (i *Installation) listMachines() []state.Machine {
	machines := i.spec.Machines(state.RoleLoadBalancer)
	if !i.Facts().IsBootstrapped() {
		machines = append(machines, i.spec.Machines(state.RoleBootstrap)...)
	}
	return append(machines, i.spec.Nodes()...)
}

func (i *Installation) checkTypes(ctx context.Context) error {
	offered, err := i.clients.Cloud.ListInstanceTypes(ctx)
	if err != nil {
		return err
	}
	i.types = indexTypes(offered)
	lacking := FindUnavailableTypes(i.spec, offered)
	if i.Facts().IsBootstrapped() { // that machine is not started any more
		lacking = slices.DeleteFunc(lacking, func(l UnavailableType) bool { return l.Field == typeField(i.spec, state.RoleBootstrap) })
	}
	if len(lacking) == 0 {
		return nil
	}
	const op = "check instance types"
	first := lacking[0]
	if !first.Offered {
		return fault.Newf(fault.Invalid, op, "zone %s offers no %s, which %s asks for", i.spec.Exoscale.Zone, first.Type, first.Machine).
			WithHint("choose another type in the answers under %s", first.Field).WithField(first.Field)
	}
	return fault.Newf(fault.Quota, op, "the organization may not use %s, which %s asks for", first.Type, first.Machine).
		WithHint("ask Exoscale to authorize the type, or choose another one under %s", first.Field).WithField(first.Field)
}

// UnavailableType is an instance type of the answers that is not available.
type UnavailableType struct {
	Field   string // key of the answer
	Type    string
	Machine string // the first machine of that type
	Offered bool   // the zone has it, but it is not enabled for this organization
}

// FindUnavailableTypes returns the instance types of the answers that the zone does not offer, each field once.
func FindUnavailableTypes(spec state.Spec, types []state.InstanceType) []UnavailableType {
	offers := indexTypes(types)
	var lacking []UnavailableType
	for _, machine := range (&Installation{spec: spec, facts: &state.FactsStore{}}).listMachines() {
		offer, offered := offers[machine.Type]
		field := typeField(spec, machine.Role)
		told := slices.ContainsFunc(lacking, func(l UnavailableType) bool { return l.Field == field })
		if !told && !offer.Authorized {
			lacking = append(lacking, UnavailableType{Field: field, Type: machine.Type, Machine: machine.Name, Offered: offered})
		}
	}
	return lacking
}

func typeField(spec state.Spec, role state.Role) string { return sizingField(spec, role) + ".type" }

func sizingField(spec state.Spec, role state.Role) string {
	sections := map[state.Role]string{
		state.RoleBootstrap: "bootstrap", state.RoleLoadBalancer: "loadBalancers", state.RoleMaster: "controlPlane",
		state.RoleInfra: "infra", state.RoleStorage: "storage", state.RoleWorker: "workers",
	}
	if section, usual := sections[role]; usual {
		return "sizing." + section
	}
	i := slices.IndexFunc(spec.Sizing.ExtraGroups, func(g state.GroupSpec) bool { return g.Name == string(role) })
	return fmt.Sprintf("sizing.extraGroups[%d]", i)
}

func indexTypes(types []state.InstanceType) map[string]state.InstanceType {
	named := map[string]state.InstanceType{}
	for _, t := range types {
		named[t.Name] = t
	}
	return named
}

func (i *Installation) checkTemplates(ctx context.Context, report provisioner.Report) error {
	if err := i.checkUbuntu(ctx); err != nil {
		return err
	}
	boot, err := i.clients.Installer.FindBootImage(ctx)
	if err != nil {
		return err
	}
	template, err := i.clients.Cloud.FindTemplate(ctx, nodeimage.FormatTemplateName(i.spec, boot.Build))
	switch {
	case fault.Is(err, fault.NotFound):
		report.EmitProgress(fmt.Sprintf("zone %s has no template %s yet: it will be registered", i.spec.Exoscale.Zone, nodeimage.FormatTemplateName(i.spec, boot.Build)))
		return nil
	case err != nil:
		return err
	}
	if err := nodeimage.CheckTemplate(template, nodeimage.NewTemplate(i.spec, boot), i.Facts()); err != nil {
		return err
	}
	return i.checkDiskSizes(i.spec.Nodes(), template)
}

func (i *Installation) checkUbuntu(ctx context.Context) error {
	if i.spec.IsRoundRobin() {
		return nil
	}
	template, err := i.clients.Cloud.FindPublicTemplate(ctx, ubuntu)
	if err != nil {
		return err
	}
	return i.checkDiskSizes(i.spec.Machines(state.RoleLoadBalancer), template)
}

func (i *Installation) checkDiskSizes(machines []state.Machine, template state.Template) error {
	var small []string
	var field string
	for _, machine := range machines {
		if machine.RootDisk+machine.DataDisk < template.SizeGiB {
			small = append(small, fmt.Sprintf("%s (%d GiB)", machine.Name, machine.RootDisk+machine.DataDisk))
			field = cmp.Or(field, sizingField(i.spec, machine.Role)+".rootDisk")
		}
	}
	if len(small) == 0 {
		return nil
	}
	return fault.Newf(fault.Invalid, "check the disks", "template %s has %d GiB, more than the disk of %s",
		template.Name, template.SizeGiB, strings.Join(small, ", ")).
		WithHint("choose a larger disk in the answers under %s", field).WithField(field)
}
