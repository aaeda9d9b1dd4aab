package services

import (
	"net/http"

	"exoshift/internal/simcloud/registry"
	"exoshift/internal/simcloud/server"
)

const (
	dockerLayers     = "production.cloudflare.docker.com"
	githubLayers     = "pkg-containers.githubusercontent.com"
	kubernetesImages = "europe-west3-docker.pkg.dev"
	kubernetesLayers = "prod-registry-k8s-io-eu-central-1.s3.dualstack.eu-central-1.amazonaws.com"
)

func allowAnonymous(string) bool { return false }

func requireAccount(string) bool { return true }

func listRegistries() []registry.Config {
	return []registry.Config{
		{Host: "registry.redhat.io", Realm: "https://registry.redhat.io/auth/realms/rhcc/protocol/redhat-docker-v2/auth", Service: "docker-registry",
			RequireAccount: requireAccount, Manifest: registry.NewSingleImage("ubi9/ubi", "latest"), Layers: registry.QuayLayers()},
		{Host: "registry.access.redhat.com", Realm: "https://registry.access.redhat.com/v2/auth", Service: "docker-registry",
			RequireAccount: allowAnonymous, Manifest: registry.NewSingleImage("ubi9/ubi", "latest"), Layers: registry.QuayLayers()},
		{Host: "registry.connect.redhat.com", Realm: "https://registry.connect.redhat.com/auth/realms/rhcc/protocol/redhat-docker-v2/auth", Service: "docker-registry",
			RequireAccount: requireAccount, Manifest: registry.NewSingleImage("isovalent/cilium-olm", "latest"), Layers: registry.QuayLayers()},
		{Host: "ghcr.io", Realm: "https://ghcr.io/token", Service: "ghcr.io",
			RequireAccount: allowAnonymous, Manifest: registry.NewSingleImage("projectsyn/commodore", "latest"), Layers: []string{githubLayers}},
		{Host: "gcr.io", Realm: "https://gcr.io/v2/token", Service: "gcr.io",
			RequireAccount: allowAnonymous, Manifest: registry.NewSingleImage("google-containers/pause", "3.2"), Layers: []string{"storage.googleapis.com"}},
		{Host: "registry.gitlab.com", Realm: "https://gitlab.com/jwt/auth", Service: "container_registry",
			RequireAccount: allowAnonymous, Manifest: registry.NewSingleImage("gitlab-org/gitlab-runner", "latest"), Layers: []string{"cdn.registry.gitlab-static.net"}},
		{Host: "icr.io", Realm: "https://icr.io/oauth/token", Service: "registry",
			RequireAccount: allowAnonymous, Manifest: registry.NewSingleImage("cpopen/ibm-operator-catalog", "latest"), Layers: []string{"icr.io"}},
		{Host: "cp.icr.io", Realm: "https://cp.icr.io/oauth/token", Service: "registry",
			RequireAccount: requireAccount, Manifest: registry.NewSingleImage("cp/cpd", "latest"), Layers: []string{"cp.icr.io"}},
	}
}

// listRegistrySites includes the hosts of their layers.
func listRegistrySites() []site {
	list := []site{
		{[]string{registry.Host}, func(s *services) ([]server.Port, error) { return s.newRegistryPorts(registry.NewQuayConfig(s.blobs)) }},
		{[]string{"registry-1.docker.io", "auth.docker.io"}, (*services).newDockerPorts},
		{[]string{"registry.k8s.io"}, (*services).newKubernetesPorts},
		newLayerSite(dockerLayers), newLayerSite(githubLayers), newLayerSite(kubernetesLayers), newLayerSite("cdn.registry.gitlab-static.net"),
		{[]string{kubernetesImages}, func(s *services) ([]server.Port, error) {
			return s.newRegistryPorts(registry.Config{Host: kubernetesImages, Realm: "https://" + kubernetesImages + "/v2/token", Service: kubernetesImages,
				RequireAccount: allowAnonymous, Manifest: registry.NewSingleImage("k8s-artifacts-prod/images/pause", "3.10"), Layers: []string{kubernetesLayers}})
		}},
	}
	for _, house := range listRegistries() {
		list = append(list, site{[]string{house.Host}, func(s *services) ([]server.Port, error) { return s.newRegistryPorts(house) }})
	}
	return list
}

func (s *services) newRegistryPorts(house registry.Config) ([]server.Port, error) {
	made, err := registry.New(house, s.blobs)
	if err != nil {
		return nil, err
	}
	return server.NewWebPorts(s.config.Registries(made)), nil
}

// newDockerPorts is Docker Hub, whose token service has a host of its own.
func (s *services) newDockerPorts() ([]server.Port, error) {
	made, err := registry.New(registry.Config{
		Host: "registry-1.docker.io", Realm: "https://auth.docker.io/token", Service: "registry.docker.io",
		RequireAccount: allowAnonymous, Manifest: registry.NewSingleImage("library/busybox", "latest"), Layers: []string{dockerLayers},
	}, s.blobs)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("auth.docker.io/token", made.TokenHandler())
	mux.Handle("registry-1.docker.io/", made)
	return server.NewWebPorts(s.config.Registries(mux)), nil
}

// newKubernetesPorts requires no token, and redirects requests to other hosts.
func (s *services) newKubernetesPorts() ([]server.Port, error) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v2/", "/v2":
			w.Header().Set("Docker-Distribution-Api-Version", "registry/2.0")
			w.WriteHeader(http.StatusOK)
		case "/":
			http.Redirect(w, r, "https://github.com/kubernetes/registry.k8s.io", http.StatusTemporaryRedirect)
		default:
			http.Redirect(w, r, "https://"+kubernetesImages+"/v2/k8s-artifacts-prod/images/"+trimPrefix(r.URL.Path, "/v2/"), http.StatusTemporaryRedirect)
		}
	})
	return server.NewWebPorts(s.config.Registries(handler)), nil
}
