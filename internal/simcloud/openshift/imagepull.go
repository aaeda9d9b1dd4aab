package openshift

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"exoshift/internal/simcloud/kube"
)

// dockerHub is the default registry of images, and the host of its API.
const (
	dockerHub     = "docker.io"
	dockerHubHost = "registry-1.docker.io"
)

// pullImages requests a token for each of the pod's images from this machine. Only images of Project Syn are checked: the
// release's are covered by pullReleaseImage. The simulated registries do not hold these images, so authentication must suffice.
func (k *kubelet) pullImages(ctx context.Context, pod kube.Object) error {
	early, _ := pod.Get("spec.hostNetwork").(bool)
	if early || !strings.HasPrefix(pod.Namespace(), synNamespace) && !strings.HasPrefix(pod.Namespace(), "appuio-") {
		return nil
	}
	for _, container := range pod.List("spec.containers") {
		host := parseRegistry(container.GetString("image"))
		if _, known := k.registries.Load(host); known {
			continue
		}
		if err := k.pingRegistry(ctx, host); err != nil {
			return fmt.Errorf("rpc error: code = Unknown desc = initializing source docker://%s: %w", container.GetString("image"), err)
		}
		k.registries.Store(host, true)
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

func (k *kubelet) pingRegistry(ctx context.Context, host string) error {
	transport := k.machine.Network().NewTransport()
	defer transport.CloseIdleConnections()
	s := &source{http: &http.Client{Transport: transport}, timeout: max(k.cluster.getTimeout(), pullTimeout), host: host, path: "library/any"}
	status, header, err := s.sendRequest(ctx, http.MethodGet, "https://"+host+"/v2/", nil)
	if err != nil {
		return fmt.Errorf("pinging container registry %s: %w", host, err)
	}
	if found := realm.FindStringSubmatch(header.Get("WWW-Authenticate")); status == http.StatusUnauthorized && found != nil {
		_, _, err := s.sendRequest(ctx, http.MethodGet, found[1]+"?service="+host, nil)
		return err
	}
	if status >= http.StatusInternalServerError {
		return fmt.Errorf("pinging container registry %s: received unexpected HTTP status: %d %s", host, status, http.StatusText(status))
	}
	return nil
}
