package openshift

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"exoshift/internal/network"
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
	case describeTLSError(err) != "":
		return state.LayerTLS
	case layer == state.LayerTLS && network.DescribeError(err).Sentence == network.Cut:
		return state.LayerTCP
	}
	return layer
}

func describeDirectError(err error) network.ErrorSummary {
	if sentence := describeTLSError(err); sentence != "" {
		return network.ErrorSummary{Sentence: sentence, Cause: err}
	}
	return network.DescribeError(err)
}
