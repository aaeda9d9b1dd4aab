package probe

import (
	"net/http"
	"testing"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

func TestProbe_CredentialsToTargetOnly(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		seen := map[string]string{}
		note := func(next string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				seen[r.Host+r.URL.Path] = r.Header.Get("Authorization")
				if next != "" {
					http.Redirect(w, r, next, http.StatusTemporaryRedirect)
				}
			}
		}
		mux := http.NewServeMux()
		mux.Handle("/a", note("/b"))
		mux.Handle("/b", note("https://cdn.example.org/c"))
		l.site(service, mux.ServeHTTP)
		l.names["cdn.example.org"] = []string{"203.0.113.2"}
		l.web("203.0.113.2:443", l.authority.issue(t, "cdn.example.org"), note(""))
		p, err := New(l.network, l.task, l.limits)
		must(t, err)
		to, err := connection.ParseTarget("https://"+service+"/a", getDefaultPort)
		must(t, err)
		a := connection.NewAttempt(p.deps, reach.Check{}, to)
		defer a.Close()
		header := http.Header{"Authorization": {"Bearer very-secret"}}
		answer, err := connection.Client{Attempt: a}.Fetch(t.Context(), connection.Call{URL: to.URL, Header: header}, http.StatusOK)
		must(t, err)
		if answer.By.Target.Host != "cdn.example.org" {
			t.Errorf("ended at %s", answer.By.Target.Host)
		}
		if seen[service+"/a"] == "" || seen[service+"/b"] == "" || seen["cdn.example.org/c"] != "" || len(seen) != 3 {
			t.Errorf("seen %q", seen)
		}
	})
}
