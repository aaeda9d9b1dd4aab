package vault

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
)

func (v *Vault) serveKV(r request) (reply, error) {
	rest, ok := strings.CutPrefix(r.path, v.config.Mount+"/")
	if !ok {
		return reply{}, newNoRoute(r.path)
	}
	part, path, _ := strings.Cut(rest, "/")
	_, exists := v.secrets.Get(path)
	operation := r.getOperation(exists)
	if !v.isAllowed(r.token, r.path, operation) {
		return reply{}, errDenied
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch part {
	case "data":
		return v.serveData(r, path, operation)
	case "metadata":
		return v.serveMetadata(r, path, operation)
	case "delete", "undelete", "destroy":
		return v.serveVersions(r, part, path)
	}
	return reply{}, newNoRoute(r.path)
}

func (v *Vault) serveData(r request, path, operation string) (reply, error) {
	switch operation {
	case "read":
		return v.read(r, path)
	case "create", "update":
		return v.write(r, path)
	case "patch":
		return v.patch(r, path)
	case "delete":
		return reply{}, v.updateSecret(path, func(s secret) secret { return s.withDeleted([]int{s.Current}, v.config.Now()) })
	}
	return reply{}, errMethod
}

// read returns a version. A deleted one is a 404 with its metadata.
func (v *Vault) read(r request, path string) (reply, error) {
	number := 0
	if asked := r.URL.Query().Get("version"); asked != "" {
		var err error
		if number, err = strconv.Atoi(asked); err != nil {
			return reply{}, newAPIError(http.StatusBadRequest, "Field validation failed: error converting input %q for field \"version\"", asked)
		}
	}
	s, _ := v.secrets.Get(path)
	e, ok := s.findVersion(number)
	if !ok {
		return reply{}, errNotFound
	}
	answer := newDataReply("kv", map[string]any{"data": e.Data, "metadata": s.renderMetadata(e)})
	if e.isDeleted(v.config.Now()) {
		answer = newDataReply("kv", map[string]any{"data": nil, "metadata": s.renderMetadata(e)})
		answer.status = http.StatusNotFound
	}
	return answer, nil
}

type writeRequest struct {
	Data    map[string]any `json:"data"`
	Options struct {
		CAS *int `json:"cas"`
	} `json:"options"`
}

// checkAndSet applies check-and-set: 0 requires a secret that never existed; a deleted one did.
func (b writeRequest) checkAndSet(s secret) error {
	switch {
	case b.Data == nil:
		return newAPIError(http.StatusBadRequest, "no data provided")
	case b.Options.CAS == nil && s.CASRequired:
		return newAPIError(http.StatusBadRequest, "check-and-set parameter required for this call")
	case b.Options.CAS != nil && *b.Options.CAS != s.Current:
		return newAPIError(http.StatusBadRequest, "check-and-set parameter did not match the current version")
	}
	return nil
}

func (v *Vault) write(r request, path string) (reply, error) {
	if path == "" {
		return reply{}, errMethod
	}
	var body writeRequest
	if err := r.decode(&body); err != nil {
		return reply{}, err
	}
	s, _ := v.secrets.Get(path)
	if err := body.checkAndSet(s); err != nil {
		return reply{}, err
	}
	s.Path = path
	return v.add(s, body.Data)
}

func (v *Vault) add(s secret, values map[string]any) (reply, error) {
	s = s.with(values, v.config.Now())
	newest, _ := s.findVersion(0)
	return newDataReply("kv", s.renderMetadata(newest)), v.secrets.Put(s.Path, s)
}

func (v *Vault) patch(r request, path string) (reply, error) {
	if !r.mergePatch() {
		return reply{}, newAPIError(http.StatusUnsupportedMediaType, "PATCH requires Content-Type \"application/merge-patch+json\"")
	}
	var body writeRequest
	if err := r.decode(&body); err != nil {
		return reply{}, err
	}
	s, ok := v.secrets.Get(path)
	held, readable := s.getData(v.config.Now())
	if !ok || !readable {
		return v.read(r, path)
	}
	if err := body.checkAndSet(s); err != nil {
		return reply{}, err
	}
	return v.add(s, applyMergePatch(held, body.Data))
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

func (v *Vault) updateSecret(path string, change func(secret) secret) error {
	s, ok := v.secrets.Get(path)
	if !ok {
		return nil
	}
	return v.secrets.Put(path, change(s))
}
