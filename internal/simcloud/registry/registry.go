// Package registry is the container registries of the simulated internet, their token services, and the hosts that hold their
// layers, as far as an installation uses them. It follows the distribution API of registries and their token service.
package registry

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"exoshift/internal/simcloud/payload"
	"exoshift/internal/simcloud/server"
)

// Host is the registry that releases of OpenShift are pulled from.
const Host = "quay.io"

// apiVersion is the value of a registry's version header.
const apiVersion = "Docker-Distribution-Api-Version"

var part = regexp.MustCompile(`^/v2/(.+)/(manifests|blobs)/([\w:.-]+)$`)

// Config describes a registry.
type Config struct {
	Host    string
	Realm   string // URL of its token service
	Service string // its name at the token service
	// RequireAccount reports whether a repository requires an account; "" is none in particular.
	RequireAccount func(repository string) bool
	// Manifest returns a repository's image of a tag or a digest.
	Manifest func(repository, reference string) (payload.Image, bool)
	Layers   []string // hosts of its layers
}

// Registry serves a registry and, if that is at the same host, its token service.
type Registry struct {
	config Config
	tokens Tokens
	blobs  *BlobStore
}

// New returns a registry whose layers are in a blob store.
func New(house Config, warehouse *BlobStore) (*Registry, error) {
	tokens, err := newTokens(house)
	return &Registry{config: house, tokens: tokens, blobs: warehouse}, err
}

// TokenHandler returns its token service.
func (s *Registry) TokenHandler() http.Handler { return s.tokens }

func (s *Registry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if realm, err := url.Parse(s.config.Realm); err == nil && r.URL.Path == realm.Path && realm.Host == s.config.Host {
		s.tokens.ServeHTTP(w, r)
		return
	}
	w.Header().Set(apiVersion, "registry/2.0")
	found := part.FindStringSubmatch(r.URL.Path)
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		writeError(w, http.StatusMethodNotAllowed, "UNSUPPORTED", "The operation is unsupported.")
	case r.URL.Path == "/v2/" || r.URL.Path == "/v2":
		s.serveBase(w, r)
	case found == nil:
		writeError(w, http.StatusNotFound, "NAME_UNKNOWN", "repository name not known to registry")
	case !s.tokens.open(r.Header.Get("Authorization"), found[1]):
		s.writeChallenge(w, found[1])
	case found[2] == "manifests":
		s.serveManifest(w, r, found[1], found[3])
	default:
		s.redirectBlob(w, r, found[3])
	}
}

// serveBase serves /v2/, which requires any token.
func (s *Registry) serveBase(w http.ResponseWriter, r *http.Request) {
	if !s.tokens.valid(r.Header.Get("Authorization")) {
		s.writeChallenge(w, "")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("{}")) // the client closed the connection
}

func (s *Registry) writeChallenge(w http.ResponseWriter, repository string) {
	text := fmt.Sprintf(`Bearer realm="%s",service="%s"`, s.config.Realm, s.config.Service)
	if repository != "" {
		text += fmt.Sprintf(`,scope="repository:%s:pull"`, repository)
	}
	w.Header().Set("WWW-Authenticate", text)
	writeError(w, http.StatusUnauthorized, "UNAUTHORIZED", "access to the requested resource is not authorized")
}

func (s *Registry) serveManifest(w http.ResponseWriter, r *http.Request, repository, reference string) {
	image, known := s.config.Manifest(repository, reference)
	if !known || !isAcceptable(r, image.Type) {
		writeError(w, http.StatusNotFound, "MANIFEST_UNKNOWN", "manifest unknown")
		return
	}
	s.blobs.add(repository, image)
	w.Header().Set("Content-Type", image.Type)
	w.Header().Set("Docker-Content-Digest", image.Digest())
	w.Header().Set("Content-Length", fmt.Sprint(len(image.Manifest)))
	_, _ = w.Write(image.Manifest) // as above
}

// isAcceptable: images for one architecture need no Accept header; lists do.
func isAcceptable(r *http.Request, kind string) bool {
	asked := strings.Join(r.Header.Values("Accept"), ",")
	return kind == payload.ManifestType && asked == "" || strings.Contains(asked, kind) || strings.Contains(asked, "*/*")
}

func (s *Registry) redirectBlob(w http.ResponseWriter, r *http.Request, digest string) {
	if !s.blobs.has(digest) {
		writeError(w, http.StatusNotFound, "BLOB_UNKNOWN", "blob unknown to registry")
		return
	}
	http.Redirect(w, r, s.blobs.link(s.config.Layers, digest), http.StatusFound)
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	server.WriteJSON(w, status, map[string]any{"errors": []map[string]string{{"code": code, "message": message}}})
}
