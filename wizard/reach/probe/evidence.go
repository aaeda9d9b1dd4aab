package probe

import (
	"crypto/x509"
	"net"
	"net/netip"
	"strconv"
	"time"

	"exoshift/wizard/reach"
)

// evidence is what is known of one attempt, by the keys of package reach.
type evidence map[string]string

func (e evidence) record(key, value string) {
	if value = reach.Sanitize(value); value != "" {
		e[key] = value
	}
}

func (e evidence) recordDuration(key string, since time.Time) {
	e[key] = strconv.FormatInt(time.Since(since).Milliseconds(), 10)
}

func (e evidence) recordSource(conn net.Conn) {
	local, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil || local.Addr().IsLoopback() || local.Addr().IsUnspecified() {
		return
	}
	e.record(reach.EvidenceSource, local.Addr().Unmap().WithZone("").String())
}

func (e evidence) recordSkew(skew time.Duration) {
	if skew.Abs() < minReportedSkew {
		return
	}
	sign := "+"
	if skew < 0 {
		sign = ""
	}
	e.record(reach.EvidenceSkew, sign+skew.Round(time.Second).String())
}

func (e evidence) recordCertificate(certificate *x509.Certificate) {
	e.record(reach.EvidenceSubject, certificate.Subject.String())
	e.record(reach.EvidenceIssuer, certificate.Issuer.String())
	e.record(reach.EvidenceExpires, certificate.NotAfter.UTC().Format(time.RFC3339))
}
