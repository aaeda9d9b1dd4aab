package vault

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
)

// serveKV answers requests below the mount: <mount>/<part>/<path of the secret>.
func (v *Vault) serveKV(r request) (reply, error) {
	rest, ok := strings.CutPrefix(r.path, v.config.Mount+"/")
	if !ok {
		return reply{}, noRoute(r.path)
	}
	part, path, _ := strings.Cut(rest, "/")
	_, exists := v.secrets.Get(path)
	operation := r.operation(exists)
	if !v.allowed(r.token, r.path, operation) {
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
	return reply{}, noRoute(r.path)
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
		return reply{}, v.change(path, func(s secret) secret { return s.softDeleted([]int{s.Current}, v.config.Now()) })
	}
	return reply{}, errMethod
}

// read answers a version. One that is deleted is not found, with what is known about it.
func (v *Vault) read(r request, path string) (reply, error) {
	number := 0
	if asked := r.URL.Query().Get("version"); asked != "" {
		var err error
		if number, err = strconv.Atoi(asked); err != nil {
			return reply{}, refuse(http.StatusBadRequest, "Field validation failed: error converting input %q for field \"version\"", asked)
		}
	}
	s, _ := v.secrets.Get(path)
	e, ok := s.version(number)
	if !ok {
		return reply{}, errNothing
	}
	answer := data("kv", map[string]any{"data": e.Data, "metadata": s.metadata(e)})
	if e.gone(v.config.Now()) {
		answer = data("kv", map[string]any{"data": nil, "metadata": s.metadata(e)})
		answer.status = http.StatusNotFound
	}
	return answer, nil
}

// written is the body of a write.
type written struct {
	Data    map[string]any `json:"data"`
	Options struct {
		CAS *int `json:"cas"`
	} `json:"options"`
}

// may applies check-and-set: 0 is a secret that was never there, and one that is deleted was.
func (b written) may(s secret) error {
	switch {
	case b.Data == nil:
		return refuse(http.StatusBadRequest, "no data provided")
	case b.Options.CAS == nil && s.CASRequired:
		return refuse(http.StatusBadRequest, "check-and-set parameter required for this call")
	case b.Options.CAS != nil && *b.Options.CAS != s.Current:
		return refuse(http.StatusBadRequest, "check-and-set parameter did not match the current version")
	}
	return nil
}

func (v *Vault) write(r request, path string) (reply, error) {
	if path == "" {
		return reply{}, errMethod
	}
	var body written
	if err := r.decode(&body); err != nil {
		return reply{}, err
	}
	s, _ := v.secrets.Get(path)
	if err := body.may(s); err != nil {
		return reply{}, err
	}
	s.Path = path
	return v.add(s, body.Data)
}

// add makes a new version.
func (v *Vault) add(s secret, values map[string]any) (reply, error) {
	s = s.with(values, v.config.Now())
	newest, _ := s.version(0)
	return data("kv", s.metadata(newest)), v.secrets.Put(s.Path, s)
}

// patch makes a new version of the newest one, by the rules of a JSON merge patch.
func (v *Vault) patch(r request, path string) (reply, error) {
	if !r.mergePatch() {
		return reply{}, refuse(http.StatusUnsupportedMediaType, "PATCH requires Content-Type \"application/merge-patch+json\"")
	}
	var body written
	if err := r.decode(&body); err != nil {
		return reply{}, err
	}
	s, ok := v.secrets.Get(path)
	held, readable := s.readable(v.config.Now())
	if !ok || !readable {
		return v.read(r, path)
	}
	if err := body.may(s); err != nil {
		return reply{}, err
	}
	return v.add(s, merged(held, body.Data))
}

// merged returns values with a merge patch applied: null removes, objects merge, everything else replaces.
func merged(values, patch map[string]any) map[string]any {
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
			result[key] = merged(old, deeper)
		default:
			result[key] = value
		}
	}
	return result
}

// change replaces a secret if it exists.
func (v *Vault) change(path string, change func(secret) secret) error {
	s, ok := v.secrets.Get(path)
	if !ok {
		return nil
	}
	return v.secrets.Put(path, change(s))
}
