package reach

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCustomerChecks_IDFromAddress(t *testing.T) {
	spec := demo()
	spec.Checks.Endpoints = []string{"tcp://10.9.0.5:5000", "registry.example.net", "https://registry.example.net:443/"}
	own := slices.DeleteFunc(choose(t, Scope{Spec: spec, Partial: true}), func(c Check) bool { return c.Group != Customer })
	if len(own) != 2 {
		t.Fatalf("%d checks: %+v", len(own), own)
	}
	want := Check{ID: "NET-CUS-D21A93", Title: "10.9.0.5:5000", Group: "customer", URL: "tcp://10.9.0.5:5000", From: []string{"nodes"}, Phase: "bootstrap",
		Owner: "customer", Severity: Must, Reason: "Added in the answers: the cluster must reach it."}
	if diff := cmp.Diff(want, own[0]); diff != "" {
		t.Error(diff)
	}
	slices.Reverse(spec.Checks.Endpoints)
	again := choose(t, Scope{Spec: spec})
	if check, _ := has(again, own[0].ID); check.URL != own[0].URL {
		t.Errorf("in another order, %s is %q", own[0].ID, check.URL)
	}
}

func TestCustomerIDs_LengthenedOnCollision(t *testing.T) {
	first := map[string]string{}
	for i := range 100000 {
		address := fmt.Sprintf("tcp://10.9.0.5:%d", i)
		if i > 65535 {
			address = fmt.Sprintf("tcp://10.9.0.6:%d", i-65535)
		}
		other, same := first[generateCustomerID(address, 3)]
		if first[generateCustomerID(address, 3)] = address; !same {
			continue
		}
		ids := generateCustomerIDs([]string{other, address, "https://example.net"})
		if ids[0] == ids[1] || len(ids[0]) != len("NET-CUS-")+16 || len(ids[2]) != len("NET-CUS-")+6 {
			t.Errorf("%v", ids)
		}
		return
	}
	t.Error("no two addresses have the same short ID")
}

func TestSelectChecks_LocatesInvalidEndpoints(t *testing.T) {
	spec := demo()
	spec.Checks.Endpoints = []string{"example.net", "tcp://example.net"}
	if _, err := SelectChecks(nil, Scope{Spec: spec}); err == nil || !strings.Contains(err.Error(), "checks.endpoints[1]: the port is missing") {
		t.Error(err)
	}
	spec.Checks.Endpoints = slices.Repeat([]string{"example.net"}, MaxEndpoints+1)
	if _, err := SelectChecks(nil, Scope{Spec: spec}); err == nil || !strings.Contains(err.Error(), "501") {
		t.Error(err)
	}
}
