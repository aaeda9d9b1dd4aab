package api

import (
	"net/http"
	"slices"
	"strings"

	"exoshift/internal/simcloud/api/iam"
	"exoshift/internal/simcloud/api/rest"
	"exoshift/internal/simcloud/store"
)

// Patterns returns all routes, sorted.
func Patterns() []string {
	a, err := New(Config{DB: store.NewMemory()})
	if err != nil {
		return nil
	}
	defer a.Close()
	var list []string
	a.registerRoutes(func(pattern string, _ rest.Handler) { list = append(list, pattern) })
	slices.Sort(list)
	return list
}

// OperationNames returns the routes' names in policies.
func OperationNames() map[string]string {
	names, operations := map[string]string{}, iam.LoadOperations()
	for _, pattern := range Patterns() {
		_, names[pattern] = operations.Lookup(pattern)
	}
	return names
}

// PatternOf returns the route of a request.
func (a *API) PatternOf(r *http.Request) string {
	if at := strings.LastIndexByte(r.URL.Path, '/'); at >= 0 && strings.Contains(r.URL.Path[at:], ":") {
		r = split(r, at)
	}
	_, pattern := a.mux.Handler(r)
	return strings.Replace(pattern, " /v2", " ", 1)
}
