package kube

import (
	"strings"
	"testing"
)

// newService returns one of a type with ports, as it comes from JSON.
func newService(kind string, ports ...float64) Object {
	list := make([]any, len(ports))
	for i, port := range ports {
		list[i] = map[string]any{"port": port}
	}
	return Object{"metadata": map[string]any{"name": "web"}, "spec": map[string]any{"type": kind, "ports": list}}
}

func TestNodePorts_Assigned(t *testing.T) {
	first := newService("LoadBalancer", 80, 443)
	assign(t, nil, "shop", first)
	same := newService("NodePort", 80, 443)
	assign(t, []Object{first}, "shop", same) // they would get the same ones
	seen := map[int]bool{}
	for _, service := range []Object{first, same} {
		for _, port := range service.List("spec.ports") {
			number := port.GetInt("nodePort")
			if number < firstNodePort || number > lastNodePort || seen[number] {
				t.Errorf("port %v has the node port %d", port["port"], number)
			}
			seen[number] = true
		}
	}
	inside := newService("ClusterIP", 80)
	assign(t, nil, "shop", inside)
	if port := inside.List("spec.ports")[0]; port["nodePort"] != nil {
		t.Errorf("a Service inside of the cluster has the node port %v", port["nodePort"])
	}
}

func assign(t *testing.T, services []Object, namespace string, service Object) {
	t.Helper()
	if err := AssignNodePorts(services, namespace, service); err != nil {
		t.Fatal(err)
	}
}

func TestNodePorts_Refused(t *testing.T) {
	other := newService("NodePort", 80)
	assign(t, nil, "shop", other)
	other.Set("metadata.name", "other")
	for wanted, message := range map[float64]string{
		other.List("spec.ports")[0]["nodePort"].(float64): "provided port is already allocated",
		8080: "The range of valid ports is 30000-32767",
	} {
		service := newService("NodePort", 80)
		service.List("spec.ports")[0]["nodePort"] = wanted
		if err := AssignNodePorts([]Object{other}, "shop", service); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("node port %v: %v", wanted, err)
		}
	}
}

func TestNodePorts_HealthCheckOfLocal(t *testing.T) {
	before := newService("LoadBalancer", 80)
	before.Set("spec.externalTrafficPolicy", "Local")
	assign(t, nil, "shop", before)
	port := HealthCheckNodePort(before)
	if port < firstNodePort || port == before.List("spec.ports")[0].GetInt("nodePort") {
		t.Errorf("the port for health checks is %d of %v", port, before)
	}
	kept := newService("LoadBalancer", 80)
	kept.Set("spec.externalTrafficPolicy", "Local")
	if KeepNodePorts(before, kept); HealthCheckNodePort(kept) != port {
		t.Errorf("it was %d and is %d", port, HealthCheckNodePort(kept))
	}
	ended := before.Clone()
	ended.Set("spec.externalTrafficPolicy", "Cluster")
	if KeepNodePorts(before, ended); HealthCheckNodePort(ended) != 0 || ended.List("spec.ports")[0].GetInt("nodePort") == 0 {
		t.Errorf("without the policy: %v", ended)
	}
	inside := before.Clone()
	inside.Set("spec.type", "ClusterIP")
	if KeepNodePorts(before, inside); HealthCheckNodePort(inside) != 0 || inside.List("spec.ports")[0].GetInt("nodePort") != 0 {
		t.Errorf("of another type: %v", inside)
	}
}

func TestNodePorts_Kept(t *testing.T) {
	before := newService("LoadBalancer", 80)
	assign(t, nil, "shop", before)
	after := newService("LoadBalancer", 443, 80)
	KeepNodePorts(before, after)
	ports := after.List("spec.ports")
	if had := before.List("spec.ports")[0]["nodePort"]; ports[1]["nodePort"] != had || ports[0]["nodePort"] != nil {
		t.Errorf("the node port was %v, the ports are %v", had, ports)
	}
}
