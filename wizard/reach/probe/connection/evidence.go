package connection

import (
	"crypto/x509"
	"net"
	"net/netip"
	"strconv"
	"time"

	"exoshift/wizard/reach"
)

// Evidence is what is known of one attempt, by the keys of package reach.
type Evidence map[string]string

// Record keeps a value, made safe to show, unless it is "".
func (e Evidence) Record(key, value string) {
	if value = reach.Sanitize(value); value != "" {
		e[key] = value
	}
}

// RecordDuration keeps the time since then, in milliseconds.
func (e Evidence) RecordDuration(key string, since time.Time) {
	e[key] = strconv.FormatInt(time.Since(since).Milliseconds(), 10)
}

// RecordSource keeps the local address of a connection.
func (e Evidence) RecordSource(conn net.Conn) {
	local, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil || local.Addr().IsLoopback() || local.Addr().IsUnspecified() {
		return
	}
	e.Record(reach.EvidenceSource, local.Addr().Unmap().WithZone("").String())
}

func (e Evidence) recordSkew(skew time.Duration) {
	if skew.Abs() < minReportedSkew {
		return
	}
	sign := "+"
	if skew < 0 {
		sign = ""
	}
	e.Record(reach.EvidenceSkew, sign+skew.Round(time.Second).String())
}

func (e Evidence) recordCertificate(certificate *x509.Certificate) {
	e.Record(reach.EvidenceSubject, certificate.Subject.String())
	e.Record(reach.EvidenceIssuer, certificate.Issuer.String())
	e.Record(reach.EvidenceExpires, certificate.NotAfter.UTC().Format(time.RFC3339))
}
