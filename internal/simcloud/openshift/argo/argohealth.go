package argo

import (
	"fmt"
	"slices"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// Argo CD's health states, the best first.
const (
	Healthy     = "Healthy"
	Progressing = "Progressing"
	missing     = "Missing"
	degraded    = "Degraded"
)

// healthStatus is a health and its message; the zero value is that of a kind without a health check.
type healthStatus struct{ Status, Message string }

func listHealths() []string { return []string{Healthy, Progressing, missing, degraded} }

func selectWorse(a, b healthStatus) healthStatus {
	if slices.Index(listHealths(), b.Status) > slices.Index(listHealths(), a.Status) {
		return b
	}
	return a
}

// ComputeHealth returns "" for kinds without a health check.
func ComputeHealth(object kube.Object) healthStatus {
	switch object.GetString("kind") {
	case "Deployment", "StatefulSet":
		return computeRolloutHealth(object)
	case "DaemonSet":
		wanted, ready := object.GetInt("status.desiredNumberScheduled"), object.GetInt("status.numberReady")
		if object.Get("status.observedGeneration") == nil || ready < wanted {
			return healthStatus{Progressing, fmt.Sprintf("Waiting for daemon set %q rollout to finish: %d of %d updated pods are available...", object.Name(), ready, wanted)}
		}
		return healthStatus{Status: Healthy}
	case "Job":
		if object.Condition(cluster.JobComplete).GetString("status") != "True" {
			return healthStatus{Progressing, ""}
		}
		return healthStatus{Status: Healthy}
	case "Certificate":
		return computeCertificateHealth(object)
	}
	return healthStatus{}
}

func computeRolloutHealth(object kube.Object) healthStatus {
	wanted := 1
	if replicas, ok := object.Get("spec.replicas").(float64); ok {
		wanted = int(replicas)
	}
	switch available := object.GetInt("status.availableReplicas"); {
	case object.Get("status.observedGeneration") != object.Get("metadata.generation"):
		return healthStatus{Progressing, "Waiting for rollout to finish: observed generation less than desired generation"}
	case available < wanted:
		return healthStatus{Progressing, fmt.Sprintf("Waiting for rollout to finish: %d of %d updated replicas are available...", available, wanted)}
	}
	return healthStatus{Status: Healthy}
}

// computeCertificateHealth: a Certificate that is being issued is Progressing, however long that takes.
func computeCertificateHealth(object kube.Object) healthStatus {
	if issuing := object.Condition("Issuing"); issuing.GetString("status") == "True" {
		return healthStatus{Progressing, issuing.GetString("message")}
	}
	switch ready := object.Condition("Ready"); ready.GetString("status") {
	case "True":
		return healthStatus{Status: Healthy, Message: ready.GetString("message")}
	case "False":
		return healthStatus{degraded, ready.GetString("message")}
	}
	return healthStatus{Progressing, "Waiting for certificate"}
}
