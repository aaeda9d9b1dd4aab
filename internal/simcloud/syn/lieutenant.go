package syn

import (
	"errors"
	"net/http"
	"strings"
	"sync"

	"exoshift/internal/simcloud/server"
)

const (
	// lieutenantHost is Lieutenant's host.
	lieutenantHost = "api.syn.vshn.net"
	vaultHost      = "vault-prod.syn.vshn.net"
	apiVersion     = "v0.12.0"
	instanceFact   = "lieutenant-instance"
	instanceName   = "lieutenant-prod"
	jsonType       = "application/json; charset=UTF-8"
)

// Lieutenant is the API that Project Syn keeps tenants and clusters with.
type Lieutenant struct {
	mu       *sync.Mutex // serializes the requests
	operator *operator
	accounts *accounts
	signOn   *SignOn
	tenants  *tenantAPI
	clusters *clusterAPI
	accepted map[string]bool // tokens that this process has accepted; guarded by mu
}

// Handler returns the API.
func (l *Lieutenant) Handler() http.Handler {
	mux := http.NewServeMux()
	l.open(mux)
	for pattern, serve := range map[string]func(call) (int, any, error){
		"GET /tenants":                    l.tenants.list,
		"POST /tenants":                   l.tenants.create,
		"GET /tenants/{id}":               l.tenants.get,
		"PATCH /tenants/{id}":             l.tenants.patch,
		"PUT /tenants/{id}":               l.tenants.put,
		"DELETE /tenants/{id}":            l.tenants.delete,
		"GET /clusters":                   l.clusters.list,
		"POST /clusters":                  l.clusters.create,
		"GET /clusters/{id}":              l.clusters.get,
		"PATCH /clusters/{id}":            l.clusters.patch,
		"PUT /clusters/{id}":              l.clusters.put,
		"DELETE /clusters/{id}":           l.clusters.delete,
		"POST /clusters/{id}/compileMeta": l.clusters.compileMeta,
		"GET /inventory":                  serveNotImplemented,
		"POST /inventory":                 serveNotImplemented,
	} {
		mux.Handle(pattern, l.requireCaller(serve))
	}
	mux.HandleFunc("POST /clusters/{id}", func(w http.ResponseWriter, _ *http.Request) {
		writeReply(w, 0, nil, newAPIError(http.StatusNotFound, "method not allowed"))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		writeReply(w, 0, nil, newAPIError(http.StatusNotFound, "no matching operation was found"))
	})
	return trimSlash(mux)
}

func trimSlash(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if trimmed := strings.TrimRight(r.URL.Path, "/"); trimmed != "" && trimmed != r.URL.Path {
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = trimmed, ""
		}
		next.ServeHTTP(w, r)
	})
}

// open adds the endpoints without authentication.
func (l *Lieutenant) open(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		writeReply(w, http.StatusOK, map[string]any{
			"apiVersion": apiVersion,
			"oidc":       map[string]string{"clientId": lieutenantClient, "discoveryUrl": issuer + discoveryPath},
			"vault":      map[string]string{"addr": "https://" + vaultHost, "loginMethod": "oidc"},
		}, nil)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
		_, _ = w.Write([]byte("ok"))
	})
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		document, err := loadDescription()
		writeReply(w, http.StatusOK, document, err)
	})
	mux.HandleFunc("GET /docs", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html>\n<html><head><title>Swagger UI</title></head><body></body></html>\n"))
	})
	mux.HandleFunc("GET /install/steward.json", l.install)
}

func serveNotImplemented(call) (int, any, error) {
	return 0, nil, newAPIError(http.StatusInternalServerError, "Not implemented")
}

type call struct {
	caller caller
	id     string // in the path
	query  func(name string) string
	kind   string // of the body
	body   []byte
}

const maxBody = 1 << 20

// requireCaller authenticates, and serializes the requests.
func (l *Lieutenant) requireCaller(serve func(call) (int, any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, err := parseBearer(r)
		if err != nil {
			writeReply(w, 0, nil, err)
			return
		}
		body, err := readBody(w, r)
		if err != nil {
			writeReply(w, 0, nil, err)
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		who, err := l.authenticate(token, r.RemoteAddr)
		if err == nil {
			err = l.operator.reconcileAll()
		}
		if err != nil {
			writeReply(w, 0, nil, err)
			return
		}
		status, reply, err := serve(call{caller: who, id: r.PathValue("id"), query: r.URL.Query().Get, kind: r.Header.Get("Content-Type"), body: body})
		writeReply(w, status, reply, err)
	})
}

// writeReply writes JSON, or the reason of an error.
func writeReply(w http.ResponseWriter, status int, reply any, err error) {
	if err != nil {
		status, reply = http.StatusInternalServerError, map[string]string{"reason": err.Error()}
		var refused apiError
		if errors.As(err, &refused) {
			status = refused.status
		}
	}
	if reply == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", jsonType)
	server.WriteJSON(w, status, reply)
}
