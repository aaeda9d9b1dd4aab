package e2e

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/certificate"
)

// imageRegistry is a real registry with the names of the one that releases come from: it wants tokens, which somebody
// else gives, and sends those who ask for layers to a host of its own.
type imageRegistry struct {
	*lab
	signer   certificate.Pair // of tokens
	manifest string           // digest
}

const (
	registryHost = "quay.io"
	tokenHost    = "tokens.quay.io"
	layerHost    = "cdn01.quay.io"
	repository   = "openshift-release-dev/ocp-release"
	pullUser     = "openshift"
	pullPassword = "t0psecret"
	pusher       = "pusher"
)

// runRegistry starts a registry with one image. The program is built before; see registryProgram.
func (l *lab) runRegistry(program string) *imageRegistry {
	l.t.Helper()
	r := &imageRegistry{lab: l, signer: authority(l.t, "Token CA")}
	content := filepath.Dir(l.write("content", ""))
	identity := l.certified(registryHost)
	config := l.write("registry.yaml", fmt.Sprintf(`version: 0.1
log: {level: warn}
storage: {filesystem: {rootdirectory: %q}, delete: {enabled: false}}
middleware: {storage: [{name: redirect, options: {baseurl: "https://%s/"}}]}
http: {addr: %q, tls: {certificate: %q, key: %q}}
auth: {token: {realm: "https://%s/auth", service: %s, issuer: lab, rootcertbundle: %q, signingalgorithms: [ES256]}}
`, content, layerHost, l.at(registryHost, "443"), identity, identity, tokenHost, registryHost, l.write("tokens.pem", string(r.signer.CertPEM()))))
	l.web(tokenHost, http.HandlerFunc(r.giveToken))
	l.web(layerHost, http.FileServer(http.Dir(content)))
	daemon(l.t, open(l.at(registryHost, "443")), program, "serve", config)
	r.push()
	return r
}

// giveToken gives a token for what is asked for, and to nobody with a wrong password any.
func (r *imageRegistry) giveToken(w http.ResponseWriter, request *http.Request) {
	user, password, known := request.BasicAuth()
	if known && (user != pullUser || password != pullPassword) && user != pusher {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	actions := []string{}
	if known {
		actions = append(actions, "pull")
	}
	if user == pusher {
		actions = append(actions, "push")
	}
	access := []map[string]any{}
	if scope := strings.SplitN(request.URL.Query().Get("scope"), ":", 3); len(scope) == 3 {
		access = append(access, map[string]any{"type": scope[0], "name": scope[1], "actions": actions})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"token": r.token(access), "expires_in": 300})
}

// token signs what somebody may do, as RFC 7515 has it.
func (r *imageRegistry) token(access []map[string]any) string {
	now := time.Now()
	header := map[string]any{"typ": "JWT", "alg": "ES256", "x5c": []string{base64.StdEncoding.EncodeToString(r.signer.Certificate.Raw)}}
	claims := map[string]any{"iss": "lab", "aud": registryHost, "sub": pullUser, "jti": rand.Text(), "access": access,
		"nbf": now.Add(-time.Minute).Unix(), "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()}
	signed := part(header) + "." + part(claims)
	hash := sha256.Sum256([]byte(signed))
	a, b, err := ecdsa.Sign(rand.Reader, r.signer.Key, hash[:])
	if err != nil {
		return ""
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(append(fixed(a), fixed(b)...))
}

func part(value any) string {
	content, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(content)
}

func fixed(n *big.Int) []byte { return n.FillBytes(make([]byte, 32)) }

// push stores an image of two layers.
func (r *imageRegistry) push() {
	r.t.Helper()
	const layer = "application/vnd.docker.image.rootfs.diff.tar.gzip"
	manifest, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
		"config": r.blob("application/vnd.docker.container.image.v1+json", []byte(`{"architecture":"amd64","os":"linux"}`)),
		"layers": []any{r.blob(layer, packed(r.t, strings.Repeat("large", 1<<20)+rand.Text())), r.blob(layer, packed(r.t, "a small layer"))},
	})
	must(r.t, err)
	r.manifest = digest(manifest)
	r.put("/manifests/"+r.manifest, "application/vnd.docker.distribution.manifest.v2+json", manifest)
}

// packed returns a layer, or what begins like one.
func packed(t *testing.T, content string) []byte {
	t.Helper()
	var layer bytes.Buffer
	writer := gzip.NewWriter(&layer)
	_, err := io.WriteString(writer, content)
	must(t, errors.Join(err, writer.Close()))
	return layer.Bytes()
}

// blob stores one content and returns how a manifest names it.
func (r *imageRegistry) blob(kind string, content []byte) map[string]any {
	r.t.Helper()
	response := r.send(http.MethodPost, "https://"+registryHost+"/v2/"+repository+"/blobs/uploads/", "", nil)
	where, err := url.Parse(response.Header.Get("Location"))
	must(r.t, err)
	query := where.Query()
	query.Set("digest", digest(content))
	where.RawQuery = query.Encode()
	if response := r.send(http.MethodPut, where.String(), "application/octet-stream", content); response.StatusCode != http.StatusCreated {
		r.t.Fatalf("push a layer: %s", response.Status)
	}
	return map[string]any{"mediaType": kind, "digest": digest(content), "size": len(content)}
}

func (r *imageRegistry) put(path, kind string, content []byte) {
	r.t.Helper()
	if response := r.send(http.MethodPut, "https://"+registryHost+"/v2/"+repository+path, kind, content); response.StatusCode != http.StatusCreated {
		r.t.Fatalf("push %s: %s", path, response.Status)
	}
}

func (r *imageRegistry) send(method, address, kind string, content []byte) *http.Response {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), method, address, bytes.NewReader(content))
	must(r.t, err)
	request.Header.Set("Content-Type", kind)
	access := map[string]any{"type": "repository", "name": repository, "actions": []string{"pull", "push"}}
	request.Header.Set("Authorization", "Bearer "+r.token([]map[string]any{access}))
	response, err := r.client().Do(request)
	must(r.t, err)
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	return response
}

func digest(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

// registryProgram returns the path of the registry; see builtProgram.
func registryProgram(t *testing.T) string {
	t.Helper()
	return builtProgram(t, "registry", "github.com/distribution/distribution/v3", ".")
}
