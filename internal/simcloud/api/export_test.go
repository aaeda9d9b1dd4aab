package api

import (
	"net/http"
	"slices"
	"strings"
)

// Patterns returns all routes, sorted.
func Patterns() []string {
	var list []string
	(&API{}).registerRoutes(func(pattern string, _ handler) { list = append(list, pattern) })
	slices.Sort(list)
	return list
}

// OperationNames returns the routes' names in policies.
func OperationNames() map[string]string {
	names, operations := map[string]string{}, buildOperationNames()
	for _, pattern := range Patterns() {
		_, names[pattern] = lookupOperation(operations, pattern)
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
