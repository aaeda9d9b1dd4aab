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

// HealthStatus is a health and its message; the zero value is that of a kind without a health check.
type HealthStatus struct{ Status, Message string }

func listHealths() []string { return []string{Healthy, Progressing, missing, degraded} }

func selectWorse(a, b HealthStatus) HealthStatus {
	if slices.Index(listHealths(), b.Status) > slices.Index(listHealths(), a.Status) {
		return b
	}
	return a
}

// ComputeHealth returns "" for kinds without a health check.
func ComputeHealth(object kube.Object) HealthStatus {
	switch object.GetString("kind") {
	case "Deployment", "StatefulSet":
		return computeRolloutHealth(object)
	case "DaemonSet":
		wanted, ready := object.GetInt("status.desiredNumberScheduled"), object.GetInt("status.numberReady")
		if object.Get("status.observedGeneration") == nil || ready < wanted {
			return HealthStatus{Progressing, fmt.Sprintf("Waiting for daemon set %q rollout to finish: %d of %d updated pods are available...", object.Name(), ready, wanted)}
		}
		return HealthStatus{Status: Healthy}
	case "Job":
		if object.Condition(cluster.JobComplete).GetString("status") != "True" {
			return HealthStatus{Progressing, ""}
		}
		return HealthStatus{Status: Healthy}
	case "Certificate":
		return computeCertificateHealth(object)
	}
	return HealthStatus{}
}

func computeRolloutHealth(object kube.Object) HealthStatus {
	wanted := 1
	if replicas, ok := object.Get("spec.replicas").(float64); ok {
		wanted = int(replicas)
	}
	switch available := object.GetInt("status.availableReplicas"); {
	case object.Get("status.observedGeneration") != object.Get("metadata.generation"):
		return HealthStatus{Progressing, "Waiting for rollout to finish: observed generation less than desired generation"}
	case available < wanted:
		return HealthStatus{Progressing, fmt.Sprintf("Waiting for rollout to finish: %d of %d updated replicas are available...", available, wanted)}
	}
	return HealthStatus{Status: Healthy}
}

// computeCertificateHealth: a Certificate that is being issued is Progressing, however long that takes.
func computeCertificateHealth(object kube.Object) HealthStatus {
	if issuing := object.Condition("Issuing"); issuing.GetString("status") == "True" {
		return HealthStatus{Progressing, issuing.GetString("message")}
	}
	switch ready := object.Condition("Ready"); ready.GetString("status") {
	case "True":
		return HealthStatus{Status: Healthy, Message: ready.GetString("message")}
	case "False":
		return HealthStatus{degraded, ready.GetString("message")}
	}
	return HealthStatus{Progressing, "Waiting for certificate"}
}
