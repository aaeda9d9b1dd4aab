package main

import (
	"context"
	"fmt"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/install"
	"exoshift/provisioner/openshift/release"
	"exoshift/state"
	"exoshift/wizard"
)

// Fields that inquiries about the cluster are about.
const (
	idField      = "cluster.id"
	domainField  = "cluster.baseDomain"
	versionField = "openshift.version"
	prefixField  = "objectStorage.bucketPrefix"
)

// names asks whether the cluster's name is still free: on this machine, in the organization, and among all buckets.
func (c *conversation) names(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.Reply, error) {
	if faults := c.installedHere(spec); len(faults) > 0 {
		return wizard.Reply{Summary: "there is an installation of that name", Faults: faults}, nil
	}
	cloud, err := c.cloud(ctx, spec, secrets)
	if err != nil {
		return wizard.Reply{}, err
	}
	defer cloud.Close()
	objects, err := cloud.Objects(ctx)
	if err != nil {
		return wizard.Reply{}, err
	}
	faults := c.bearers(spec, objects)
	taken, err := c.takenBuckets(ctx, spec, secrets)
	if err != nil {
		return wizard.Reply{}, err
	}
	if len(taken) > 0 {
		faults = append(faults, wizard.Fault{
			Field:   prefixField,
			Problem: "these buckets would not be this cluster's: " + strings.Join(taken, ", "),
			Allowed: "another prefix, or another cluster.id",
		})
	}
	if len(faults) > 0 {
		return wizard.Reply{Summary: "the name is taken", Faults: faults}, nil
	}
	return wizard.Reply{Summary: "the name is free"}, nil
}

// installedHere looks for the folder that the cluster would have.
func (c *conversation) installedHere(spec state.Spec) []wizard.Fault {
	if c.inPlace() {
		return nil // the folder was chosen for it
	}
	path, err := usualPath(spec.Cluster.ID)
	if err != nil {
		return nil
	}
	if _, err := state.Open(path); err != nil {
		return nil
	}
	return []wizard.Fault{{
		Field: idField, Problem: "a cluster of that name was begun from this machine, in " + console.Clean(path),
		Allowed: "another ID; or leave, and go on with: exoshift install --dir " + shellescape.Quote(path),
	}}
}

// bearers are objects of the organization that a cluster of that name has.
func (*conversation) bearers(spec state.Spec, objects []state.Object) []wizard.Fault {
	const shown = 3
	var named []string
	for _, o := range objects {
		if o.Labels[state.LabelCluster] == spec.Cluster.ID || strings.HasPrefix(o.Name, spec.Cluster.ID+"_") {
			named = append(named, o.Kind+" "+o.Name)
		}
	}
	if len(named) == 0 {
		return nil
	}
	text := strings.Join(named[:min(shown, len(named))], ", ")
	if len(named) > shown {
		text += fmt.Sprintf(" and %d more", len(named)-shown)
	}
	return []wizard.Fault{{
		Field: idField, Problem: "the organization has a cluster of that name already: " + text,
		Allowed: "another ID; or leave, and name the folder that it was installed from with --dir",
	}}
}

func (c *conversation) takenBuckets(ctx context.Context, spec state.Spec, secrets wizard.Secrets) ([]string, error) {
	storage, err := c.storage(ctx, spec, secrets)
	if err != nil {
		return nil, err
	}
	defer storage.Close()
	var taken []string
	for _, bucket := range install.Buckets(spec) {
		use, err := storage.BucketUse(ctx, bucket)
		if err != nil {
			return nil, err
		}
		if reason := install.BucketRefusal(spec, use); reason != "" {
			taken = append(taken, bucket+" ("+reason+")")
		}
	}
	return taken, nil
}

// domain asks who serves the zone above the cluster's, because somebody has to add records there.
func (c *conversation) domain(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.Reply, error) {
	net, err := c.realm.network(ctx, zoneOf(spec))
	if err != nil {
		return wizard.Reply{}, err
	}
	found, err := net.Delegation(ctx, spec.Domain())
	if fault.Is(err, fault.Invalid) {
		return wizard.Reply{Summary: "nobody knows the domain", Warnings: []wizard.Fault{{
			Field: domainField, Problem: "no name server knows " + spec.Cluster.BaseDomain,
			Allowed: "a domain that exists: the cluster is found below it",
		}}}, nil
	}
	if err != nil {
		return wizard.Reply{}, err
	}
	reply := wizard.Reply{Summary: servedBy(found)}
	if len(found.Servers) > 0 {
		reply.Warnings = []wizard.Fault{{
			Field:   domainField,
			Problem: fmt.Sprintf("%s leads %s to %s already", found.Parent, spec.Domain(), strings.Join(found.Servers, ", ")),
			Hint:    "go on if these are the servers of Exoscale: the installation shows which ones it has to be",
		}}
	}
	return reply, nil
}

// servedBy names the first server, by which one knows whose they all are.
func servedBy(found network.Delegation) string {
	switch n := len(found.Asked); n {
	case 0:
		return found.Parent + " exists"
	case 1:
		return found.Parent + " is served by " + found.Asked[0]
	default:
		return fmt.Sprintf("%s is served by %s and %d more", found.Parent, found.Asked[0], n-1)
	}
}

// publication asks the mirror for the version, or for what a channel stands for today.
func (c *conversation) publication(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.Reply, error) {
	if c.options.installer != "" {
		return wizard.Reply{Summary: "the given openshift-install decides"}, nil
	}
	net, err := c.realm.network(ctx, zoneOf(spec))
	if err != nil {
		return wizard.Reply{}, err
	}
	asked := spec.OpenShift.Version
	version, err := release.New(net, release.Choice{Distribution: spec.OpenShift.Distribution, Version: asked}, func(string) {}).Published(ctx)
	switch {
	case fault.Is(err, fault.NotFound):
		return wizard.Reply{Summary: "there is no such version", Faults: []wizard.Fault{{
			Field: versionField, Problem: asked + " is not published", Allowed: "a version that is, or a channel such as stable-4.20",
		}}}, nil
	case fault.Is(err, fault.Invalid):
		return wizard.Reply{Summary: "the mirror gave no usable answer", Warnings: about(versionField, err)}, nil
	case err != nil:
		return wizard.Reply{}, err
	case version != asked:
		return wizard.Reply{Summary: asked + " is " + version + " today"}, nil
	}
	return wizard.Reply{Summary: asked + " is published"}, nil
}
