package preflight

import (
	"exoshift/wizard/reach"
)

// describeClass says in a few words what is wrong.
func describeClass(class reach.Class) string {
	if words, known := map[reach.Class]string{
		reach.NXDomain: "no such name", reach.ServFail: "the name server fails", reach.DNSTimeout: "the name server does not answer",
		reach.SplitView: "another address than for the rest of the world", reach.Refused: "refused", reach.TCPTimeout: "no answer",
		reach.NoRoute: "no way there", reach.UDPTimeout: "no answer", reach.Reset: "cut off",
		reach.ProxyRefused: "the proxy lets nothing through", reach.ProxyAuth: "the proxy wants a password",
		reach.Untrusted: "unknown issuer", reach.WrongHostname: "the certificate is for another name",
		reach.Expired: "the certificate has expired", reach.ClockSkew: "a clock is wrong", reach.TLSFailure: "no secure connection",
		reach.Unauthorized: "reached, asks who we are", reach.Geo: "refused in this country", reach.ServerError: "the service has an error",
		reach.Unexpected: "something else answers", reach.Captive: "a login page answers", reach.HTTPTimeout: "connected, then no answer",
		reach.Slow: "too slow", reach.Credentials: "credentials are refused", reach.Missing: "does not have what is wanted",
		reach.HostKey: "another host key", reach.Exposed: "reachable, and should not be", reach.Malformed: "answers with garbage",
	}[class]; known {
		return words
	}
	return string(class)
}
