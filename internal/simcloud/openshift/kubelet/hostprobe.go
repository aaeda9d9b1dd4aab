package kubelet

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/hostnet"
)

// hostProbe is the readiness probe of a container that names a host other than its pod, which the kubelet asks from the node. Other probes
// are not simulated.
type hostProbe struct {
	container string
	host      string
	port      int
	path      string // "": a connection is enough
	scheme    string // HTTP or HTTPS
}

func listHostProbes(pod kube.Object) (probes []hostProbe) {
	for _, container := range pod.List("spec.containers") {
		one := hostProbe{container: container.GetString("name")}
		if get := kube.Object(container.Map("readinessProbe.httpGet")); get.GetString("host") != "" {
			one.host, one.port, one.path, one.scheme = get.GetString("host"), get.GetInt("port"), get.GetString("path"), get.GetString("scheme")
			probes = append(probes, one)
		}
		if socket := kube.Object(container.Map("readinessProbe.tcpSocket")); socket.GetString("host") != "" {
			one.host, one.port = socket.GetString("host"), socket.GetInt("port")
			probes = append(probes, one)
		}
	}
	return probes
}

// hostProbeInterval is the default of a probe's period.
const hostProbeInterval = 10 * time.Second

// probeHosts keeps a pod ready as long as all probes succeed, until ctx ends.
func (r *containerRuntime) probeHosts(ctx context.Context, p *pod, probes []hostProbe) error {
	for {
		results := make([]kube.Object, len(probes))
		ready := true
		for i, probe := range probes {
			err := probe.run(ctx, r.machine, r.cluster.Timeout())
			results[i] = kube.Object{"name": probe.container, "ready": err == nil, "state": kube.Object{"running": kube.Object{}}}
			ready = ready && err == nil
		}
		p.waiting.Store(nil)
		p.probed.Store(&results)
		p.ready.Store(ready)
		if err := r.cluster.Clock.Sleep(ctx, hostProbeInterval); err != nil {
			return err
		}
	}
}

func (h hostProbe) run(ctx context.Context, from machine.Machine, timeout time.Duration) error {
	if h.path == "" {
		return hostnet.CheckPort(ctx, timeout, from, h.host, h.port)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	address := net.JoinHostPort(h.host, strconv.Itoa(h.port))
	scheme := "http"
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if h.scheme == "HTTPS" {
		scheme = "https"
		config.InsecureSkipVerify = h.scheme == "HTTPS" // as the real kubelet does, whose probes carry no secret
	}
	transport := &http.Transport{DialContext: from.Network().Dial, DisableKeepAlives: true, TLSClientConfig: config}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+address+h.path, nil)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode < http.StatusOK || response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("HTTP probe failed with statuscode: %d", response.StatusCode)
	}
	return nil
}
