package openshift

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
)

const ingressPath = "/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers/default"

// routers returns the nodes whose router pod is ready.
func (l *lab) routers() string {
	var found []string
	for _, instance := range l.list() {
		address := fmt.Sprintf("http://%s:%d/healthz/ready", instance.Address, 1936)
		transport := l.laptop.Network(nil).NewTransport()
		response, err := (&http.Client{Transport: transport}).Get(address)
		if err == nil {
			_ = response.Body.Close()
			found = append(found, instance.Name)
		}
		transport.CloseIdleConnections()
	}
	return strings.Join(found, " ")
}

// place changes the placement of the routers as an operator would.
func (l *lab) place(protocol, label string) {
	l.t.Helper()
	_, err := l.api.Do(l.ctx, http.MethodPatch, ingressPath, kube.Object{"spec": kube.Object{
		"replicas":                   1,
		"nodePlacement":              kube.Object{"nodeSelector": kube.Object{"matchLabels": kube.Object{label: ""}}},
		"endpointPublishingStrategy": kube.Object{"type": "HostNetwork", "hostNetwork": kube.Object{"protocol": protocol}},
	}})
	if err != nil {
		l.t.Fatal(err)
	}
}

// console opens the console at a node, after writing a preamble, and returns the response.
func (l *lab) console(address, preamble string) (string, error) {
	conn, err := l.laptop.Dial(l.ctx, "tcp", address+":443")
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, preamble); err != nil {
		return "", err
	}
	host := "console-openshift-console.apps." + domain
	roots := x509.NewCertPool()
	bundle := l.get("/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert").Map("data")
	roots.AppendCertsFromPEM(fmt.Append(nil, bundle["ca-bundle.crt"]))
	secure := tls.Client(conn, &tls.Config{RootCAs: roots, ServerName: host, MinVersion: tls.VersionTLS12})
	if _, err := io.WriteString(secure, "GET / HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n"); err != nil {
		return "", err
	}
	content, err := io.ReadAll(secure)
	return string(content), err
}

func TestRouters_FollowIngressController(t *testing.T) {
	long(t)
	inLab(t, func(t *testing.T, l *lab) {
		l.install(func() {})
		if got := l.routers(); len(strings.Fields(got)) != 2 {
			t.Errorf("routers by default on %q, want two", got)
		}
		if _, err := l.api.Do(l.ctx, http.MethodPatch, apiclient.NodesPath+"/infra-3", kube.Object{"metadata": kube.Object{"labels": kube.Object{"here": ""}}}); err != nil {
			t.Fatal(err)
		}
		l.place("TCP", "here")
		l.until(5*time.Minute, "router on infra-3", func() bool { return l.routers() == "infra-3" })
		const header = "PROXY TCP4 192.0.2.10 198.18.0.24 40000 443\r\n"
		if answer, err := l.console("198.18.0.24", ""); !strings.HasPrefix(answer, "HTTP/1.1 200 OK") {
			t.Errorf("console: %q, %v", answer, err)
		}
		if _, err := l.console("198.18.0.24", header); err == nil {
			t.Error("a router without the PROXY protocol took its header")
		}
		l.place("PROXY", "here")
		l.until(5*time.Minute, "router with the PROXY protocol", func() bool {
			answer, _ := l.console("198.18.0.24", header)
			return strings.HasPrefix(answer, "HTTP/1.1 200 OK")
		})
		if _, err := l.console("198.18.0.24", ""); err == nil {
			t.Error("a router with the PROXY protocol took a connection without its header")
		}
		// The load balancer of this test sends no header, so masters can no longer open the console.
		l.until(10*time.Minute, "degraded console", func() bool {
			operator := l.get("/apis/config.openshift.io/v1/clusteroperators/console")
			return operator.Condition("Degraded").GetString("status") == "True"
		})
	})
}

func TestConsole_ReachableFromMaster(t *testing.T) {
	long(t)
	inLab(t, func(t *testing.T, l *lab) {
		l.shut(443, true)
		l.bootCluster(3, 2)
		l.until(60*time.Minute, "workers", func() bool {
			if l.etcdIs("EtcdBootstrapMemberRemoved") {
				l.approve()
			}
			return l.ready() == 5
		})
		_ = l.clock.Sleep(l.ctx, 15*time.Minute)
		message := l.get(versionPath).Condition("Progressing").GetString("message")
		if !strings.HasSuffix(message, "waiting on authentication, console, ingress, monitoring") {
			t.Errorf("cluster version: %q", message)
		}
		l.shut(443, false)
		l.until(20*time.Minute, "cluster version", l.installed)
	})
}
