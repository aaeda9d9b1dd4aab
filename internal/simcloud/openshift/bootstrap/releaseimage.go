package bootstrap

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/imagesource"
)

const (
	dockerConfigFile = "/root/.docker/config.json" // the pull secret
	pullTime         = 70 * time.Second
)

// pullReleaseImage authenticates with the pull secret only if the registry requires it.
func pullReleaseImage(ctx context.Context, d disk, timeout time.Duration) error {
	image := d.readText("release-image")
	repository, digest, ok := strings.Cut(image, "@")
	registry, path, named := strings.Cut(repository, "/")
	if !ok || !named {
		return fmt.Errorf("invalid reference format: %q", image)
	}
	s := imagesource.Source{
		HTTP: &http.Client{Transport: d.machine.Network().NewTransport()}, Timeout: max(timeout, imagesource.PullTimeout), Host: registry, Path: path, Digest: digest,
		Secret: readPullSecret(d.machine, repository),
	}
	defer s.HTTP.CloseIdleConnections()
	if err := s.Pull(ctx); err != nil {
		return fmt.Errorf("pull failed, retrying: initializing source docker://%s: %w", image, err)
	}
	return nil
}

// readPullSecret returns the "user:password" for a repository; the most specific entry takes precedence.
func readPullSecret(m machine.Machine, repository string) string {
	content, _ := m.ReadFile(dockerConfigFile)
	var config struct {
		Auths map[string]struct{ Auth string }
	}
	if err := json.Unmarshal(content, &config); err != nil {
		m.Console("release-image.service: %s: %v", dockerConfigFile, err)
	}
	for name := repository; name != ""; name = name[:max(0, strings.LastIndex(name, "/"))] {
		if entry, ok := config.Auths[name]; ok {
			decoded, _ := base64.StdEncoding.DecodeString(entry.Auth) // the registry refuses an undecodable secret
			return string(decoded)
		}
	}
	return ""
}
