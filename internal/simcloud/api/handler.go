package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
)

const maxBody = 1 << 20

// call is one authenticated request.
type call struct {
	request *http.Request
	zone    string // "" at api.exoscale.com, which serves only what belongs to the whole organization
	body    []byte
}

func (c *call) id() string { return c.request.PathValue("id") }

// field returns the last path segment of a call that resets a field.
func (c *call) field() string { return c.request.PathValue("field") }

func (c *call) query(name string) string { return c.request.URL.Query().Get(name) }

// action returns the part after the colon: "start" of "/instance/<id>:start".
func (c *call) action() string {
	path := c.request.URL.Path
	return path[strings.LastIndexByte(path, ':')+1:]
}

func (c *call) decode(into any) error {
	if err := json.Unmarshal(c.body, into); err != nil {
		return newInvalidError("request body: %v", err)
	}
	return nil
}

func (c *call) decodeOptional(into any) error {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return nil
	}
	return c.decode(into)
}

// handler serves a call; handlers run one at a time, under API.mu.
type handler func(*call) (any, error)

func (a *API) registerRoutes(register func(pattern string, h handler)) {
	for _, add := range []func(func(string, handler)){
		a.registerZoneRoutes, a.registerTypeRoutes, a.registerQuotaRoutes, a.registerOperationRoutes, a.registerKeyRoutes, a.groupRoutes, a.registerAntiAffinityRoutes,
		a.registerInstanceRoutes, a.registerTemplateRoutes, a.registerElasticIPRoutes, a.registerReverseRoutes, a.registerNetworkRoutes, a.registerDomainRoutes, a.registerIAMRoutes,
		a.registerOrganizationRoutes, a.registerStorageRoutes, a.registerTargetRoutes, a.registerPoolRoutes, a.registerBalancerRoutes, a.registerVolumeRoutes, a.registerVolumeCopyRoutes,
		a.registerSnapshotRoutes, a.registerEventRoutes,
	} {
		add(register)
	}
}

func (a *API) newMux() *http.ServeMux {
	mux := http.NewServeMux()
	a.registerRoutes(func(pattern string, h handler) {
		method, path, _ := strings.Cut(pattern, " ")
		if noun, alone := strings.CutSuffix(path, "/{id}"); alone && method == http.MethodGet {
			a.shows[strings.TrimPrefix(noun, "/")] = h
		}
		mux.HandleFunc(method+" /v2"+path, func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, pattern, h) })
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		a.writeResponse(w, nil, newAPIError(http.StatusNotFound, "Not Found"))
	})
	return mux
}

// ServeHTTP serves requests to api-<zone>.exoscale.com and api.exoscale.com. Requests to an IP address are for the configured
// zone.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.calls.Add(1)
	if !a.waitLatency(r.Context()) {
		return // the client closed the connection meanwhile
	}
	// "/instance/<id>:start" is an action on an instance; the mux matches whole segments only.
	if at := strings.LastIndexByte(r.URL.Path, '/'); at >= 0 && strings.Contains(r.URL.Path[at:], ":") {
		r = split(r, at)
	}
	a.mux.ServeHTTP(w, r)
}

func split(r *http.Request, at int) *http.Request {
	changed := r.Clone(context.WithValue(r.Context(), signedPath{}, r.URL.EscapedPath()))
	changed.URL.Path = r.URL.Path[:at] + strings.Replace(r.URL.Path[at:], ":", "/:", 1)
	changed.URL.RawPath = ""
	return changed
}

func (a *API) serve(w http.ResponseWriter, r *http.Request, pattern string, h handler) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		a.writeResponse(w, nil, newAPIError(http.StatusRequestEntityTooLarge, "request body: %v", err))
		return
	}
	zone, err := a.findZone(r.Host)
	if err != nil {
		a.writeResponse(w, nil, err)
		return
	}
	result, err := a.handle(&call{request: r, zone: zone, body: body}, pattern, h)
	a.writeResponse(w, result, err)
}

func (a *API) handle(c *call, pattern string, h handler) (any, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.runDueTasks(); err != nil {
		return nil, err
	}
	if pattern != anonymous {
		if err := a.checkAuthorization(c, pattern); err != nil {
			return nil, err
		}
	}
	result, err := h(c)
	if c.request.Method != http.MethodGet {
		if fault := a.recordEvent(c, pattern, err); fault != nil {
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
	if !slices.Contains(listZoneNames(), zone) {
		return "", newAPIError(http.StatusNotFound, "no such zone: %s", host)
	}
	return zone, nil
}

func (a *API) writeResponse(w http.ResponseWriter, result any, err error) {
	status := http.StatusOK
	if err != nil {
		r := toAPIError(err)
		if status, result = r.Status, r; a.config.Problems {
			result = r.toProblem()
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
