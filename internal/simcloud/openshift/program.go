package openshift

import (
	"context"
	"path"
	"strings"

	"exoshift/internal/simcloud/kube"
)

// programFunc is a program in a container; it returns why it ended, nil on success. running is called once it serves.
type programFunc func(k *kubelet, ctx context.Context, p *pod, env map[string]string, running func()) error

// listPrograms returns the simulated programs by the name of their image.
func listPrograms() map[string]programFunc {
	cilium := func(k *kubelet, ctx context.Context, _ *pod, env map[string]string, running func()) error {
		return k.runCilium(ctx, env, running)
	}
	return map[string]programFunc{
		"cloud-controller-manager": (*kubelet).runCloudController, "exoscale-cloud-controller-manager": (*kubelet).runCloudController,
		"csi-driver": (*kubelet).runBlockStorage, "exoscale-csi-driver": (*kubelet).runBlockStorage,
		ciliumAgent: cilium, "steward": (*kubelet).runSteward, "argocd": (*kubelet).runArgo, "argocd-operator": (*kubelet).runArgoOperator,
		"cert-manager-controller": (*kubelet).runCertManager, "openshift-upgrade-controller": (*kubelet).runUpgrades,
		"emergency-credentials-controller": (*kubelet).runEmergency,
	}
}

// findProgram returns the program of a pod and its container: the first simulated one, else the first.
func findProgram(pod kube.Object) (string, kube.Object) {
	containers := pod.List("spec.containers")
	for _, container := range containers {
		if name := parseImageName(container.GetString("image")); listPrograms()[name] != nil {
			return name, container
		}
	}
	if len(containers) == 0 {
		return "", nil
	}
	return parseImageName(containers[0].GetString("image")), containers[0]
}

// parseImageName returns the name of an image without registry, tag and digest: it identifies the program of a container.
func parseImageName(image string) string {
	name, _, _ := strings.Cut(image, "@")
	name, _, _ = strings.Cut(path.Base(name), ":")
	return name
}
