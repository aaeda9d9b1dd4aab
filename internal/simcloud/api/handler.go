package api

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/api/iam"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
	"exoshift/internal/simcloud/api/storage"
)

const (
	maxBody = 1 << 20
	// anonymous is the one call that newer clients make without a signature.
	anonymous = "GET /zone"
)

func (a *API) registerRoutes(register rest.Register) {
	registerZoneRoutes(register)
	a.store.Quotas.RegisterRoutes(register)
	a.store.RegisterRoutes(register)
	a.compute.RegisterRoutes(register)
	a.networking.RegisterRoutes(register)
	if a.config.NoBlockStorage {
		a.volumes.RegisterRoutes(storage.RefuseRequests(register))
	} else {
		a.volumes.RegisterRoutes(register)
	}
	a.buckets.RegisterRoutes(register)
	a.domains.RegisterRoutes(register)
	a.iam.RegisterRoutes(register)
	a.audit.registerRoutes(register)
}

func (a *API) newMux() *http.ServeMux {
	mux := http.NewServeMux()
	a.registerRoutes(func(pattern string, h rest.Handler) {
		method, path, _ := strings.Cut(pattern, " ")
		if noun, alone := strings.CutSuffix(path, "/{id}"); alone && method == http.MethodGet {
			a.iam.Show(strings.TrimPrefix(noun, "/"), h)
		}
		mux.HandleFunc(method+" /v2"+path, func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, pattern, h) })
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		a.writeResponse(w, nil, rest.Errorf(http.StatusNotFound, "Not Found"))
	})
	return mux
}

// ServeHTTP serves requests to api-<zone>.exoscale.com and api.exoscale.com. Requests to an IP address are for the configured
// zone.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.calls.Add(1)
	if !a.waitLatency(r) {
		return // the client closed the connection meanwhile
	}
	// "/instance/<id>:start" is an action on an instance; the mux matches whole segments only.
	if at := strings.LastIndexByte(r.URL.Path, '/'); at >= 0 && strings.Contains(r.URL.Path[at:], ":") {
		r = split(r, at)
	}
	a.mux.ServeHTTP(w, r)
}

func split(r *http.Request, at int) *http.Request {
	changed := r.Clone(iam.WithSignedPath(r.Context(), r.URL.EscapedPath()))
	changed.URL.Path = r.URL.Path[:at] + strings.Replace(r.URL.Path[at:], ":", "/:", 1)
	changed.URL.RawPath = ""
	return changed
}

func (a *API) serve(w http.ResponseWriter, r *http.Request, pattern string, h rest.Handler) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		a.writeResponse(w, nil, rest.Errorf(http.StatusRequestEntityTooLarge, "request body: %v", err))
		return
	}
	zone, err := a.findZone(r.Host)
	if err != nil {
		a.writeResponse(w, nil, err)
		return
	}
	result, err := a.handle(&rest.Request{Request: r, Zone: zone, Content: body}, pattern, h)
	a.writeResponse(w, result, err)
}

func (a *API) handle(req *rest.Request, pattern string, h rest.Handler) (any, error) {
	a.store.Lock()
	defer a.store.Unlock()
	if err := a.store.RunDueTasks(); err != nil {
		return nil, err
	}
	if pattern != anonymous {
		if err := a.iam.Check(req, pattern); err != nil {
			return nil, err
		}
	}
	result, err := h(req)
	if req.Method != http.MethodGet {
		if fault := a.audit.record(req, pattern, err); fault != nil {
			return nil, fault
		}
		if err == nil {
			a.mutations++
			a.notifyChanged()
		}
	}
	return result, err
}

func (a *API) findZone(host string) (string, error) {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "api.exoscale.com" {
		return "", nil
	}
	if net.ParseIP(strings.Trim(host, "[]")) != nil {
		return a.config.Zone, nil
	}
	zone := strings.TrimSuffix(strings.TrimPrefix(host, "api-"), ".exoscale.com")
	if !slices.Contains(resource.ZoneNames(), zone) {
		return "", rest.Errorf(http.StatusNotFound, "no such zone: %s", host)
	}
	return zone, nil
}

func (a *API) writeResponse(w http.ResponseWriter, result any, err error) {
	status := http.StatusOK
	if err != nil {
		r := rest.ToError(err)
		if status, result = r.Status, r; a.config.Problems {
			result = r.Problem()
		}
	}
	body, err := json.Marshal(result)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"message":"the answer has no JSON form"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client closed the connection
}

// waitLatency returns false if the request was canceled.
func (a *API) waitLatency(r *http.Request) bool {
	if a.config.Latency <= 0 {
		return true
	}
	timer := time.NewTimer(a.config.Latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
