// Package upgrade updates a simulated cluster to another release, as its cluster version operator and its machine config operator do.
package upgrade

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// Timer reports whether something has been in a state for at least that long.
type Timer func(what, state string, atLeast time.Duration) bool

// Updates is the part of a cluster's operators that updates it.
type Updates struct {
	cluster *cluster.Cluster
	graph   *Graph
	lasted  Timer
}

// New is for a cluster whose updates the graph has.
func New(c *cluster.Cluster, g *Graph, lasted Timer) *Updates { return &Updates{c, g, lasted} }

// acceptTime is how long the cluster version operator takes to load a release (inferred).
const acceptTime = 90 * time.Second

// Sync accepts or refuses the update that is wanted, and reports what the cluster may be updated to.
func (u *Updates) Sync(context.Context) error {
	version, _ := u.cluster.Objects.Get(cluster.VersionResource, "", "version")
	if !isInstalled(version) {
		return nil
	}
	if err := publishGates(u.cluster); err != nil {
		return err
	}
	missing := listMissingAcks(u.cluster)
	refusal := u.review(version, missing)
	if refusal == (refused{}) && u.isAccepted(version) {
		if err := u.accept(version.GetString("spec.desiredUpdate.version")); err != nil {
			return err
		}
	}
	found := u.graph.get()
	_, err := u.cluster.Objects.Update(cluster.VersionResource, "", "version", func(o kube.Object) error {
		u.report(o, found, missing)
		refusal.report(o, u.cluster.Timestamp())
		return nil
	})
	return err
}

// report writes the updates, and whether minor ones are possible.
func (u *Updates) report(o kube.Object, found updates, missing []string) {
	now := u.cluster.Timestamp()
	o.Set("status.desired.channels", listChannels(u.cluster.TargetVersion()))
	if found.of == o.GetString("spec.channel")+" "+u.cluster.TargetVersion() {
		o.Set("status.observedGeneration", o.Get("metadata.generation"))
		o.Set("status.availableUpdates", orNull(found.available))
		o.Set("status.conditionalUpdates", orNull(found.conditional))
		o.SetCondition(now, "RetrievedUpdates", kube.FormatStatus(found.failure == ""), found.reason, found.failure)
	}
	if len(missing) > 0 {
		o.SetCondition(now, "Upgradeable", "False", "AdminAckRequired", formatMissing(missing))
	} else {
		o.SetCondition(now, "Upgradeable", "True", "AsExpected", "")
	}
}

// orNull is how Kubernetes' JSON has an empty list of updates.
func orNull(list []kube.Object) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

func formatMissing(missing []string) string {
	return "This cluster requires an administrator to acknowledge before it can be updated to the next minor version: " + strings.Join(missing, ", ")
}

// refused is why a wanted update is not begun; the zero value: it may be.
type refused struct{ invalid, precondition string }

func (r refused) report(o kube.Object, now string) {
	o.SetCondition(now, "Invalid", kube.FormatStatus(r.invalid != ""), "InvalidClusterVersion", r.invalid)
	if r.precondition != "" {
		o.SetCondition(now, "ReleaseAccepted", "False", "PreconditionChecks", r.precondition)
	} else {
		o.SetCondition(now, "ReleaseAccepted", "True", "PayloadLoaded", "Payload loaded version=\""+o.GetString("status.desired.version")+"\"")
	}
}

// review checks the update that is wanted, as the operator does before it loads a release.
func (u *Updates) review(version kube.Object, missing []string) refused {
	wanted, current := version.GetString("spec.desiredUpdate.version"), u.cluster.TargetVersion()
	if wanted == "" || wanted == current || version.GetBool("spec.desiredUpdate.force") {
		return refused{}
	}
	previous := slices.ContainsFunc(version.List("status.history"), func(e kube.Object) bool { return e.GetString("version") == wanted })
	if !previous && !slices.Contains(u.listOffered(), wanted) {
		return refused{invalid: fmt.Sprintf("The cluster version is invalid: spec.desiredUpdate.version: Invalid value: %q: when image is empty the update must be a previous version or an available update", wanted)}
	}
	failed := func(check, reason, message string) refused {
		return refused{precondition: fmt.Sprintf("Preconditions failed for payload loaded version=%q: Precondition %q failed because of %q: %s", wanted, check, reason, message)}
	}
	switch {
	case compare(wanted, current) < 0:
		return failed("ClusterVersionRollback", "LowDesiredVersion", wanted+" is less than the current target "+current)
	case parseMinor(wanted) > parseMinor(current) && len(missing) > 0:
		return failed("ClusterVersionUpgradeable", "AdminAckRequired", formatMissing(missing))
	}
	return refused{}
}

func (u *Updates) listOffered() []string {
	var versions []string
	found := u.graph.get()
	for _, release := range found.available {
		versions = append(versions, release.GetString("version"))
	}
	for _, conditional := range found.conditional {
		versions = append(versions, conditional.GetString("release.version"))
	}
	return versions
}

// isAccepted reports whether the release that is wanted was loaded.
func (u *Updates) isAccepted(version kube.Object) bool {
	wanted := version.GetString("spec.desiredUpdate.version")
	return wanted != "" && wanted != u.cluster.TargetVersion() && u.lasted("update is loaded", wanted, acceptTime)
}

func (u *Updates) accept(wanted string) error {
	if err := u.injectUnknownSetting(); err != nil {
		return err
	}
	return u.cluster.StateRecords.Put(cluster.TargetRecord, cluster.StateRecord{What: cluster.TargetRecord, State: wanted, Since: u.cluster.Clock.Now()})
}
