package lookup

import (
	"context"
	"fmt"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/conformance"
	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"
	"exoshift/provisioner/install/preflight"
	"exoshift/provisioner/openshift/release"
	"exoshift/state"
	"exoshift/wizard"
)

// Keys of answers that look-ups are about.
const (
	IDField      = "cluster.id"
	domainField  = "cluster.baseDomain"
	versionField = "openshift.version"
	prefixField  = "objectStorage.bucketPrefix"
)

// lookupNames checks for conflicts: on this machine, in the organization, and among all buckets.
func (c Services) lookupNames(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.LookupResult, error) {
	if faults := c.checkLocalFolder(spec); len(faults) > 0 {
		return wizard.LookupResult{Summary: "the ID is in use", Problems: faults}, nil
	}
	cloud, err := c.newPreviewClient(ctx, spec, secrets)
	if err != nil {
		return wizard.LookupResult{}, err
	}
	defer cloud.Close()
	objects, err := cloud.ListObjects(ctx)
	if err != nil {
		return wizard.LookupResult{}, err
	}
	faults := checkNameConflicts(spec, objects)
	taken, err := c.listTakenBuckets(ctx, spec, secrets)
	if err != nil {
		return wizard.LookupResult{}, err
	}
	if len(taken) > 0 {
		faults = append(faults, wizard.Problem{
			Field:   prefixField,
			Message: "these buckets belong to others: " + strings.Join(taken, ", "),
			Allowed: "another prefix, or another cluster.id",
		})
	}
	if len(faults) > 0 {
		return wizard.LookupResult{Summary: "the ID is in use", Problems: faults}, nil
	}
	return wizard.LookupResult{Summary: "the ID is free"}, nil
}

func (c Services) checkLocalFolder(spec state.Spec) []wizard.Problem {
	if c.InPlace {
		return nil
	}
	path, err := clusterdir.DefaultPath(spec.Cluster.ID)
	if err != nil {
		return nil
	}
	if _, err := state.Open(path); err != nil {
		return nil
	}
	return []wizard.Problem{{
		Field: IDField, Message: "an installation with this ID exists on this machine, in " + text.Sanitize(path),
		Allowed: "another ID; or quit, and resume with: exoshift install --dir " + shellescape.Quote(path),
	}}
}

func checkNameConflicts(spec state.Spec, objects []state.Object) []wizard.Problem {
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
	return []wizard.Problem{{
		Field: IDField, Message: "the organization already has a cluster with this ID: " + text,
		Allowed: "another ID; or quit, and use the folder of its installation with --dir",
	}}
}

func (c Services) listTakenBuckets(ctx context.Context, spec state.Spec, secrets wizard.Secrets) ([]string, error) {
	storage, err := c.newStorageClient(ctx, spec, secrets)
	if err != nil {
		return nil, err
	}
	defer storage.Close()
	var taken []string
	for _, bucket := range spec.BucketNames() {
		use, err := storage.GetBucketUse(ctx, bucket)
		if err != nil {
			return nil, err
		}
		if reason := preflight.DescribeBucketConflict(spec, use); reason != "" {
			taken = append(taken, bucket+" ("+reason+")")
		}
	}
	return taken, nil
}

// lookupDomain finds the servers of the parent zone, where records have to be added.
func (c Services) lookupDomain(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
	net, err := c.Environment.OpenNetwork(ctx, zoneOrDefault(spec))
	if err != nil {
		return wizard.LookupResult{}, err
	}
	found, err := network.NewNameServers(net).FindDelegation(ctx, spec.Domain())
	if fault.Is(err, fault.Invalid) {
		return wizard.LookupResult{Summary: "the domain does not exist", Warnings: []wizard.Problem{{
			Field: domainField, Message: "no name server has " + spec.Cluster.BaseDomain,
			Allowed: "an existing domain",
		}}}, nil
	}
	if err != nil {
		return wizard.LookupResult{}, err
	}
	reply := wizard.LookupResult{Summary: formatNameServer(found)}
	if len(found.Servers) > 0 {
		reply.Warnings = []wizard.Problem{{
			Field:   domainField,
			Message: fmt.Sprintf("%s already delegates %s to %s", found.Parent, spec.Domain(), strings.Join(found.Servers, ", ")),
			Hint:    "continue if these are Exoscale's name servers; the installation shows the required ones",
		}}
	}
	return reply, nil
}

func formatNameServer(found network.Delegation) string {
	switch n := len(found.Asked); n {
	case 0:
		return found.Parent + " exists"
	case 1:
		return found.Parent + " is served by " + found.Asked[0]
	default:
		return fmt.Sprintf("%s is served by %s and %d more", found.Parent, found.Asked[0], n-1)
	}
}

func (c Services) lookupRelease(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
	if c.Installer != "" {
		return wizard.LookupResult{Summary: "determined by the given openshift-install"}, nil
	}
	net, err := c.Environment.OpenNetwork(ctx, zoneOrDefault(spec))
	if err != nil {
		return wizard.LookupResult{}, err
	}
	asked := spec.OpenShift.Version
	version, err := release.New(net, release.Choice{Distribution: spec.OpenShift.Distribution, Version: asked, FIPS: spec.OpenShift.FIPS}, func(string) {}).CheckPublished(ctx)
	switch {
	case fault.Is(err, fault.NotFound):
		return wizard.LookupResult{Summary: "no such version", Problems: []wizard.Problem{{
			Field: versionField, Message: asked + " is not published", Allowed: "a published version, or a channel such as stable-4.20",
		}}}, nil
	case fault.Is(err, fault.Invalid):
		return wizard.LookupResult{Summary: "the response of the mirror is not usable", Warnings: toProblems(versionField, err)}, nil
	case err != nil:
		return wizard.LookupResult{}, err
	case version != asked:
		return wizard.LookupResult{Summary: asked + " is " + version + " today"}, nil
	}
	return wizard.LookupResult{Summary: asked + " is published"}, nil
}

// internalProof returns what has proven that a managed elastic IP of a zone keeps the source of connections, so that
// loadBalancer.internal may be elastic-ip there: a sentence for people. False: nothing is recorded for the zone.
type internalProof func(zone string) (proof string, recorded bool)

// FindInternalProof is the internalProof of this machine's records: the last conformance run there.
func FindInternalProof(zone string) (proof string, recorded bool) {
	dir, err := state.ConformancePath()
	if err != nil {
		return "", false
	}
	shown, recorded := conformance.LoadProof(dir, zone, conformance.ElasticIPSource)
	if !recorded {
		return "", false
	}
	return "the conformance run of " + shown.Format(time.DateOnly) + " has verified that it keeps the source address", true
}

func (p internalProof) isRecorded(spec state.Spec) bool {
	if spec.IsRoundRobin() {
		return false
	}
	_, recorded := p(spec.Exoscale.Zone)
	return recorded
}

// lookup proposes elastic-ip where it is proven, and says by what.
func (p internalProof) lookup(_ context.Context, spec state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
	proof, recorded := p(spec.Exoscale.Zone)
	if !recorded {
		return wizard.LookupResult{}, nil
	}
	return wizard.LookupResult{
		Summary: "elastic-ip works in " + spec.Exoscale.Zone + ": " + proof,
		Choices: map[string][]wizard.Choice{wizard.InternalKey: {
			{Value: state.InternalElasticIP, Note: "proposed: " + proof},
			{Value: state.InternalAddresses, Note: "always works"},
		}},
	}, nil
}
