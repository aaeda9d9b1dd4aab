package simcloud

import (
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/assets"
	"exoshift/state"
	"exoshift/wizard/reach"
	prober "exoshift/wizard/reach/probe"
	"exoshift/wizard/reach/probe/connection"
)

// task is every check of the catalogue except those of a complete cluster and those that need machines.
func (o *operator) task(version string) reach.Task {
	o.t.Helper()
	catalogue, err := assets.ReadEndpoints()
	o.must(err)
	spec := state.Default()
	spec.Cluster.ID, spec.Cluster.BaseDomain = "c-1", "example.net"
	spec.Exoscale.Zone, spec.OpenShift.Version = region, version
	spec.Syn.LieutenantURL = "https://api.syn.vshn.net"
	scope := reach.Scope{Spec: spec}
	scope.Discovery, err = reach.Discover(o.t.Context(), o.Network(), spec.Syn.LieutenantURL)
	o.must(err)
	okd := strings.Contains(version, "-okd-")
	for _, endpoint := range catalogue {
		unasked := endpoint.Group == "cluster" && endpoint.ID != "NET-CLU-010" || strings.Contains(endpoint.URL, "169.254.") || endpoint.ID == "NET-EXO-007"
		if !unasked && okd == (endpoint.ID == "NET-3RD-020") || okd && endpoint.ID == "NET-RH-001" {
			scope.Only = append(scope.Only, endpoint.ID)
		}
	}
	checks, err := reach.SelectChecks(catalogue, scope)
	o.must(err)
	for i, check := range checks {
		address, _, _ := strings.Cut(check.URL, "#") // the pin is of the real host
		host := strings.TrimSuffix(strings.TrimPrefix(address, "ssh://"), ":22")
		if key, pinned := o.Network().HostKeys[host]; pinned {
			checks[i].URL = address + "#" + url.PathEscape(key)
		}
	}
	return reach.Task{Checks: checks, Distribution: "ocp", Version: version, PullSecret: `{"auths":{"quay.io":{"auth":"aWQ6cGFzcw=="},` +
		`"registry.redhat.io":{"auth":"aWQ6cGFzcw=="},"registry.connect.redhat.com":{"auth":"aWQ6cGFzcw=="},"cp.icr.io":{"auth":"aWQ6cGFzcw=="}}}`}
}

func TestZone_ServesEveryCatalogueService(t *testing.T) { synctest.Test(t, testCatalogueServices) }

func testCatalogueServices(t *testing.T) {
	o := open(t, Options{})
	defer o.close()
	for _, version := range []string{"4.20.5", "4.20.0-okd-scos.11"} {
		task := o.task(version)
		questions, err := prober.New(o.Network(), task, connection.DefaultLimits())
		o.must(err)
		report := reach.Run(t.Context(), task, questions, func(reach.Result) {})
		for _, result := range report.Results {
			if result.Verdict != reach.OK {
				t.Errorf("%s %s: %s %s %v %s", result.ID, result.Target, result.Verdict, result.Class, result.Evidence, result.Hint)
			}
		}
	}
}
