package observe

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// probeTimeout is on the wall clock.
const probeTimeout = 5 * time.Second

type probeTarget struct {
	target  *url.URL    // tcp://host:port, where a connection suffices, or https://host:port/path, which must answer 200
	trust   *tls.Config // for https
	explain func(error) network.ErrorSummary
}

// run returns the error of the probe also beside it.
func (w probeTarget) run(ctx context.Context, net network.Network) (state.Probe, error) {
	limited, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	layer, err := w.try(limited, net)
	if err == nil {
		return state.Probe{Target: w.target.String(), OK: true}, nil
	}
	if limited.Err() != nil { // the connection was closed while reading
		err = limited.Err()
	}
	short := w.explain(err)
	return state.Probe{Target: w.target.String(), Layer: resolveLayer(layer, err), Detail: short.Sentence}, short
}

// try returns the last layer that it reached, and the error there.
func (w probeTarget) try(ctx context.Context, net network.Network) (layer string, err error) {
	conn, err := net.Connect(ctx, w.target.Host)
	if err != nil {
		return state.LayerTCP, err
	}
	defer func() { _ = conn.Close() }()
	if w.target.Scheme != "https" {
		return state.LayerTCP, nil
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	secured := tls.Client(conn, w.trust)
	if err := secured.HandshakeContext(ctx); err != nil {
		return state.LayerTLS, err
	}
	return state.LayerHTTP, w.get(ctx, secured)
}

func (w probeTarget) get(ctx context.Context, conn net.Conn) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.target.String(), nil)
	if err != nil {
		return err
	}
	request.Close = true
	if err := request.Write(conn); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		status := apierrors.NewGenericServerResponse(response.StatusCode, "get", schema.GroupResource{}, "", response.Status, 0, false)
		status.ErrStatus.Message = "the server is not ready (" + response.Status + ")"
		return status
	}
	return nil
}

// resolveLayer corrects the layer by the error: names are resolved before the first connection, a load balancer accepts a
// connection before it closes it, and a server refuses a certificate after the handshake.
func resolveLayer(layer string, err error) string {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return state.LayerDNS
	case kubeapi.DescribeTLSError(err) != "":
		return state.LayerTLS
	case layer == state.LayerTLS && network.DescribeError(err).Sentence == network.Cut:
		return state.LayerTCP
	}
	return layer
}

const (
	sshPort = 22
	apiPort = 6443
)

type bootstrapProbes struct{ ssh, api backgroundProbe }

func (s *bootstrapProbes) close() {
	s.ssh.close()
	s.api.close()
}

// start probes the bootstrap machine on its own address.
func (s *bootstrapProbes) start(ctx context.Context, api *kubeapi.Client, bootstrap netip.Addr) {
	s.ssh.start(ctx, api.Network, probeTarget{target: buildTarget("tcp", bootstrap, sshPort, ""), explain: kubeapi.DescribeDirectError})
	trust := api.Trust.Clone()
	trust.ServerName = api.Address.Hostname()
	s.api.start(ctx, api.Network, probeTarget{target: buildTarget("https", bootstrap, apiPort, "/readyz"), trust: trust, explain: kubeapi.DescribeDirectError})
}

func buildTarget(scheme string, host netip.Addr, port int, path string) *url.URL {
	return &url.URL{Scheme: scheme, Host: net.JoinHostPort(host.String(), strconv.Itoa(port)), Path: path}
}

// collect waits for the probes if patient: while the API does not answer, they are the only information.
func (s *bootstrapProbes) collect(ctx context.Context, patient bool) state.Probes {
	return state.Probes{SSH: s.ssh.report(ctx, patient), Direct: s.api.report(ctx, patient)}
}

// checkReady requests the API's readiness by its name.
func checkReady(ctx context.Context, api *kubeapi.Client) (state.Probe, error) {
	api.Count("get", "readyz")
	target := api.Address.JoinPath("readyz")
	if target.Port() == "" {
		target.Host = net.JoinHostPort(target.Hostname(), "443")
	}
	trust := api.Trust.Clone()
	if trust.ServerName == "" {
		trust.ServerName = target.Hostname()
	}
	seen, err := probeTarget{target: target, trust: trust, explain: kubeapi.DescribeConnectError}.run(ctx, api.Network)
	if err != nil {
		return seen, api.ToFault(ctx, "reach the API", err)
	}
	return seen, nil
}

// backgroundProbe runs a probe at most once per poll, without blocking the poll: until a probe ends, report returns the previous
// result. The zero value is ready for use.
type backgroundProbe struct {
	mu     sync.Mutex
	last   state.Probe
	done   chan struct{} // closed when the running probe has ended; nil if none is running
	cancel context.CancelFunc
}

// start starts a probe unless one is running. The probe may outlive the poll, but not the Cluster.
func (s *backgroundProbe) start(ctx context.Context, net network.Network, w probeTarget) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done != nil {
		return
	}
	if s.last.Target != w.target.String() {
		s.last = state.Probe{}
	}
	ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.done = make(chan struct{})
	go func() {
		found, _ := w.run(ctx, net) // found holds the error
		s.finish(found)
	}()
}

func (s *backgroundProbe) finish(found state.Probe) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel()
	s.last = found
	close(s.done)
	s.done = nil
}

// report returns the last result; if patient, or if there is none, it waits for the running probe.
func (s *backgroundProbe) report(ctx context.Context, patient bool) state.Probe {
	s.mu.Lock()
	last, done := s.last, s.done
	s.mu.Unlock()
	if done == nil || !patient && last.Target != "" {
		return last
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

func (s *backgroundProbe) close() {
	s.mu.Lock()
	done := s.done
	if done != nil {
		s.cancel()
	}
	s.mu.Unlock()
	if done != nil {
		<-done
	}
}
