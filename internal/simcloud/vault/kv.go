package vault

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"exoshift/internal/simcloud/store"
)

// Secrets is the KV store, of version 2.
type Secrets struct {
	now   func() time.Time
	mu    sync.Mutex // guards the consistency of the table
	table *store.Table[secret]
}

// serve serves a request to "<mount>/<part>/<path>", which the policies allow.
func (k *Secrets) serve(r request, part, path, operation string) (reply, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch part {
	case "data":
		return k.serveData(r, path, operation)
	case "metadata":
		return k.serveMetadata(r, path, operation)
	case "delete", "undelete", "destroy":
		return k.serveVersions(r, part, path)
	}
	return reply{}, newNoRoute(r.path)
}

func (k *Secrets) serveData(r request, path, operation string) (reply, error) {
	switch operation {
	case "read":
		return k.read(r, path)
	case "create", "update":
		return k.write(r, path)
	case "patch":
		return k.patch(r, path)
	case "delete":
		return reply{}, k.updateSecret(path, func(s secret) secret { return s.withDeleted([]int{s.Current}, k.now()) })
	}
	return reply{}, errMethod
}

// read returns a version. A deleted one is a 404 with its metadata.
func (k *Secrets) read(r request, path string) (reply, error) {
	number := 0
	if asked := r.URL.Query().Get("version"); asked != "" {
		var err error
		if number, err = strconv.Atoi(asked); err != nil {
			return reply{}, newAPIError(http.StatusBadRequest, "Field validation failed: error converting input %q for field \"version\"", asked)
		}
	}
	s, _ := k.table.Get(path)
	e, ok := s.findVersion(number)
	if !ok {
		return reply{}, errNotFound
	}
	answer := newDataReply("kv", map[string]any{"data": e.Data, "metadata": s.renderMetadata(e)})
	if e.isDeleted(k.now()) {
		answer = newDataReply("kv", map[string]any{"data": nil, "metadata": s.renderMetadata(e)})
		answer.status = http.StatusNotFound
	}
	return answer, nil
}

type writeRequest struct {
	Data    givenData `json:"data"`
	Options struct {
		CAS *casVersion `json:"cas"`
	} `json:"options"`
}

// givenData distinguishes null, which makes a version without data, from nothing.
type givenData struct {
	given  bool
	values map[string]any
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *givenData) UnmarshalJSON(content []byte) error {
	d.given = true
	return json.Unmarshal(content, &d.values) // numbers beyond 2^53 lose digits
}

// casVersion is a number, or a string of one.
type casVersion int

// UnmarshalJSON implements json.Unmarshaler.
func (c *casVersion) UnmarshalJSON(content []byte) error {
	number, err := strconv.Atoi(strings.Trim(string(content), `"`))
	*c = casVersion(number)
	return err
}

// checkAndSet applies check-and-set: 0 requires a secret that never existed; a deleted one did.
func (b writeRequest) checkAndSet(s secret) error {
	switch {
	case !b.Data.given:
		return newAPIError(http.StatusBadRequest, "no data provided")
	case b.Options.CAS == nil && s.CASRequired:
		return newAPIError(http.StatusBadRequest, "check-and-set parameter required for this call")
	case b.Options.CAS != nil && int(*b.Options.CAS) != s.Current:
		return newAPIError(http.StatusBadRequest, "check-and-set parameter did not match the current version")
	}
	return nil
}

func (k *Secrets) write(r request, path string) (reply, error) {
	switch {
	case path == "":
		return reply{}, errMethod
	case strings.HasSuffix(path, "/"):
		return reply{}, newAPIError(http.StatusBadRequest, "cannot write to a path ending in '/'")
	}
	var body writeRequest
	if err := r.decode(&body); err != nil {
		return reply{}, err
	}
	s, _ := k.table.Get(path)
	if err := body.checkAndSet(s); err != nil {
		return reply{}, err
	}
	s.Path = path
	return k.add(s, body.Data.values)
}

func (k *Secrets) add(s secret, values map[string]any) (reply, error) {
	s = s.with(values, k.now())
	newest, _ := s.findVersion(0)
	return newDataReply("kv", s.renderMetadata(newest)), k.table.Put(s.Path, s)
}

func (k *Secrets) patch(r request, path string) (reply, error) {
	if !r.mergePatch() {
		return reply{}, newAPIError(http.StatusUnsupportedMediaType, "PATCH requires Content-Type \"application/merge-patch+json\"")
	}
	var body writeRequest
	if err := r.decode(&body); err != nil {
		return reply{}, err
	}
	s, ok := k.table.Get(path)
	held, readable := s.getData(k.now())
	if !ok || !readable {
		return k.read(r, path)
	}
	if err := body.checkAndSet(s); err != nil {
		return reply{}, err
	}
	return k.add(s, applyMergePatch(held, body.Data.values))
}

// applyMergePatch: null removes, objects merge, everything else replaces.
func applyMergePatch(values, patch map[string]any) map[string]any {
	result := maps.Clone(values)
	if result == nil {
		result = map[string]any{}
	}
	for key, value := range patch {
		deeper, isObject := value.(map[string]any)
		old, _ := result[key].(map[string]any)
		switch {
		case value == nil:
			delete(result, key)
		case isObject:
			result[key] = applyMergePatch(old, deeper)
		default:
			result[key] = value
		}
	}
	return result
}

func (k *Secrets) updateSecret(path string, change func(secret) secret) error {
	s, ok := k.table.Get(path)
	if !ok {
		return nil
	}
	return k.table.Put(path, change(s))
}
