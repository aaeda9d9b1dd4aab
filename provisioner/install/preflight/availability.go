package preflight

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/machines"
	"exoshift/provisioner/install/nodeimage"
	"exoshift/state"
)

// BootImageFinder is openshift-install, which knows its image.
type BootImageFinder interface {
	// FindBootImage returns the image that this version expects its machines to boot from.
	FindBootImage(ctx context.Context) (state.BootImage, error)
}

// Availability checks what the zone offers.
type Availability struct {
	spec   state.Spec
	facts  *state.FactsStore
	cloud  Cloud
	finder BootImageFinder

	deployTarget string                        // ID
	types        map[string]state.InstanceType // by name
}

// NewAvailability returns the check of a cluster's zone.
func NewAvailability(spec state.Spec, facts *state.FactsStore, cloud Cloud, finder BootImageFinder) *Availability {
	return &Availability{spec: spec, facts: facts, cloud: cloud, finder: finder}
}

// DeployTarget returns the ID of the hypervisors of the answers, "" for any.
func (a *Availability) DeployTarget() string { return a.deployTarget }

// Check checks instance types, templates and hypervisors.
func (a *Availability) Check(ctx context.Context, report provisioner.Report) error {
	if err := a.checkTypes(ctx); err != nil {
		return err
	}
	if err := a.checkTemplates(ctx, report); err != nil {
		return err
	}
	return a.findDeployTarget(ctx, report)
}

// Preview leaves out what needs openshift-install, which is not downloaded.
func (a *Availability) Preview(ctx context.Context, report provisioner.Report) error {
	if err := a.checkTypes(ctx); err != nil {
		return err
	}
	if err := a.checkUbuntu(ctx); err != nil {
		return err
	}
	return a.findDeployTarget(ctx, report)
}

func (a *Availability) findDeployTarget(ctx context.Context, _ provisioner.Report) (err error) {
	if a.spec.Exoscale.DeployTarget == "" {
		return nil
	}
	a.deployTarget, err = a.cloud.FindDeployTarget(ctx, a.spec.Exoscale.DeployTarget)
	return fault.AttachField(err, "exoscale.deployTarget", fault.NotFound, fault.Conflict)
}

func (a *Availability) checkTypes(ctx context.Context) error {
	offered, err := a.cloud.ListInstanceTypes(ctx)
	if err != nil {
		return err
	}
	a.types = indexTypes(offered)
	lacking := FindUnavailableTypes(a.spec, offered)
	if a.facts.Get().IsBootstrapped() { // that machine is not started any more
		lacking = slices.DeleteFunc(lacking, func(l UnavailableType) bool { return l.Field == typeField(a.spec, state.RoleBootstrap) })
	}
	if len(lacking) == 0 {
		return nil
	}
	const op = "check instance types"
	first := lacking[0]
	if !first.Offered {
		return fault.Newf(fault.Invalid, op, "zone %s does not offer %s, which %s requires", a.spec.Exoscale.Zone, first.Type, first.Machine).
			WithHint("choose another type in the answers under %s", first.Field).WithField(first.Field)
	}
	return fault.Newf(fault.Quota, op, "the organization is not authorized to use %s, which %s requires", first.Type, first.Machine).
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
	for _, machine := range ListMachines(spec, state.Facts{}) {
		offer, offered := offers[machine.Type]
		field := typeField(spec, machine.Role)
		known := slices.ContainsFunc(lacking, func(l UnavailableType) bool { return l.Field == field })
		if !known && !offer.Authorized {
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

func (a *Availability) checkTemplates(ctx context.Context, report provisioner.Report) error {
	if err := a.checkUbuntu(ctx); err != nil {
		return err
	}
	boot, err := a.finder.FindBootImage(ctx)
	if err != nil {
		return err
	}
	template, err := a.cloud.FindTemplate(ctx, nodeimage.FormatTemplateName(a.spec, boot.Build))
	switch {
	case fault.Is(err, fault.NotFound):
		report.EmitProgress(fmt.Sprintf("zone %s has no template %s yet: it will be registered", a.spec.Exoscale.Zone, nodeimage.FormatTemplateName(a.spec, boot.Build)))
		return nil
	case err != nil:
		return err
	}
	if err := nodeimage.CheckTemplate(template, nodeimage.NewTemplate(a.spec, boot), a.facts.Get()); err != nil {
		return err
	}
	return a.checkDiskSizes(a.spec.Nodes(), template)
}

func (a *Availability) checkUbuntu(ctx context.Context) error {
	if a.spec.IsRoundRobin() {
		return nil
	}
	template, err := a.cloud.FindPublicTemplate(ctx, machines.LoadBalancerTemplate)
	if err != nil {
		return err
	}
	return a.checkDiskSizes(a.spec.Machines(state.RoleLoadBalancer), template)
}

func (a *Availability) checkDiskSizes(sized []state.Machine, template state.Template) error {
	var small []string
	var field string
	for _, machine := range sized {
		if machine.RootDisk+machine.DataDisk < template.SizeGiB {
			small = append(small, fmt.Sprintf("%s (%d GiB)", machine.Name, machine.RootDisk+machine.DataDisk))
			field = cmp.Or(field, sizingField(a.spec, machine.Role)+".rootDisk")
		}
	}
	if len(small) == 0 {
		return nil
	}
	return fault.Newf(fault.Invalid, "check the disks", "template %s has %d GiB, more than the disk of %s",
		template.Name, template.SizeGiB, strings.Join(small, ", ")).
		WithHint("choose a larger disk in the answers under %s", field).WithField(field)
}
