package openshift

import (
	"context"
	"path"
	"strings"

	"exoshift/internal/simcloud/kube"
)

// run is a program in a container; it returns why it ended, nil if it was done. running is called once it serves.
type run func(k *kubelet, ctx context.Context, p *pod, env map[string]string, running func()) error

// programs are those that do something here, by the name of their image.
func programs() map[string]run {
	cilium := func(k *kubelet, ctx context.Context, _ *pod, env map[string]string, running func()) error {
		return k.runCilium(ctx, env, running)
	}
	return map[string]run{
		"cloud-controller-manager": (*kubelet).runCloudController, "exoscale-cloud-controller-manager": (*kubelet).runCloudController,
		"csi-driver": (*kubelet).runBlockStorage, "exoscale-csi-driver": (*kubelet).runBlockStorage,
		ciliumAgent: cilium, "steward": (*kubelet).runSteward, "argocd": (*kubelet).runArgo, "argocd-operator": (*kubelet).runArgoOperator,
		"cert-manager-controller": (*kubelet).runCertManager, "openshift-upgrade-controller": (*kubelet).runUpgrades,
		"emergency-credentials-controller": (*kubelet).runEmergency,
	}
}

// programOf returns the program of a pod and the container that it runs in: the first one that does something here, else
// the first.
func programOf(pod kube.Object) (string, kube.Object) {
	containers := pod.List("spec.containers")
	for _, container := range containers {
		if name := imageName(container.Text("image")); programs()[name] != nil {
			return name, container
		}
	}
	if len(containers) == 0 {
		return "", nil
	}
	return imageName(containers[0].Text("image")), containers[0]
}

// imageName returns the name of an image without registry, tag and digest: it tells what a container does.
func imageName(image string) string {
	name, _, _ := strings.Cut(image, "@")
	name, _, _ = strings.Cut(path.Base(name), ":")
	return name
}
