package main

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

// privatePool has workers in a pool, other nodes by themselves, and a private network.
func privatePool(spec *state.Spec) {
	workerPool(spec)
	spec.Network.PrivateNetwork = "172.18.200.0/24"
}

// requirePrivate requires that all nodes but the masters have an interface on the private network, and a public address as that of their node.
func requirePrivate(t *testing.T, s run.Run) (network string) {
	t.Helper()
	b := backdoor{t, s}
	network = b.id("/private-network", "private-networks", "name", "c-demo-1_private")
	attached := map[string]bool{}
	for _, machine := range b.list("/instance", "instances") {
		name := machine["name"].(string)
		networks := machine["private-networks"].([]any)
		attached[name] = len(networks) > 0
		if len(networks) > 1 || len(networks) == 1 && networks[0].(map[string]any)["id"] != network {
			t.Errorf("%s is in %v", name, networks)
		}
	}
	for _, node := range listNodes(t, s) {
		if len(node.Differs())+len(node.Findings()) > 0 {
			t.Errorf("%s: %v, %v", node.Name, node.Differs(), node.Findings())
		}
		if attached[node.Name] != (node.Role != state.RoleMaster) {
			t.Errorf("%s is in the private network: %v", node.Name, attached[node.Name])
		}
		if node.Node.Address != node.Machine.Address {
			t.Errorf("%s has the address %s, and its machine %s", node.Name, node.Node.Address, node.Machine.Address)
		}
	}
	return network
}

// TestPrivateNetwork_InstalledAndDestroyed: machines of pools and others are attached, and stay so; what somebody detaches is attached again.
func TestPrivateNetwork_InstalledAndDestroyed(t *testing.T) {
	long(t)
	t.Parallel()
	virtuallyIn(t, circumstances{spec: privatePool}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		before := belongings(t, s)
		installed(t, s)
		network := requirePrivate(t, s)
		b := backdoor{t, s}
		live := b.ask(http.MethodGet, "/private-network/"+network, nil)
		delete(live, "id")
		delete(live, "vni")
		if want := map[string]any{"name": "c-demo-1_private", "description": "private network of cluster c-demo-1", "netmask": "255.255.255.0", "start-ip": "172.18.200.64",
			"end-ip": "172.18.200.254", "labels": map[string]any{state.LabelCluster: "c-demo-1"}}; !maps.EqualFunc(live, want, func(a, b any) bool {
			inner, nested := a.(map[string]any)
			return nested && maps.Equal(inner, b.(map[string]any)) || !nested && a == b
		}) {
			t.Errorf("the network is %v", live)
		}
		if status, answer := b.try(http.MethodDelete, "/private-network/"+network, nil); status != http.StatusConflict {
			t.Errorf("a network in use is deleted: %d %v", status, answer)
		}
		for _, name := range []string{"infra-0", machineNames(checkPool(t, s, 3), state.RoleWorker)[0]} {
			b.ask(http.MethodPut, "/private-network/"+network+":detach", map[string]any{"instance": map[string]any{"id": b.id("/instance", "instances", "name", name)}})
		}
		b.ask(http.MethodDelete, "/instance-pool/"+b.id("/instance-pool", "instance-pools", "name", "c-demo-1_worker")+"/private-networks", nil)
		differing := 0
		for _, node := range listNodes(t, s) {
			if slices.Contains(node.Differs(), "it is not in the private network") {
				differing++
			}
		}
		preview, err := s.Preview(t.Context())
		if pending := preview.ListPending(); err != nil || differing != 2 || len(pending) != 3 {
			t.Errorf("%d differ, the plan is %v: %v", differing, pending, err)
		}
		installed(t, s)
		requirePrivate(t, s)
		if pool := b.list("/instance-pool", "instance-pools")[0]; len(pool["private-networks"].([]any)) != 1 {
			t.Errorf("the pool is in %v", pool["private-networks"])
		}
		keptAndDestroyed(t, s, zone, before)
	})
}

// TestPrivateNetwork_Verbs: what is added and replaced is attached, and a router of somebody else's in the network is refused.
func TestPrivateNetwork_Verbs(t *testing.T) {
	long(t)
	t.Parallel()
	virtuallyIn(t, circumstances{spec: privatePool}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		installed(t, s)
		for _, group := range []string{"infra", "workers"} {
			if _, err := addNodes(t, s, group, 1, false); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"infra-1", machineNames(checkPool(t, s, 4), state.RoleWorker)[0]} {
			if _, err := replaceNodes(t, s, appnodes.Removal{Names: []string{name}, Force: true, DeleteEmptyDir: true}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := resizeNodes(t, s, appnodes.Size{Group: "infra", Type: "standard.huge"}, appnodes.Removal{Parallel: 2, Force: true, DeleteEmptyDir: true}, nil); err != nil {
			t.Fatal(err)
		}
		network := requirePrivate(t, s)
		backdoor{t, s}.ask(http.MethodPut, "/private-network/"+network, map[string]any{"options": map[string]any{"routers": []string{"172.18.200.1"}}})
		passTime(t, s, time.Minute)
		if _, err := addNodes(t, s, "infra", 1, false); err == nil || !strings.Contains(err.Error(), "its DHCP names the router 172.18.200.1") {
			t.Errorf("with a router: exit code %d: %v", exit.Code(err), err)
		}
	})
}
