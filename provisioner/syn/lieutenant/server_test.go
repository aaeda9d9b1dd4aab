package lieutenant_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/syn/lieutenant"
)

// canary is a token that must not be part of an error.
const canary = "canary-4b1d"

// server is a Lieutenant with its operator, which behaves as the server's code where that differs from the description.
type server struct {
	http    *httptest.Server
	network network.Network

	mu        sync.Mutex
	clusters  map[string]map[string]any
	looks     map[string]int // requests for a cluster that lacks its repository, or is being deleted
	slow      int            // how many requests until the operator is done
	requests  []string       // "GET /clusters/c-1 {…}"
	overrides []override
}

// override replaces the response to the next request of a method and path.
type override struct {
	request string // "GET /clusters/c-1"
	status  int
	body    string
	after   bool // the request is carried out before that response
	strange bool // the response is not Lieutenant's
	header  string
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{clusters: map[string]map[string]any{}, looks: map[string]int{}}
	s.http = httptest.NewTLSServer(describe(t, s))
	t.Cleanup(s.http.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.http.Certificate())
	clock, stop := network.NewScaledClock(1000, time.Now())
	t.Cleanup(stop)
	s.network = network.Network{Dial: new(net.Dialer).DialContext, Roots: roots, Clock: clock}
	return s
}

func (s *server) client() *lieutenant.Client {
	return lieutenant.New(s.network, s.http.URL, token(canary))
}

// token is valid for everybody.
type token string

func (token) SignIn(context.Context, func(context.Context, string) error) error { return nil }
func (t token) Token(context.Context) (string, error)                           { return string(t), nil }

func (s *server) next(request string, status int, body string) {
	s.overrides = append(s.overrides, override{request: request, status: status, body: body})
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
	for i, o := range s.overrides {
		if o.request == r.Method+" "+r.URL.Path {
			s.overrides = append(s.overrides[:i], s.overrides[i+1:]...)
			if o.after {
				s.serve(httptest.NewRecorder(), r, body)
			}
			o.write(w)
			return
		}
	}
	s.serve(w, r, body)
}

func (o override) write(w http.ResponseWriter) {
	if o.strange {
		w.Header().Set("X-Strange", "yes")
	}
	if o.header != "" {
		name, value, _ := strings.Cut(o.header, ": ")
		w.Header().Set(name, value)
	}
	say(w, max(o.status, http.StatusOK), o.body)
}

func (s *server) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	id := strings.TrimPrefix(r.URL.Path, "/clusters/")
	switch {
	case r.URL.Path == "/":
		say(w, 200, `{"apiVersion": "v0.12.0", "oidc": {"discoveryUrl": "https://id.example.net/realms/prod/.well-known/openid-configuration",
			"clientId": "lieutenant"}, "vault": {"addr": "https://vault.example.net", "loginMethod": "oidc"}}`)
	case !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer "):
		refuse(w, 400, "missing or malformed jwt")
	case r.URL.Path == "/tenants":
		say(w, 200, `[{"id": "t-one", "displayName": "One"}, {"id": "t-two"}]`)
	case r.URL.Path == "/tenants/t-one":
		say(w, 200, `{"id": "t-one", "displayName": "One", "annotations": {"a": 1}, "gitRepo": {"url": "ssh://git@git.example.net/t-one.git",
			"revision": "main", "hostKeys": "git.example.net ssh-ed25519 AAAA", "type": "auto"}}`)
	case r.Method == http.MethodPost && r.URL.Path == "/clusters":
		s.post(w, body)
	case r.Method == http.MethodGet && r.URL.Path == "/clusters":
		answer(w, 200, s.list(r.URL.Query().Get("tenant")))
	case s.clusters[id] == nil:
		refuse(w, 404, fmt.Sprintf("clusters.syn.tools '%s' not found", id))
	case r.Method == http.MethodGet:
		s.get(w, id)
	case r.Method == http.MethodPatch:
		s.patch(w, id, body)
	case r.Method == http.MethodDelete:
		s.clusters[id]["deleted"] = true
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *server) list(tenant string) []map[string]any {
	list := []map[string]any{}
	for _, cluster := range s.clusters {
		if tenant == "" || cluster["tenant"] == tenant {
			list = append(list, cluster)
		}
	}
	return list
}

