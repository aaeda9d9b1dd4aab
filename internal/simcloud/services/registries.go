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

// anyone is for registries that let everybody see everything.
func anyone(string) bool { return false }

// members is for registries that want everybody to have an account.
func members(string) bool { return true }

// houses are the registries beside quay.io, each with one image.
func houses() []registry.House {
	return []registry.House{
		{Host: "registry.redhat.io", Realm: "https://registry.redhat.io/auth/realms/rhcc/protocol/redhat-docker-v2/auth", Service: "docker-registry",
			Members: members, Manifest: registry.One("ubi9/ubi", "latest"), Layers: registry.QuayLayers()},
		{Host: "registry.access.redhat.com", Realm: "https://registry.access.redhat.com/v2/auth", Service: "docker-registry",
			Members: anyone, Manifest: registry.One("ubi9/ubi", "latest"), Layers: registry.QuayLayers()},
		{Host: "registry.connect.redhat.com", Realm: "https://registry.connect.redhat.com/auth/realms/rhcc/protocol/redhat-docker-v2/auth", Service: "docker-registry",
			Members: members, Manifest: registry.One("isovalent/cilium-olm", "latest"), Layers: registry.QuayLayers()},
		{Host: "ghcr.io", Realm: "https://ghcr.io/token", Service: "ghcr.io",
			Members: anyone, Manifest: registry.One("projectsyn/commodore", "latest"), Layers: []string{githubLayers}},
		{Host: "gcr.io", Realm: "https://gcr.io/v2/token", Service: "gcr.io",
			Members: anyone, Manifest: registry.One("google-containers/pause", "3.2"), Layers: []string{"storage.googleapis.com"}},
		{Host: "registry.gitlab.com", Realm: "https://gitlab.com/jwt/auth", Service: "container_registry",
			Members: anyone, Manifest: registry.One("gitlab-org/gitlab-runner", "latest"), Layers: []string{"cdn.registry.gitlab-static.net"}},
		{Host: "icr.io", Realm: "https://icr.io/oauth/token", Service: "registry",
			Members: anyone, Manifest: registry.One("cpopen/ibm-operator-catalog", "latest"), Layers: []string{"icr.io"}},
		{Host: "cp.icr.io", Realm: "https://cp.icr.io/oauth/token", Service: "registry",
			Members: members, Manifest: registry.One("cp/cpd", "latest"), Layers: []string{"cp.icr.io"}},
	}
}

// registries are the registries, and the hosts that hold their layers.
func registries() []site {
	list := []site{
		{[]string{registry.Host}, func(s *services) ([]server.Port, error) { return s.registry(registry.Quay(s.warehouse)) }},
		{[]string{"registry-1.docker.io", "auth.docker.io"}, (*services).docker},
		{[]string{"registry.k8s.io"}, (*services).kubernetes},
		layers(dockerLayers), layers(githubLayers), layers(kubernetesLayers), layers("cdn.registry.gitlab-static.net"),
		{[]string{kubernetesImages}, func(s *services) ([]server.Port, error) {
			return s.registry(registry.House{Host: kubernetesImages, Realm: "https://" + kubernetesImages + "/v2/token", Service: kubernetesImages,
				Members: anyone, Manifest: registry.One("k8s-artifacts-prod/images/pause", "3.10"), Layers: []string{kubernetesLayers}})
		}},
	}
	for _, house := range houses() {
		list = append(list, site{[]string{house.Host}, func(s *services) ([]server.Port, error) { return s.registry(house) }})
	}
	return list
}

func (s *services) registry(house registry.House) ([]server.Port, error) {
	made, err := registry.New(house, s.warehouse)
	if err != nil {
		return nil, err
	}
	return server.Web(s.config.Registries(made)), nil
}

// docker is Docker Hub, whose token service has a name of its own.
func (s *services) docker() ([]server.Port, error) {
	made, err := registry.New(registry.House{
		Host: "registry-1.docker.io", Realm: "https://auth.docker.io/token", Service: "registry.docker.io",
		Members: anyone, Manifest: registry.One("library/busybox", "latest"), Layers: []string{dockerLayers},
	}, s.warehouse)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("auth.docker.io/token", made.Tokens())
	mux.Handle("registry-1.docker.io/", made)
	return server.Web(s.config.Registries(mux)), nil
}

// kubernetes asks nobody who they are, and sends whoever wants an image to others.
func (s *services) kubernetes() ([]server.Port, error) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v2/", "/v2":
			w.Header().Set("Docker-Distribution-Api-Version", "registry/2.0")
			w.WriteHeader(http.StatusOK)
		case "/":
			http.Redirect(w, r, "https://github.com/kubernetes/registry.k8s.io", http.StatusTemporaryRedirect)
		default:
			http.Redirect(w, r, "https://"+kubernetesImages+"/v2/k8s-artifacts-prod/images/"+cutPrefix(r.URL.Path, "/v2/"), http.StatusTemporaryRedirect)
		}
	})
	return server.Web(s.config.Registries(handler)), nil
}
