// Package registry is the container registry of the simulated internet that releases of OpenShift are pulled from, as
// far as an installation asks it: who may pull, and whether there is a manifest. It follows the distribution API of
// registries and their token service.
package registry

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// Host is the registry's name.
const Host = "quay.io"

// manifestPath is the path of a manifest: its repository, and its digest.
var manifestPath = regexp.MustCompile(`^/v2/(.+)/manifests/(sha256:[0-9a-f]{64})$`)

// Registry serves the registry. It has every manifest that is asked for by a well-formed digest.
type Registry struct {
	key []byte // signs tokens
}

// New returns a registry; tokens of another one are worth nothing to it.
func New() (*Registry, error) {
	key := make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("make the key of %s: %w", Host, err)
	}
	return &Registry{key: key}, nil
}

func (s *Registry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := manifestPath.FindStringSubmatch(r.URL.Path)
	switch {
	case r.URL.Path == "/v2/auth":
		s.authorize(w, r)
	case path == nil:
		refuse(w, http.StatusNotFound, "NAME_UNKNOWN", "repository name not known to registry")
	case !s.opens(r.Header.Get("Authorization"), path[1]):
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="https://%s/v2/auth",service="%s",scope="repository:%s:pull"`, Host, Host, path[1]))
		refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "access to the requested resource is not authorized")
	default:
		w.Header().Set("Content-Type", "application/vnd.docker.distribution.manifest.v2+json")
		w.Header().Set("Docker-Content-Digest", path[2])
		w.WriteHeader(http.StatusOK)
	}
}

// authorize gives a token for a repository. OKD's are for everybody; any other wants a user, who may be anybody: whose
// pull secret is good, nobody knows here. That OpenShift's own want one is what its documentation says.
func (s *Registry) authorize(w http.ResponseWriter, r *http.Request) {
	repository := strings.TrimSuffix(strings.TrimPrefix(r.URL.Query().Get("scope"), "repository:"), ":pull")
	user, password, _ := r.BasicAuth()
	if !strings.HasPrefix(repository, "okd/") && (user == "" || password == "") {
		refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "Invalid Username or Password")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"token": s.token(repository)}) // the client went away
}

func (s *Registry) token(repository string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(repository))
	return hex.EncodeToString(mac.Sum(nil))
}

func (s *Registry) opens(authorization, repository string) bool {
	return hmac.Equal([]byte(authorization), []byte("Bearer "+s.token(repository)))
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": []map[string]string{{"code": code, "message": message}}}) // as above
}