// post responds before the operator has created the repository.
func (s *server) post(w http.ResponseWriter, body []byte) {
	var cluster map[string]any
	if err := json.Unmarshal(body, &cluster); err != nil || cluster["tenant"] == nil {
		refuse(w, 400, "tenant is required")
		return
	}
	id := cluster["id"].(string)
	if s.clusters[id] != nil {
		refuse(w, 409, fmt.Sprintf("clusters.syn.tools '%s' already exists", id))
		return
	}
	facts, _ := cluster["facts"].(map[string]any)
	cluster["facts"] = with(facts, map[string]any{"lieutenant-instance": "test"})
	cluster["annotations"] = map[string]any{"syn.tools/protected-delete": "true"}
	s.clusters[id] = cluster
	answer(w, 201, cluster)
}

func with(old, more map[string]any) map[string]any {
	merged := map[string]any{}
	maps.Copy(merged, old)
	maps.Copy(merged, more)
	return merged
}

// get runs the operator, once per request.
func (s *server) get(w http.ResponseWriter, id string) {
	cluster := s.clusters[id]
	s.looks[id]++
	protected := cluster["annotations"].(map[string]any)["syn.tools/protected-delete"] != "false"
	switch {
	case cluster["deleted"] != nil && !protected && s.looks[id] > s.slow:
		delete(s.clusters, id)
		refuse(w, 404, "gone")
		return
	case s.looks[id] > s.slow && cluster["gitRepo"] == nil:
		cluster["gitRepo"] = map[string]any{"url": "ssh://git@git.example.net/" + id + ".git"}
		cluster["installURL"] = s.http.URL + "/install/steward.json?token=" + canary
	}
	answer(w, 200, without(cluster, "deleted"))
}

func without(cluster map[string]any, key string) map[string]any {
	rest := maps.Clone(cluster)
	delete(rest, key)
	return rest
}

// patch cannot remove anything, and accepts known fields only.
func (s *server) patch(w http.ResponseWriter, id string, body []byte) {
	var change map[string]any
	_ = json.Unmarshal(body, &change)
	for field, value := range change {
		switch field {
		case "facts", "dynamicFacts", "annotations":
			old, _ := s.clusters[id][field].(map[string]any)
			s.clusters[id][field] = with(old, value.(map[string]any))
		case "displayName":
			s.clusters[id][field] = value
		default:
			refuse(w, 400, "code=400, message=json: unknown field '"+field+"'")
			return
		}
	}
	answer(w, 200, without(s.clusters[id], "deleted"))
}

// changes returns all requests except reads.
func (s *server) changes() (changes []string) {
	for _, request := range s.requests {
		if !strings.HasPrefix(request, "GET ") {
			changes = append(changes, request)
		}
	}
	return changes
}

func say(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func answer(w http.ResponseWriter, status int, value any) {
	content, _ := json.Marshal(value)
	say(w, status, string(content))
}

func refuse(w http.ResponseWriter, status int, reason string) {
	answer(w, status, map[string]string{"reason": reason})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checkFault checks kind and message, and that no secret is in the error.
func checkFault(t *testing.T, name string, err error, kind fault.Kind, says ...string) {
	t.Helper()
	if !fault.Is(err, kind) || err == nil {
		t.Errorf("%s: kind %d, want %d: %v", name, fault.KindOf(err), kind, err)
		return
	}
	text := err.Error() + "\n" + fault.HintOf(err)
	for _, words := range says {
		if !strings.Contains(text, words) {
			t.Errorf("%s: no word of %q in %s", name, words, text)
		}
	}
	if fault.HintOf(err) == "" || strings.Contains(text, canary) || strings.Contains(text, "\x1b") || len(text) > 2000 {
		t.Errorf("%s: %q", name, text)
	}
}
