package synthesis

import (
	"cmp"
	"strings"

	"exoshift/provisioner/openshift/kubeapi"

	corev1 "k8s.io/api/core/v1"
)

type workload struct {
	Spec struct {
		Replicas *int `json:"replicas"`
	} `json:"spec"`
	Status struct {
		Conditions kubeapi.Conditions `json:"conditions"`
		Ready      int                `json:"readyReplicas"`
	} `json:"status"`
}

// isReady requires one pod if the workload has no replicas field.
func (w workload) isReady() bool {
	wanted := 1
	if w.Spec.Replicas != nil {
		wanted = *w.Spec.Replicas
	}
	return wanted > 0 && w.Status.Ready >= wanted
}

func (w workload) isAvailable() bool { return w.Status.Conditions.Is("Available") }

func (w workload) describeHealth(pods []synPod, name string) (health, message string) {
	if w.isAvailable() {
		return healthy, ""
	}
	health = progressing
	stuck := w.Status.Conditions.Find("Progressing")
	failed := w.Status.Conditions.Find("ReplicaFailure")
	if stuck.Status == "False" || failed.Status == "True" {
		health = degraded
	}
	if failed.Status != "True" {
		failed = kubeapi.Condition{}
	}
	reason := cmp.Or(describeUnreadyPods(pods, name), failed.Message)
	if health == degraded {
		reason = cmp.Or(reason, stuck.Message)
	}
	return health, kubeapi.Sanitize(cmp.Or(reason, w.Status.Conditions.Find("Available").Message, "it starts"))
}

type synPod struct {
	Metadata struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Status struct {
		Phase      corev1.PodPhase          `json:"phase"`
		Conditions kubeapi.Conditions       `json:"conditions"`
		Init       []corev1.ContainerStatus `json:"initContainerStatuses"`
		Containers []corev1.ContainerStatus `json:"containerStatuses"`
	} `json:"status"`
}

// describeUnreadyPods returns the reason of the first pod that has one.
func describeUnreadyPods(pods []synPod, name string) string {
	for _, pod := range pods {
		if pod.Metadata.Labels["app.kubernetes.io/name"] != name && !strings.HasPrefix(pod.Metadata.Name, name+"-") {
			continue
		}
		if reason := pod.describeUnready(); reason != "" {
			return kubeapi.Sanitize("pod " + pod.Metadata.Name + ": " + reason)
		}
	}
	return ""
}

func (p synPod) describeUnready() string {
	if scheduled := p.Status.Conditions.Find("PodScheduled"); scheduled.Status == "False" {
		return cmp.Or(scheduled.Message, scheduled.Reason)
	}
	for _, container := range append(p.Status.Init, p.Status.Containers...) {
		if waiting := container.State.Waiting; waiting != nil && waiting.Reason != "" && !isStarting(waiting.Reason) {
			return kubeapi.JoinMessage(waiting.Reason, waiting.Message)
		}
		if ended := container.LastTerminationState.Terminated; ended != nil && !container.Ready && ended.ExitCode != 0 {
			return kubeapi.JoinMessage("it ended with "+cmp.Or(ended.Reason, "an error"), ended.Message)
		}
	}
	return ""
}

// isStarting reports whether a container waits for one of the reasons that every container has at first.
func isStarting(reason string) bool {
	return reason == "ContainerCreating" || reason == "PodInitializing"
}
