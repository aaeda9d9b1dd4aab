package kube

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"strconv"
)

// The usual range of node ports.
const (
	firstNodePort = 30000
	lastNodePort  = 32767
)

// ServiceResource is the resource of Services.
const ServiceResource = "services"

// healthPort is the field of a Service with the port by which a node tells a load balancer whether it has a ready pod.
const healthPort = "spec.healthCheckNodePort"

// ExposesNodePorts reports whether a Service has ports on the nodes.
func ExposesNodePorts(service Object) bool {
	switch service.GetString("spec.type") {
	case "NodePort":
		return true
	case "LoadBalancer":
		allocates, known := service.Get("spec.allocateLoadBalancerNodePorts").(bool)
		return !known || allocates
	}
	return false
}

// IsLocal reports whether only nodes with a ready pod of a Service serve its node ports.
func IsLocal(service Object) bool { return service.GetString("spec.externalTrafficPolicy") == "Local" }

// HealthCheckNodePort returns the port by which nodes tell whether they have a ready pod of a Service, or 0.
func HealthCheckNodePort(service Object) int { return service.GetInt(healthPort) }

func hasHealthPort(service Object) bool {
	return service.GetString("spec.type") == "LoadBalancer" && IsLocal(service)
}

// KeepNodePorts gives a Service the ports on the nodes that it had before, as clients that write the whole Service do not know them, and
// takes away those that its type or its policy has no use for any more.
func KeepNodePorts(before, service Object) {
	had := map[string]int{}
	for _, port := range before.List("spec.ports") {
		had[identifyPort(port)] = port.GetInt("nodePort")
	}
	exposes := ExposesNodePorts(service)
	for _, port := range service.List("spec.ports") {
		switch known := had[identifyPort(port)]; {
		case known == 0:
		case exposes && port.GetInt("nodePort") == 0:
			port["nodePort"] = float64(known)
		case !exposes && port.GetInt("nodePort") == known:
			delete(port, "nodePort")
		}
	}
	switch known := HealthCheckNodePort(before); {
	case known == 0:
	case hasHealthPort(service) && HealthCheckNodePort(service) == 0:
		service.Set(healthPort, float64(known))
	case !hasHealthPort(service) && HealthCheckNodePort(service) == known:
		delete(service.Map("spec"), "healthCheckNodePort")
	}
}

func identifyPort(port Object) string {
	return cmp.Or(port.GetString("protocol"), "TCP") + strconv.Itoa(port.GetInt("port"))
}

// AssignNodePorts gives the ports of a Service of the namespace that have none yet one on the nodes which no Service has, and refuses those
// that another one has or that are out of range. The choice of a real API server is random; this one depends on the Service only.
func AssignNodePorts(services []Object, namespace string, service Object) error {
	if !ExposesNodePorts(service) {
		return nil
	}
	taken := map[int]bool{}
	for _, other := range services {
		if other.Namespace() != namespace || other.Name() != service.Name() {
			addNodePorts(taken, other)
		}
	}
	for i, port := range service.List("spec.ports") {
		if err := checkNodePort(taken, port.GetInt("nodePort"), fmt.Sprintf("spec.ports[%d].nodePort", i), service); err != nil {
			return err
		}
	}
	addNodePorts(taken, service)
	identity := namespace + "/" + service.Name() + "/"
	for _, port := range service.List("spec.ports") {
		if port.GetInt("nodePort") == 0 {
			port["nodePort"] = float64(chooseNodePort(taken, identity+identifyPort(port)))
		}
	}
	if hasHealthPort(service) && HealthCheckNodePort(service) == 0 {
		service.Set(healthPort, float64(chooseNodePort(taken, identity)))
	}
	return nil
}

func addNodePorts(taken map[int]bool, service Object) {
	taken[HealthCheckNodePort(service)] = true
	for _, port := range service.List("spec.ports") {
		taken[port.GetInt("nodePort")] = true
	}
}

// checkNodePort returns why a Service cannot have a port that it asks for; 0 is any.
func checkNodePort(taken map[int]bool, port int, field string, service Object) error {
	switch {
	case port == 0:
		return nil
	case port < firstNodePort || port > lastNodePort:
		return NewInvalid(FindBuiltinKind(ServiceResource), service.Name(), fmt.Sprintf("%s: Invalid value: %d: provided port is not in the valid range. The range of valid ports is %d-%d",
			field, port, firstNodePort, lastNodePort))
	case taken[port]:
		return NewInvalid(FindBuiltinKind(ServiceResource), service.Name(), fmt.Sprintf("%s: Invalid value: %d: provided port is already allocated", field, port))
	}
	return nil
}

// chooseNodePort returns a free port, and takes it; 0 if all are taken.
func chooseNodePort(taken map[int]bool, identity string) int {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(identity))
	const count = lastNodePort - firstNodePort + 1
	for i := range uint32(count) {
		if free := firstNodePort + int((hash.Sum32()+i)%count); !taken[free] {
			taken[free] = true
			return free
		}
	}
	return 0
}
