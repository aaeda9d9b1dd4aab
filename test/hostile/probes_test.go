package hostile_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe"
	"exoshift/wizard/reach/probe/connection"
)

// probes are the checks that speak HTTP: of registries, of a release, of the update service, and of everything else that an
// installation needs to reach. What a check finds is no failure of a call, but evidence, which is held to the same.
func probes() []client {
	var rows []client
	for _, kind := range []string{"https", "registry", "release", "acme", "graph", "vault", "lieutenant", "oidc", "s3"} {
		rows = append(rows, client{
			name: "check by " + kind, host: "service.example.org", limit: 16 << 20, evidence: true,
			large: anyKind, slow: anyKind, forged: anyKind, led: anyKind, page: anyKind, garbled: anyKind,
			refusal: words(`{"errors": [{"code": %[1]s, "message": %[1]s}], "message": %[1]s}`),
			call: func(t *testing.T, w *world) error {
				prober, err := probe.New(w.network, reach.Task{
					Distribution: "ocp", Version: "4.21.2", PullSecret: `{"auths": {"service.example.org": {"auth": "bm9ib2R5OmVoLXZlcnktc2VjcmV0LWNyZWRlbnRpYWw="}}}`,
				}, connection.DefaultLimits())
				must(t, err)
				found := prober.Probe(t.Context(), reach.Check{ID: "A-1", URL: kind + "://service.example.org/x", Severity: reach.Must})
				if found.Class == "" {
					return nil
				}
				return fmt.Errorf("the check finds %s: %v", found.Class, found.Evidence)
			},
		})
	}
	return rows
}

func TestProbes_HostileServers(t *testing.T) {
	if raced {
		t.Skip("runs without the race detector")
	}
	for _, c := range probes() {
		for _, a := range attacks() {
			t.Run(c.name+"/"+a.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { endure(t, c, a) })
			})
		}
	}
}
