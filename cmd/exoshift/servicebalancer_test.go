package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
)

// balancedService is a Service of type LoadBalancer in front of the application of serveWeb.
type balancedService struct {
	t        *testing.T
	s        run.Run
	client   http.Client
	address  string
	nodePort int
}

// balanceWeb creates it, and waits until it has an address and a healthy node.
func balanceWeb(t *testing.T, s run.Run) *balancedService {
	t.Helper()
	b := &balancedService{t: t, s: s, client: http.Client{Timeout: clientTimeout, Transport: &http.Transport{DialContext: s.Net.Dial, DisableKeepAlives: true}}}
	requestCluster(t, s, http.MethodPost, "/api/v1/namespaces/shop/services", `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
		"spec": {"type": "LoadBalancer", "selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}}`, new(map[string]any))
	for range 30 {
		var service struct {
			Spec   struct{ Ports []struct{ NodePort int } }
			Status struct {
				LoadBalancer struct{ Ingress []struct{ IP string } }
			}
		}
		askCluster(t, s, http.MethodGet, "/api/v1/namespaces/shop/services/web", &service)
		if ingress := service.Status.LoadBalancer.Ingress; len(ingress) > 0 {
			b.address, b.nodePort = ingress[0].IP, service.Spec.Ports[0].NodePort
			passTime(t, s, time.Minute) // health checks
			return b
		}
		passTime(t, s, 10*time.Second)
	}
	t.Fatal("the Service gets no address")
	return nil
}

// ask returns what a pod answers: its name and that of its node.
func (b *balancedService) ask(host string) (string, error) {
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, "http://"+host, nil)
	if err != nil {
		return "", err
	}
	answer, err := b.client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	return string(content), err
}

// requireAnswers requires that requests through the load balancer are answered by that many pods.
func (b *balancedService) requireAnswers(when string, pods int) {
	b.t.Helper()
	answers := map[string]bool{}
	for range 24 {
		answer, err := b.ask(b.address)
		if err != nil || !strings.HasPrefix(answer, "web-") {
			b.t.Fatalf("%s: %q: %v", when, answer, err)
		}
		answers[answer] = true
	}
	if len(answers) != pods {
		b.t.Errorf("%s: the answers come from %d pods, not %d: %v", when, len(answers), pods, answers)
	}
}

// askNode connects to a node itself.
func (b *balancedService) askNode(name string) error {
	machines := backdoor{b.t, b.s}.list("/instance", "instances")
	at := slices.IndexFunc(machines, func(machine map[string]any) bool { return machine["name"] == name })
	if at < 0 {
		b.t.Fatalf("there is no machine %s", name)
	}
	_, err := b.ask(net.JoinHostPort(machines[at]["public-ip"].(string), strconv.Itoa(b.nodePort)))
	return err
}

// edit writes the Service without its node port, which the API server keeps.
func (b *balancedService) edit(change func(metadata, spec map[string]any)) {
	b.t.Helper()
	const path = "/api/v1/namespaces/shop/services/web"
	var service map[string]any
	askCluster(b.t, b.s, http.MethodGet, path, &service)
	spec := service["spec"].(map[string]any)
	change(service["metadata"].(map[string]any), spec)
	delete(spec["ports"].([]any)[0].(map[string]any), "nodePort")
	content, err := json.Marshal(service)
	if err != nil {
		b.t.Fatal(err)
	}
	requestCluster(b.t, b.s, http.MethodPut, path, string(content), nil)
	passTime(b.t, b.s, 2*time.Minute) // the cloud controller and health checks
}

// makeLocal has only nodes with a pod serve. As the health check is a connection, which every node accepts, the others still receive traffic
// until the check is made by HTTP.
func (b *balancedService) makeLocal() {
	b.t.Helper()
	b.edit(func(_, spec map[string]any) { spec["externalTrafficPolicy"] = "Local" })
	failed := 0
	for range 24 {
		if _, err := b.ask(b.address); err != nil {
			failed++
		}
	}
	if failed == 0 || failed > 12 {
		b.t.Errorf("of 24 requests to three nodes with a pod and one without, %d fail", failed)
	}
	b.edit(func(metadata, _ map[string]any) {
		const prefix = "service.beta.kubernetes.io/exoscale-loadbalancer-service-healthcheck-"
		annotations := metadata["annotations"].(map[string]any)
		annotations[prefix+"mode"], annotations[prefix+"uri"] = "http", "/healthz"
	})
}

// serviceBalanced requires that traffic for a Service passes through a load balancer of Exoscale to the pool of the workers, also after a
// member is removed, and that it needs the rule for node ports.
func serviceBalanced(t *testing.T, s run.Run, names []string) {
	serveWeb(t, s, 3, 1)
	b := balanceWeb(t, s)
	b.requireAnswers("at first", 3)
	idle := slices.IndexFunc(names, func(name string) bool { return countWeb(t, s, name) == 0 })
	if idle < 0 {
		t.Fatal("three replicas are on all four workers")
	}
	if err := b.askNode(names[idle]); err != nil {
		t.Errorf("a node without a pod does not forward: %v", err)
	}
	b.makeLocal()
	b.requireAnswers("Local", 3)
	if err := b.askNode(names[idle]); err == nil {
		t.Error("a node without a pod forwards with the policy Local")
	}
	busy := names[(idle+1)%len(names)]
	if _, err := removeNodes(t, s, appnodes.Removal{Names: []string{busy}, Force: true, DeleteEmptyDir: true}, nil); err != nil {
		t.Fatalf("exit code %d: %v", exit.Code(err), err)
	}
	passTime(t, s, time.Minute)
	b.requireAnswers("a member less", 3)
	b.closeNodePorts()
	passTime(t, s, time.Minute)
	if answer, err := b.ask(b.address); err == nil {
		t.Errorf("without the rule for node ports: %q", answer)
	}
}

// closeNodePorts removes the rule for everybody.
func (b *balancedService) closeNodePorts() {
	door := backdoor{b.t, b.s}
	group := "/security-group/" + door.id("/security-group", "security-groups", "name", "c-demo-1_worker")
	rules, _ := door.ask(http.MethodGet, group, nil)["rules"].([]any)
	for _, one := range rules {
		if rule := one.(map[string]any); rule["protocol"] == "tcp" && rule["network"] == "0.0.0.0/0" {
			door.ask(http.MethodDelete, group+"/rules/"+rule["id"].(string), nil)
		}
	}
}
