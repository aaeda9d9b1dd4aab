package openshift_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/simcloud/kube/apiserver"
)

func TestPoll_LongListInPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		const count = 501
		for n := range count {
			r.put(t, "nodes", "", named(fmt.Sprintf("worker-%03d", n)))
		}
		got := r.observe(t).Nodes
		if len(got) != count {
			t.Fatalf("%d nodes", len(got))
		}
		for n, node := range got {
			if want := fmt.Sprintf("worker-%03d", n); node.Name != want {
				t.Fatalf("node %d is %s, not %s", n, node.Name, want)
			}
		}
		if asked := r.CountRequests()["list v1/nodes"]; asked != 3 {
			t.Errorf("%d requests for 501 nodes in pages of 250", asked)
		}
	})
}

func TestPoll_EndlessListEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.instead = func(w http.ResponseWriter, request *http.Request, server *apiserver.Server) {
			if !strings.HasSuffix(request.URL.Path, "/nodes") {
				server.ServeHTTP(w, request)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"kind":"NodeList","apiVersion":"v1","metadata":{"continue":"more"},"items":[]}`)
		}
		if _, err := r.Poll(t.Context(), r.bootstrap, r.expected); err == nil || !strings.Contains(err.Error(), "more than 100000") {
			t.Errorf("error %v", err)
		}
	})
}
