package kubelet

import (
	"context"
	"fmt"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/argo"
	"exoshift/internal/simcloud/openshift/imagesource"
)

// dockerHub is the default registry of images, and the host of its API.
const (
	dockerHub     = "docker.io"
	dockerHubHost = "registry-1.docker.io"
)

// pullImages requests a token for each of the pod's images from this machine. Only images of Project Syn are checked: the
// release's are covered by pullReleaseImage. The simulated registries do not hold these images, so authentication must suffice.
func (r *containerRuntime) pullImages(ctx context.Context, pod kube.Object) error {
	early := pod.GetBool("spec.hostNetwork")
	if early || !strings.HasPrefix(pod.Namespace(), argo.SynNamespace) && !strings.HasPrefix(pod.Namespace(), "appuio-") {
		return nil
	}
	for _, container := range pod.List("spec.containers") {
		host := parseRegistry(container.GetString("image"))
		if _, known := r.registries.Load(host); known {
			continue
		}
		if err := imagesource.PingRegistry(ctx, r.machine, host, r.cluster.Timeout()); err != nil {
			return fmt.Errorf("rpc error: code = Unknown desc = initializing source docker://%s: %w", container.GetString("image"), err)
		}
		r.registries.Store(host, true)
	}
	return nil
}

func parseRegistry(image string) string {
	host, _, found := strings.Cut(image, "/")
	if !found || !strings.ContainsAny(host, ".:") || host == dockerHub {
		return dockerHubHost
	}
	return host
}
