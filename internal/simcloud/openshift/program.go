package openshift

import (
	"context"
	"path"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/container"
)

// programs are the simulated programs, by the name of their image. Each returns why it ended, nil on success.
var programs = map[string]func(context.Context, container.Container) error{
	"cloud-controller-manager": runCloudController, "exoscale-cloud-controller-manager": runCloudController,
	"csi-driver": runBlockStorage, "exoscale-csi-driver": runBlockStorage,
	ciliumAgent: runCilium, "steward": runSteward, "argocd": runArgo, "argocd-operator": runArgoOperator,
	"cert-manager-controller": runCertManager, "openshift-upgrade-controller": runUpgrades,
	"emergency-credentials-controller": runEmergency,
}

// findProgram returns the program of a pod and its container: the first simulated one, else the first.
func findProgram(pod kube.Object) (string, kube.Object) {
	containers := pod.List("spec.containers")
	for _, container := range containers {
		if name := parseImageName(container.GetString("image")); programs[name] != nil {
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

// jobTime is how long a Job takes before it has its effect, if any.
const jobTime = 10 * time.Second

// runJob has the effect of a Job.
func runJob(ctx context.Context, c container.Container) error {
	switch {
	case strings.HasPrefix(c.Pod.Name(), acmeJob+"-"):
		return registerACME(ctx, c)
	case c.Pod.Namespace() == monitoring && strings.HasPrefix(c.Pod.Name(), silenceName):
		return applySilences(c.Cluster)
	}
	return nil
}
