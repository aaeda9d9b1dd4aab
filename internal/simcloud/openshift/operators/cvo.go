package operators

import (
	"context"
	"fmt"
	"strings"

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
		if !available {
			waiting = append(waiting, operator.name)
		}
	}
	version := k.Record().Version
	progress := formatProgress(version, len(all), waiting)
	done := len(waiting) == 0
	_, err := k.Objects.Update(cluster.VersionResource, "", "version", func(o kube.Object) error {
		o.Set("status.desired", kube.Object{"version": version})
		o.Set("status.availableUpdates", nil)
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
	if len(entries) == 0 {
		entries = []kube.Object{{"state": "Partial", "version": version, "startedTime": k.Timestamp(), "completionTime": nil, "verified": false}}
	}
	if done && entries[0].GetString("state") != "Completed" {
		entries[0]["state"], entries[0]["completionTime"] = "Completed", k.Timestamp()
	}
	o.Set("status.history", entries)
}
