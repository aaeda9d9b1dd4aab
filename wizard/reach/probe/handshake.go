package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"time"

	"exoshift/wizard/reach"
)

func (a *attempt) handshake(ctx context.Context) error {
	if a.secure {
		return nil
	}
	if err := a.connect(ctx); err != nil {
		return a.handleClosedPort(ctx, err)
	}
	began := time.Now()
	client, err := a.performHandshake(ctx, a.prober.now)
	a.recordDuration(reach.EvidenceTLSTime, began)
	if err != nil {
		return a.handleTLSError(ctx, err)
	}
	a.keep(client)
	a.secure, a.layers.TLS = true, reach.LayerOK
	a.checkCertificate(client.ConnectionState().PeerCertificates[0])
	return nil
}

func (a *attempt) performHandshake(ctx context.Context, clock func() time.Time) (*tls.Conn, error) {
	config := a.prober.network.NewTLSConfig()
	config.ServerName, config.Time, config.ClientSessionCache = a.target.host, clock, nil
	config.NextProtos = []string{"http/1.1"}
	defer a.limit(ctx, a.prober.limits.TLS)()
	client := tls.Client(a.conn, config)
	return client, client.HandshakeContext(ctx)
}

func (a *attempt) handleTLSError(ctx context.Context, err error) error {
	var distrusted *tls.CertificateVerificationError
	var text tls.RecordHeaderError
	switch {
	case errors.As(err, &distrusted):
		return a.handleCertError(ctx, distrusted)
	case errors.As(err, &text):
		return a.fail(&a.layers.TLS, a.detectPortal(ctx, reach.TLSFailure, nil), errors.New("it does not speak TLS"))
	case isTimeout(err):
		return a.fail(&a.layers.TLS, reach.TLSFailure, err)
	case isCut(err):
		return a.fail(&a.layers.TLS, reach.Reset, err)
	}
	return a.fail(&a.layers.TLS, reach.TLSFailure, err)
}
