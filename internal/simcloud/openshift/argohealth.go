package openshift

import (
	"fmt"
	"slices"

	"exoshift/internal/simcloud/kube"
)

// Argo CD's words for how something is, the best first.
const (
	healthy     = "Healthy"
	progressing = "Progressing"
	missing     = "Missing"
	degraded    = "Degraded"
)

func healths() []string { return []string{healthy, progressing, missing, degraded} }

func worse(a, b finding) finding {
	if slices.Index(healths(), b.reason) > slices.Index(healths(), a.reason) {
		return b
	}
	return a
}

// healthOf is Argo CD's opinion of an object; "" of kinds that it has none about.
func healthOf(object kube.Object) finding {
	switch object.Text("kind") {
	case "Deployment", "StatefulSet":
		return rolledOut(object)
	case "DaemonSet":
		wanted, ready := countAt(object, "status.desiredNumberScheduled"), countAt(object, "status.numberReady")
		if object.Get("status.observedGeneration") == nil || ready < wanted {
			return finding{progressing, fmt.Sprintf("Waiting for daemon set %q rollout to finish: %d of %d updated pods are available...", object.Name(), ready, wanted)}
		}
		return finding{reason: healthy}
	case "Job":
		if condition(object, jobComplete).Text("status") != "True" {
			return finding{progressing, ""}
		}
		return finding{reason: healthy}
	case "Certificate":
		return certificateHealth(object)
	}
	return finding{}
}

func countAt(object kube.Object, path string) int {
	found, _ := object.Get(path).(float64)
	return int(found)
}

func rolledOut(object kube.Object) finding {
	wanted := 1
	if replicas, ok := object.Get("spec.replicas").(float64); ok {
		wanted = int(replicas)
	}
	switch available := countAt(object, "status.availableReplicas"); {
	case object.Get("status.observedGeneration") != object.Get("metadata.generation"):
		return finding{progressing, "Waiting for rollout to finish: observed generation less than desired generation"}
	case available < wanted:
		return finding{progressing, fmt.Sprintf("Waiting for rollout to finish: %d of %d updated replicas are available...", available, wanted)}
	}
	return finding{reason: healthy}
}

// certificateHealth is about a Certificate of cert-manager: one that is being issued is on its way, however long that takes.
func certificateHealth(object kube.Object) finding {
	if issuing := condition(object, "Issuing"); issuing.Text("status") == "True" {
		return finding{progressing, issuing.Text("message")}
	}
	switch ready := condition(object, "Ready"); ready.Text("status") {
	case "True":
		return finding{reason: healthy, message: ready.Text("message")}
	case "False":
		return finding{degraded, ready.Text("message")}
	}
	return finding{progressing, "Waiting for certificate"}
}
