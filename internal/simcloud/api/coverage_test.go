package api_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/api/description"
)

// official is the official description, parsed once.
var official = sync.OnceValues(description.Load)

// served holds the patterns of successful calls.
var served sync.Map

// TestMain requires that the tests together call every route, so that each is validated against the description.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" {
		for _, pattern := range api.Patterns() {
			if _, ok := served.Load(pattern); !ok {
				fmt.Fprintf(os.Stderr, "no test called this route with success: %s\n", pattern)
				code = 1
			}
		}
	}
	os.Exit(code)
}

// validated returns the API wrapped in a validator of the official description.
func (w world) validated() http.Handler {
	described, err := official()
	w.must(err)
	return described.Validate(noted{w.api}, func(err error) { w.Error(err) })
}

// noted records the patterns of successful calls.
type noted struct{ api *api.API }

func (n noted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	watch := &status{ResponseWriter: w}
	n.api.ServeHTTP(watch, r)
	if watch.code == http.StatusOK {
		served.Store(n.api.PatternOf(r), true)
	}
}

type status struct {
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

func TestRoutes_MatchDescription(t *testing.T) {
	described, err := official()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, name := range described.ListOperations() {
		known[name] = true
	}
	for pattern, name := range api.OperationNames() {
		if !known[name] {
			t.Errorf("%s is %q, which is not in the description", pattern, name)
		}
	}
	if list := api.Patterns(); len(list) < 80 || !slices.IsSorted(list) {
		t.Errorf("%d routes: %v", len(list), list)
	}
}
