package openshift

import (
	"fmt"
	"slices"

	"exoshift/internal/simcloud/kube"
)

// Argo CD's health states, the best first.
const (
	healthy     = "Healthy"
	progressing = "Progressing"
	missing     = "Missing"
	degraded    = "Degraded"
)

func listHealths() []string { return []string{healthy, progressing, missing, degraded} }

func selectWorse(a, b statusDetail) statusDetail {
	if slices.Index(listHealths(), b.reason) > slices.Index(listHealths(), a.reason) {
		return b
	}
	return a
}

// computeHealth returns "" for kinds without a health check.
func computeHealth(object kube.Object) statusDetail {
	switch object.GetString("kind") {
	case "Deployment", "StatefulSet":
		return computeRolloutHealth(object)
	case "DaemonSet":
		wanted, ready := object.GetInt("status.desiredNumberScheduled"), object.GetInt("status.numberReady")
		if object.Get("status.observedGeneration") == nil || ready < wanted {
			return statusDetail{progressing, fmt.Sprintf("Waiting for daemon set %q rollout to finish: %d of %d updated pods are available...", object.Name(), ready, wanted)}
		}
		return statusDetail{reason: healthy}
	case "Job":
		if object.Condition(jobComplete).GetString("status") != "True" {
			return statusDetail{progressing, ""}
		}
		return statusDetail{reason: healthy}
	case "Certificate":
		return computeCertificateHealth(object)
	}
	return statusDetail{}
}

func computeRolloutHealth(object kube.Object) statusDetail {
	wanted := 1
	if replicas, ok := object.Get("spec.replicas").(float64); ok {
		wanted = int(replicas)
	}
	switch available := object.GetInt("status.availableReplicas"); {
	case object.Get("status.observedGeneration") != object.Get("metadata.generation"):
		return statusDetail{progressing, "Waiting for rollout to finish: observed generation less than desired generation"}
	case available < wanted:
		return statusDetail{progressing, fmt.Sprintf("Waiting for rollout to finish: %d of %d updated replicas are available...", available, wanted)}
	}
	return statusDetail{reason: healthy}
}

// computeCertificateHealth: a Certificate that is being issued is Progressing, however long that takes.
func computeCertificateHealth(object kube.Object) statusDetail {
	if issuing := object.Condition("Issuing"); issuing.GetString("status") == "True" {
		return statusDetail{progressing, issuing.GetString("message")}
	}
	switch ready := object.Condition("Ready"); ready.GetString("status") {
	case "True":
		return statusDetail{reason: healthy, message: ready.GetString("message")}
	case "False":
		return statusDetail{degraded, ready.GetString("message")}
	}
	return statusDetail{progressing, "Waiting for certificate"}
}
