package reach

import (
	"cmp"
	"fmt"
	"strings"
)

// Describe returns a result in a few words, without a full stop: "reached in 61 ms", "TLS: signed by CN=Corp Proxy CA,
// which this workstation does not trust". Values of the evidence are unchanged.
func (r Result) Describe() string {
	switch {
	case r.Verdict == Skipped:
		return r.describeSkip()
	case r.Class == "" || r.Class == Unauthorized && r.Verdict == OK:
		return "reached" + formatDuration(r)
	}
	text, known := classTexts[r.Class]
	if !known {
		text = string(r.Class) + ": {error}"
	}
	words := expandHint(text, r)
	if layer := r.describeLayer(); layer != "" {
		words = layer + ": " + words
	}
	if host := r.Evidence[EvidenceHost]; host != "" && !strings.Contains(words, host) {
		words += ", at " + host
	}
	return words
}

func (r Result) describeLayer() string {
	if r.Class == UDPTimeout {
		return "UDP"
	}
	return r.Layers.FindFailed()
}

func (r Result) describeSkip() string {
	words := "not checked: " + cmp.Or(r.Evidence[EvidenceSkipped], "no reason given")
	if until := r.Evidence[EvidenceUntil]; until != "" {
		words += " (until " + until + ")"
	}
	return words
}

func formatDuration(r Result) string {
	if ms := r.Evidence[EvidenceTime]; ms != "" {
		return fmt.Sprintf(" in %s ms", ms)
	}
	return ""
}

// Placeholders in braces come from the result, see expandHint.
var classTexts = map[Class]string{ //nolint:gochecknoglobals // a table that nothing changes
	NXDomain:     "{resolver}: no such host",
	ServFail:     "{resolver}: server failure",
	DNSRefused:   "{resolver} refuses queries of {machine}",
	NoResolver:   "{machine} has no name server",
	DNSTimeout:   "no answer from {resolver}",
	SplitView:    "{resolver} answers {addresses}, which differs from public DNS",
	Refused:      "connection refused",
	TCPTimeout:   "no answer from {address}",
	NoRoute:      "no route to {address}",
	Prohibited:   "a rule prohibits connections to {address}",
	NoIPv4:       "{machine} has IPv6 only",
	UDPTimeout:   "no answer from {address}",
	Reset:        "connection reset",
	ProxyRefused: "{proxy} does not let it through",
	ProxyAuth:    "{proxy} requires authentication",

	ProxyPassword: "{proxy} rejects the user name or the password",
	ProxyUnknown:  "the name of {proxy} does not resolve",
	ProxySilent:   "{proxy} does not answer",
	ProxyPort:     "no proxy listens at {proxy}",

	Untrusted:     "signed by {issuer}, which {machine} does not trust",
	Inspected:     "reachable, but inspected: signed by {authority}, which is not a public authority",
	SharedIssuer:  "reachable, but signed by {authorities}, as nearly all other services",
	WrongHostname: "the certificate is for {subject}",
	Expired:       "the certificate expired {expires}",
	ClockSkew:     "the clock of {machine} is {how far behind or ahead}",
	TLSTimeout:    "connected, but no answer to the TLS handshake",
	MTU:           "large packets are lost: the MTU is too large",
	Unstable:      "reachable, at the second attempt only",
	Loss:          "the network of {machine} loses packets",
	TLSFailure:    "TLS handshake failed",

	Unauthorized: "reachable, requires authentication",
	Geo:          "blocked for this country",
	ServerError:  "server error ({status})",
	Unexpected:   "unexpected response ({status})",
	Captive:      "captive portal",
	BlockPage:    "a web page answers instead of the service: {error}",
	HTTPTimeout:  "connected, but no response",
	Slow:         "reachable, but slow",
	Credentials:  "credentials rejected",
	Missing:      "not found",
	HostKey:      "unknown host key ({key})",
	Exposed:      "reachable, but must not be",
	Malformed:    "unexpected protocol",
}
