package operators

import (
	"context"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// The number of manifests of a release, and of those that are applied before any operator is available (inferred).
const (
	manifestsOfRelease = 903
	manifestsAtFirst   = 112
)

// versionOperator is the cluster version operator, which also writes the status of all other operators.
type versionOperator struct {
	*loop
	reported map[string]string // the input of each operator's written status, as long as that status is unchanged
}

func (k versionOperator) sync(_ context.Context, seen clusterSnapshot) error {
	var waiting []string
	all := listOperators()
	for _, operator := range all {
		available, err := k.syncOperator(operator, seen)
		if err != nil {
			return err
		}
		current, _ := k.Objects.Get(cluster.OperatorResource, "", operator.name)
		if !available || k.updates.VersionOf(current) != k.TargetVersion() {
			waiting = append(waiting, operator.name)
		}
	}
	version := k.TargetVersion()
	progress := formatProgress(version, len(all), waiting)
	done, failing := len(waiting) == 0, seen.turn != "" && k.failsFor(seen.turn)
	_, err := k.Objects.Update(cluster.VersionResource, "", "version", func(o kube.Object) error {
		o.Set("status.desired.version", version)
		if o.Get("status.availableUpdates") == nil {
			o.Set("status.availableUpdates", nil)
		}
		if seen.turn != "" {
			k.reportUpdate(o, progress, seen.turn, failing)
			k.recordHistory(o, version, false)
			return nil
		}
		if done {
			o.SetCondition(k.Timestamp(), "Available", "True", "", "Done applying "+version)
			o.SetCondition(k.Timestamp(), "Progressing", "False", "", "Cluster version is "+version)
		} else if o.Condition("Available").GetString("status") != "True" {
			o.SetCondition(k.Timestamp(), "Available", "False", "", "")
			o.SetCondition(k.Timestamp(), "Progressing", "True", "", progress)
		}
		if !done && o.Condition("Available").GetString("status") == "True" {
			o.SetCondition(k.Timestamp(), "Failing", "True", "ClusterOperatorNotAvailable", "Cluster operators "+strings.Join(waiting, ", ")+" are not available")
		} else {
			o.SetCondition(k.Timestamp(), "Failing", "False", "", "")
		}
		k.recordHistory(o, version, done)
		return nil
	})
	return err
}

// failureTime is for how long an operator may be degraded before it is what an update fails for (from memory, unverified).
const failureTime = 10 * time.Minute

// failsFor reports whether an operator keeps an update for so long that it counts as failed.
func (k versionOperator) failsFor(turn string) bool {
	current, _ := k.Objects.Get(cluster.OperatorResource, "", turn)
	degraded := current.Condition("Degraded").GetString("status")
	return k.hasLasted("update fails for "+turn, degraded, failureTime) && degraded == "True"
}

// reportUpdate writes how far an update is.
func (k versionOperator) reportUpdate(o kube.Object, progress, turn string, failing bool) {
	o.SetCondition(k.Timestamp(), "Available", "True", "", "Done applying "+k.Record().Version)
	if failing {
		progress = fmt.Sprintf("Unable to apply %s: the cluster operator %s is degraded", k.TargetVersion(), turn)
		o.SetCondition(k.Timestamp(), "Failing", "True", "ClusterOperatorDegraded", "Cluster operator "+turn+" is degraded")
	} else {
		o.SetCondition(k.Timestamp(), "Failing", "False", "", "")
	}
	o.SetCondition(k.Timestamp(), "Progressing", "True", "", progress)
}

// formatProgress returns the message from which people and installers read the progress.
func formatProgress(version string, operators int, waiting []string) string {
	done := manifestsAtFirst + (manifestsOfRelease-manifestsAtFirst)*(operators-len(waiting))/operators
	message := fmt.Sprintf("Working towards %s: %d of %d done (%d%% complete)", version, done, manifestsOfRelease, 100*done/manifestsOfRelease)
	if len(waiting) == 0 || len(waiting) == operators {
		return message
	}
	return message + ", waiting on " + strings.Join(waiting[:min(4, len(waiting))], ", ")
}

func (k versionOperator) recordHistory(o kube.Object, version string, done bool) {
	entries := o.List("status.history")
	if len(entries) == 0 || entries[0].GetString("version") != version {
		entries = append([]kube.Object{{"state": "Partial", "version": version, "startedTime": k.Timestamp(), "completionTime": nil, "verified": len(entries) > 0}}, entries...)
	}
	if done && entries[0].GetString("state") != "Completed" {
		entries[0]["state"], entries[0]["completionTime"] = "Completed", k.Timestamp()
	}
	o.Set("status.history", entries)
}
