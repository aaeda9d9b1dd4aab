package syn

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"exoshift/internal/simcloud/store"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// neighbours are a Git host and a Vault that record their calls.
type neighbours struct {
	repositories map[string]string // "made" or "archived", by path
	secrets      map[string]string
	files        map[string][]byte // of every repository
}

func (n neighbours) Create(path string) error  { n.repositories[path] = "made"; return nil }
func (n neighbours) Archive(path string) error { n.repositories[path] = "archived"; return nil }

func (n neighbours) ReadFiles(string) (map[string][]byte, string, error) {
	return n.files, "abc", nil
}

func (n neighbours) Commit(_, _ string, files map[string][]byte) (string, error) {
	maps.Copy(n.files, files)
	maps.DeleteFunc(n.files, func(_ string, content []byte) bool { return content == nil })
	return "abc", nil
}

func (n neighbours) Put(path string, values map[string]string) error {
	n.secrets[path] = values["token"]
	return nil
}

func (n neighbours) RemoveBelow(path string) error {
	n.repositories["removed from Vault: "+path] = "yes"
	return n.SoftDeleteBelow(path)
}

func (n neighbours) SoftDeleteBelow(path string) error {
	maps.DeleteFunc(n.secrets, func(known, _ string) bool { return strings.HasPrefix(known, path+"/") })
	return nil
}

// world is a client of Lieutenant. Each response is validated against the description.
type world struct {
	*Syn
	neighbours
	t         *testing.T
	api, sign http.Handler
	described routers.Router
	token     string
}

func open(t *testing.T, config Config) *world {
	t.Helper()
	w := &world{t: t, neighbours: neighbours{map[string]string{}, map[string]string{}, map[string][]byte{}}}
	if config.DB == nil {
		config.DB = store.NewMemory()
	}
	config.HostKey, config.Repositories, config.Secrets = "git.vshn.net ssh-ed25519 AAAA", w, w
	var err error
	w.Syn, err = New(config)
	must(t, err)
	w.api, w.sign = w.Lieutenant.Handler(), w.SignOn.Handler()
	must(t, w.SignOn.keys.table.Put(signOnKey, secretKey{Private: rsaKey()}))
	w.token, err = w.CreateAPIToken()
	must(t, err)
	document, err := openapi3.NewLoader().LoadFromData(descriptionYAML)
	must(t, err)
	document.Servers = nil
	w.described, err = legacy.NewRouter(document, openapi3.DisableExamplesValidation())
	must(t, err)
	return w
}

// rsaKey is shared by all tests: its generation is slow.
var rsaKey = sync.OnceValue(func() []byte {
	key, err := rsa.GenerateKey(rand.Reader, signOnBits)
	if err != nil {
		return nil
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil
	}
	return private
})

// reply is a response of Lieutenant.
type reply struct {
	Status int
	Reason string
	Body   []byte
}

func (r reply) String() string { return fmt.Sprintf("%d %s", r.Status, bytes.TrimSpace(r.Body)) }

// send sends a request to Lieutenant, and fails the test if the response violates the description.
func (w *world) send(method, path, body string, header ...string) reply {
	w.t.Helper()
	request := httptest.NewRequest(method, "https://"+lieutenantHost+path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+w.token)
	switch {
	case method == http.MethodPatch:
		request.Header.Set("Content-Type", patchType)
	case body != "":
		request.Header.Set("Content-Type", plainType)
	}
	for n := 0; n < len(header); n += 2 {
		request.Header.Set(header[n], header[n+1])
	}
	recorder := httptest.NewRecorder()
	w.api.ServeHTTP(recorder, request)
	answer := reply{Status: recorder.Code, Body: recorder.Body.Bytes()}
	var refused struct{ Reason string }
	if answer.Status >= http.StatusBadRequest {
		must(w.t, json.Unmarshal(answer.Body, &refused))
		answer.Reason = refused.Reason
	}
	w.validate(request, recorder)
	return answer
}

func (w *world) validate(request *http.Request, recorder *httptest.ResponseRecorder) {
	w.t.Helper()
	route, parameters, err := w.described.FindRoute(request)
	if err != nil || strings.HasPrefix(recorder.Header().Get("Content-Type"), "text/html") {
		return // not in the description
	}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route}
	output := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: recorder.Code, Header: recorder.Header(), Body: io.NopCloser(bytes.NewReader(recorder.Body.Bytes())),
	}
	if err := openapi3filter.ValidateResponse(w.t.Context(), output); err != nil {
		w.t.Errorf("%s %s: the answer %d %s: %v", request.Method, request.URL, recorder.Code, recorder.Body, err)
	}
}

// get returns an object.
func (w *world) get(path string) (found newCluster) {
	w.t.Helper()
	answer := w.send(http.MethodGet, path, "")
	if answer.Status != http.StatusOK {
		w.t.Fatalf("%s: %s", path, answer)
	}
	must(w.t, json.Unmarshal(answer.Body, &found))
	return found
}

func installLink(c newCluster) string {
	if c.InstallURL == nil {
		return ""
	}
	return strings.TrimPrefix(*c.InstallURL, "https://"+lieutenantHost)
}

func keys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
