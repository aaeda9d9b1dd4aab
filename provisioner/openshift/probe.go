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

// probeTimeout ends a probe that nobody answers, on the wall clock.
const probeTimeout = 5 * time.Second

// way is one way to reach something.
type way struct {
	target  *url.URL    // tcp://host:port, where a connection is enough, or https://host:port/path, which has to answer 200
	trust   *tls.Config // for https
	explain func(error) network.Brief
}

// probe tries the way once. The error is what the probe tells.
func (w way) probe(ctx context.Context, net network.Network) (state.Probe, error) {
	limited, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	layer, err := w.try(limited, net)
	if err == nil {
		return state.Probe{Target: w.target.String(), OK: true}, nil
	}
	if limited.Err() != nil { // the connection was closed under the waiting reader
		err = limited.Err()
	}
	short := w.explain(err)
	return state.Probe{Target: w.target.String(), Layer: layerOf(layer, err), Detail: short.Sentence}, short
}

// try returns the layer that it came to, and what failed there.
func (w way) try(ctx context.Context, net network.Network) (layer string, err error) {
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

// get asks for the path of the target.
func (w way) get(ctx context.Context, conn net.Conn) error {
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

// layerOf corrects the layer by what an error says: names are looked up before the first connection, a load balancer
// accepts a connection and then cuts it, and a server refuses a certificate after the handshake.
func layerOf(layer string, err error) string {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return state.LayerDNS
	case distrusted(err) != "":
		return state.LayerTLS
	case layer == state.LayerTLS && network.Explain(err).Sentence == network.Cut:
		return state.LayerTCP
	}
	return layer
}

// direct explains why a machine itself did not answer.
func direct(err error) network.Brief {
	if sentence := distrusted(err); sentence != "" {
		return network.Brief{Sentence: sentence, Cause: err}
	}
	return network.Explain(err)
}
