package kubelet

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/hostnet"
	"exoshift/internal/simcloud/openshift/monitoring"
)

const (
	httpPort   = 80
	httpsPort  = 443
	healthPort = 1936
)

// slowStartTime is how long a router takes to start that is marked as slow.
const slowStartTime = 30 * time.Minute

// proxyProtocol is the value of an ingress controller's protocol for connections with a PROXY header.
const proxyProtocol = "PROXY"

// router is a pod of the ingress controller: it serves the routes on the ports of its node.
type router struct {
	cluster *cluster.Cluster
	machine machine.Machine
	api     *apiclient.Client
}

func (r router) run(ctx context.Context, p *pod) error {
	pair, err := r.readCertificate(ctx)
	if err != nil {
		return err
	}
	start := 20*time.Second + cluster.Jitter(p.name, 10*time.Second)
	if p.object.GetString("metadata.annotations."+cluster.SlowStart) != "" {
		start = slowStartTime
	}
	if r.cluster.WaitScaled(ctx, start) != nil {
		return nil
	}
	plain, err := r.listen(httpPort, p.protocol)
	if err != nil {
		return err
	}
	secure, err := r.listen(httpsPort, p.protocol)
	if err != nil {
		return errors.Join(err, plain.Close())
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { _ = hostnet.Serve(ctx, plain, nil, http.HandlerFunc(toHTTPS)) })
	running.Go(func() {
		_ = hostnet.Serve(ctx, secure, hostnet.NewTLSConfig(hostnet.UseCertificate(pair)), http.HandlerFunc(r.serveRoute))
	})
	p.ready.Store(true)
	return hostnet.ListenAndServe(ctx, r.machine, healthPort, nil, r.serveHealth(p))
}

func (r router) readCertificate(ctx context.Context) (certificate.Pair, error) {
	var pair certificate.Pair
	var err error
	r.cluster.Poll(ctx, 5*time.Second, func(ctx context.Context) bool {
		secret, failure := r.api.Get(ctx, "/api/v1/namespaces/openshift-ingress/secrets/router-certs-default")
		if failure != nil {
			return false
		}
		data := secret.Map("data")
		shown, _ := base64.StdEncoding.DecodeString(fmt.Sprint(data["tls.crt"]))
		private, _ := base64.StdEncoding.DecodeString(fmt.Sprint(data["tls.key"]))
		pair, err = certificate.Parse(shown, private)
		return true
	})
	return pair, errors.Join(err, ctx.Err())
}

// A router that ends serves on for a while, and is not ready for more.
func (r router) serveHealth(p *pod) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		object, _ := r.cluster.Objects.Get(cluster.PodResource, p.namespace, p.name)
		switch {
		case !strings.HasPrefix(q.URL.Path, "/healthz"):
			w.WriteHeader(http.StatusNotFound)
		case object.GetString("metadata.uid") != p.uid || object.GetString("metadata.annotations."+cluster.Draining) != "":
			w.WriteHeader(http.StatusInternalServerError)
		default:
			_, _ = io.WriteString(w, "ok")
		}
	}
}

func toHTTPS(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/_______internal_router_healthz" { // the monitor-uri of the router's own HAProxy
		_, _ = io.WriteString(w, "OK")
		return
	}
	http.Redirect(w, r, "https://"+r.Host+r.URL.RequestURI(), http.StatusFound)
}

func (r router) serveRoute(w http.ResponseWriter, q *http.Request) {
	for _, route := range r.cluster.Objects.List(cluster.RouteResource, "") {
		if route.GetString("spec.host") == q.Host && route.Name() == monitoring.Alertmanager {
			monitoring.ServeAlertmanager(r.cluster, w, q)
			return
		}
		if route.GetString("spec.host") == q.Host {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<!DOCTYPE html><title>Red Hat OpenShift</title>\n")
			return
		}
	}
	http.Error(w, "Application is not available", http.StatusServiceUnavailable)
}

func (r router) listen(port int, protocol string) (net.Listener, error) {
	listener, err := r.machine.Listen(port)
	if err != nil || protocol != proxyProtocol {
		return listener, err
	}
	return proxyListener{listener}, nil
}

type proxyListener struct{ net.Listener }

func (l proxyListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &proxiedConn{Conn: conn, reader: bufio.NewReader(conn)}, nil
}

type proxiedConn struct {
	net.Conn
	reader *bufio.Reader
	once   sync.Once
	err    error
}

func (c *proxiedConn) Read(into []byte) (int, error) {
	c.once.Do(func() { c.err = skipProxyHeader(c.reader) })
	if c.err != nil {
		return 0, c.err
	}
	return c.reader.Read(into)
}

const signatureV2 = "\r\n\r\n\x00\r\nQUIT\n"

func skipProxyHeader(reader *bufio.Reader) error {
	if start, err := reader.Peek(6); err == nil && string(start) == "PROXY " {
		_, err := reader.ReadString('\n')
		return err
	}
	start, err := reader.Peek(16)
	if err != nil {
		return err
	}
	if string(start[:12]) != signatureV2 {
		return errors.New("the connection does not begin with a PROXY header")
	}
	_, err = reader.Discard(16 + int(binary.BigEndian.Uint16(start[14:16])))
	return err
}
