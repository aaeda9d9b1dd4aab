package install

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"exoshift/internal/stable"
	"exoshift/provisioner"
	"exoshift/provisioner/install/machines"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/preflight"
	"exoshift/state"
)

// Change is an object with the action of an installation.
type Change struct {
	Action  state.Action // state.Found: it is not changed
	Kind    string
	Name    string
	ID      string
	Details string
}

// Preview is the result of running the recipe without changes.
type Preview struct {
	Changes []Change
	Surplus []Change // objects of the cluster that are not in the answers; an installation does not change them
	// Differences are machines for which an installation would be refused, as it does not change them.
	Differences []preflight.MachineDifference
	// Refusal is the error with which an installation would end before it changed anything, or nil.
	Refusal error
	Quotas  []preflight.QuotaCheck
	Cost    preflight.Cost
	// Difference is the change of the cluster's configuration, if it is connected to Project Syn.
	Difference state.Difference
	// Lacking is what the zone does not have and an installation does without, a sentence each.
	Lacking []string
	// Unseen is what could not be read, a sentence each.
	Unseen []string
}

// ListPending returns what would be created, changed or deleted.
func (p Preview) ListPending() []Change {
	var pending []Change
	for _, change := range p.Changes {
		if change.Action != state.Found {
			pending = append(pending, change)
		}
	}
	return pending
}

func (p Preview) contains(o state.Object) bool {
	return slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Kind == o.Kind && c.Name == o.Name })
}

// Preview runs the steps of the installation with clients that read and change nothing, so it predicts the installation
// exactly. Of objects inside the cluster only the routers' protocol is included, as an earlier run recorded it.
func (i *Installation) Preview(ctx context.Context) (Preview, error) {
	looking := newInstallation(i.spec, i.options, i.folder, i.clients, i.Facts(), nil)
	return looking.runPreview(ctx, looking.previewSyn)
}

// runPreview is Preview with a step of the caller for Project Syn.
func (i *Installation) runPreview(ctx context.Context, previewSyn func(*Preview) provisioner.StepFunc) (Preview, error) {
	var preview Preview
	var mu sync.Mutex
	report := func(e provisioner.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Type == provisioner.TypeObject {
			preview.Changes = append(preview.Changes, Change{Action: state.Action(e.Action), Kind: e.Kind, Name: e.Name, ID: e.ID})
		}
	}
	for _, poll := range []provisioner.StepFunc{
		i.checkCredentials, previewSyn(&preview), i.generator.CheckManifests, i.listObjects, i.availability.Preview, i.conflicts.Check, i.dns.EnsureZone, i.securityGroups.Ensure, i.antiAffinity.Ensure, i.keys.Ensure,
		i.buckets.Ensure, i.elasticIPs.Ensure, i.privateNetwork.Ensure, i.dns.EnsureRecords, i.machines.EnsureLoadBalancers, i.image.Preview, i.bootstrap.Preview, i.machines.EnsureMasters, i.machines.EnsureComputeMachines, machines.Interfaces{Machines: i.machines}.Attach, i.operators.PreviewIngress,
	} {
		before := len(preview.Changes)
		if err := poll(ctx, report); err != nil && !provisioner.IsSkip(err) {
			return preview, err
		}
		stable.Sort(preview.Changes[before:], func(a, b Change) int { // listed concurrently
			return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
		})
	}
	var err error
	if preview.Differences, preview.Refusal, err = i.comparison.Preview(ctx, report); err != nil {
		return preview, err
	}
	if preview.Quotas, err = i.quotas.List(ctx); err != nil {
		return preview, err
	}
	i.describeChanges(preview.Changes)
	if err := i.roll.preview(preview.Changes); err != nil {
		return preview, err
	}
	preview.Lacking = i.inventory.Lacking()
	for _, o := range i.inventory.ListSurplus(preview.contains) {
		preview.Surplus = append(preview.Surplus, Change{Action: state.Found, Kind: o.Kind, Name: o.Name, ID: o.ID, Details: o.Detail})
	}
	preview.Cost, err = preflight.Estimate(i.spec)
	return preview, err
}

func (i *Installation) previewSyn(preview *Preview) provisioner.StepFunc {
	return func(ctx context.Context, report provisioner.Report) error {
		difference, unseen, err := i.syn.Preview(ctx, report)
		if preview.Difference = difference; unseen != "" {
			preview.Unseen = append(preview.Unseen, unseen)
		}
		return err
	}
}

// isAddedBehindProxy reports whether a node comes too late for what the first configuration of the nodes leaves the proxy out for.
func (i *Installation) isAddedBehindProxy(machine state.Machine, changes []Change) bool {
	return i.spec.HasProxy() && i.Facts().IsBootstrapped() && machine.Role != state.RoleLoadBalancer &&
		slices.ContainsFunc(changes, func(c Change) bool {
			return c.Kind == state.KindInstance && c.Name == machine.Name && c.Action == state.Created
		})
}

func describePool(group state.MachineSpec) string {
	text := fmt.Sprintf("%d x %s, %d GiB", group.Count, group.Type, group.RootDisk+group.DataDisk)
	if bounds := machines.FormatBounds(group); bounds != "" {
		text += ", " + bounds
	}
	return text
}

func (i *Installation) describeChanges(changes []Change) {
	details := map[[2]string]string{
		{state.KindElasticIP, i.spec.ObjectName("api")}:        "api." + i.spec.Domain(),
		{state.KindElasticIP, i.spec.ObjectName("ingress")}:    "*." + i.spec.AppsDomain(),
		{state.KindBucket, i.spec.Bucket("bootstrap")}:         "until the bootstrap is complete",
		{state.KindBucket, i.spec.Bucket(state.BucketBackups)}: "outlives the cluster",
	}
	details[[2]string{state.KindPrivateNetwork, network.FormatPrivateNetwork(i.spec)}] = network.DescribePrivateNetwork(i.spec)
	for _, group := range network.BuildSecurityGroups(i.spec) {
		details[[2]string{state.KindSecurityGroup, group.Name}] = fmt.Sprintf("%d rules", len(group.Rules))
	}
	for _, machine := range preflight.ListMachines(i.spec, i.Facts()) {
		text := fmt.Sprintf("%s, %d GiB", machine.Type, machine.RootDisk+machine.DataDisk)
		if machine.Role == state.RoleBootstrap {
			text += ", until the bootstrap is complete"
		}
		if i.isAddedBehindProxy(machine, changes) {
			text += ", reached through the proxy until its address is in proxy/cluster"
		}
		if instance, _ := i.machines.Find(machine.Name); instance.State == "stopped" {
			text += ", is stopped: an installation does not start it"
		}
		details[[2]string{state.KindInstance, machine.Name}] = text
	}
	for _, role := range state.ListPoolRoles(i.spec) {
		details[[2]string{state.KindInstancePool, machines.FormatPool(i.spec, role)}] = describePool(i.spec.Group(role))
	}
	for n, change := range changes {
		changes[n].Details = details[[2]string{change.Kind, change.Name}]
		if change.Kind == state.KindZone && change.Action == state.Created {
			changes[n].Details = "needs a DNS plan with a free zone"
		}
		if change.Kind == state.KindTemplate && change.Action == state.Created {
			changes[n].Details = i.image.DescribeTransfer()
		}
		if name, unknown := strings.CutSuffix(change.Name, " "); unknown && change.Kind == state.KindRecord {
			changes[n].Name, changes[n].Details = name, "its address is known once the elastic IP exists"
		}
	}
}
