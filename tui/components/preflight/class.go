package preflight

import (
	"exoshift/wizard/reach"
)

var classWords = map[reach.Class]string{ //nolint:gochecknoglobals // a table that nothing changes
	reach.NXDomain: "name not found", reach.ServFail: "DNS server failure", reach.DNSTimeout: "no answer from DNS",
	reach.DNSRefused: "refused by DNS", reach.NoResolver: "no name server",
	reach.SplitView: "differs from public DNS", reach.Refused: "refused", reach.TCPTimeout: "no answer",
	reach.NoRoute: "no route", reach.Prohibited: "prohibited", reach.NoIPv4: "IPv6 only", reach.UDPTimeout: "no answer", reach.Reset: "connection reset",
	reach.ProxyRefused: "blocked by the proxy", reach.ProxyAuth: "proxy authentication",
	reach.ProxyPassword: "proxy password", reach.ProxyUnknown: "proxy not found", reach.ProxySilent: "no answer from the proxy",
	reach.ProxyPort: "no proxy there", reach.BlockPage: "block page", reach.TLSTimeout: "no answer to TLS",
	reach.Loss: "packets lost", reach.SharedIssuer: "TLS inspected?",
	reach.MTU: "MTU too large", reach.Unstable: "second attempt only",
	reach.Untrusted: "unknown issuer", reach.Inspected: "TLS inspected", reach.WrongHostname: "certificate name mismatch",
	reach.Expired: "certificate expired", reach.ClockSkew: "clock skew", reach.TLSFailure: "TLS handshake failed",
	reach.Unauthorized: "ok, requires login", reach.Geo: "blocked in this country", reach.ServerError: "server error",
	reach.Unexpected: "unexpected response", reach.Captive: "captive portal", reach.HTTPTimeout: "connected, no response",
	reach.Slow: "too slow", reach.Credentials: "credentials rejected", reach.Missing: "not found",
	reach.HostKey: "unknown host key", reach.Exposed: "reachable, should not be", reach.Malformed: "unexpected protocol",
}

// describeClass says in a few words what is wrong.
func describeClass(class reach.Class) string {
	if words, known := classWords[class]; known {
		return words
	}
	return string(class)
}
