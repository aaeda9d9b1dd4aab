package main

import (
	"testing"

	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

// A run that ends between the nodes, which come first behind a proxy, and the bootstrap machine is gone on with: the masters without a
// bootstrap machine are no proof that the bootstrap is over.
func TestInstall_BehindProxyResumesBeforeBootstrap(t *testing.T) {
	long(t)
	spec := func(s *state.Spec) {
		s.OpenShift.Proxy = state.ProxySpec{HTTPS: "http://proxy.example.com:3128"}
		s.Checks.Skip = map[string]string{"NET-CLU-011": "this proxy is nobody's"}
	}
	virtuallyIn(t, circumstances{spec: spec}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		untilStep(t, s, "bootstrap-ignition")
		if known := facts(t, s); !known.NodesFirst || known.IsBootstrapped() {
			t.Errorf("after the masters: nodes first %t, bootstrapped %t", known.NodesFirst, known.IsBootstrapped())
		}
		installed(t, s)
		exceptedFromProxy(t, backdoor{t, s})
	})
}
