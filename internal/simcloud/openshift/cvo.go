package openshift

import (
	"context"
	"fmt"
	"strings"

	"exoshift/internal/simcloud/kube"
)

// Manifests of a release, and those that are applied before any operator is available (inferred).
const (
	manifestsOfRelease = 903
	manifestsAtFirst   = 112
)

// version is the cluster version operator: the release is done when all operators are.
func (k *controllers) version(_ context.Context, seen view) error {
	var waiting []string
	all := operators()
	for _, operator := range all {
		available, err := k.operate(operator, seen)
		if err != nil {
			return err
		}
		if !available {
			waiting = append(waiting, operator.name)
		}
	}
	version := k.record().Version
	progress := workingTowards(version, len(all), waiting)
	done := len(waiting) == 0
	_, err := k.objects.Change(versionResource, "", "version", func(o kube.Object) error {
		o.Set("status.desired", kube.Object{"version": version})
		o.Set("status.availableUpdates", nil)
		if done {
			setCondition(o, k.now(), "Available", "True", "", "Done applying "+version)
			setCondition(o, k.now(), "Progressing", "False", "", "Cluster version is "+version)
		} else if condition(o, "Available").Text("status") != "True" {
			setCondition(o, k.now(), "Available", "False", "", "")
			setCondition(o, k.now(), "Progressing", "True", "", progress)
		}
		if !done && condition(o, "Available").Text("status") == "True" {
			setCondition(o, k.now(), "Failing", "True", "ClusterOperatorNotAvailable", "Cluster operators "+strings.Join(waiting, ", ")+" are not available")
		} else {
			setCondition(o, k.now(), "Failing", "False", "", "")
		}
		k.history(o, version, done)
		return nil
	})
	return err
}

// workingTowards is the message that people and installers read the progress from.
func workingTowards(version string, operators int, waiting []string) string {
	done := manifestsAtFirst + (manifestsOfRelease-manifestsAtFirst)*(operators-len(waiting))/operators
	message := fmt.Sprintf("Working towards %s: %d of %d done (%d%% complete)", version, done, manifestsOfRelease, 100*done/manifestsOfRelease)
	if len(waiting) == 0 || len(waiting) == operators {
		return message
	}
	return message + ", waiting on " + strings.Join(waiting[:min(4, len(waiting))], ", ")
}

// history notes when the version was started and completed.
func (k *controllers) history(o kube.Object, version string, done bool) {
	entries := o.List("status.history")
	if len(entries) == 0 {
		entries = []kube.Object{{"state": "Partial", "version": version, "startedTime": k.now(), "completionTime": nil, "verified": false}}
	}
	if done && entries[0].Text("state") != "Completed" {
		entries[0]["state"], entries[0]["completionTime"] = "Completed", k.now()
	}
	o.Set("status.history", entries)
}
