package reach

import (
	"cmp"
	"fmt"
	"maps"
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
	text, known := listClassTexts()[r.Class]
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
func listClassTexts() map[Class]string {
	all := map[Class]string{
		NXDomain:     "there is no such name, says {resolver}",
		ServFail:     "{resolver} could not look it up",
		DNSTimeout:   "{resolver} did not answer",
		SplitView:    "{resolver} says {addresses}, which is not what the internet says",
		Refused:      "the connection was refused",
		TCPTimeout:   "no answer from {address}",
		NoRoute:      "there is no way to {address}",
		UDPTimeout:   "no answer from {address}",
		Reset:        "the connection was cut in the middle",
		ProxyRefused: "{proxy} did not let it through",
		ProxyAuth:    "{proxy} wants a user name and a password",
	}
	for _, layer := range []map[Class]string{listTLSTexts(), listServiceTexts()} {
		maps.Copy(all, layer)
	}
	return all
}

func listTLSTexts() map[Class]string {
	return map[Class]string{
		Untrusted:     "signed by {issuer}, which {machine} does not trust",
		WrongHostname: "the certificate is for {subject}",
		Expired:       "the certificate ended {expires}",
		ClockSkew:     "the clock of {machine} is {how far behind or ahead}",
		TLSFailure:    "no secure connection could be made",
	}
}

func listServiceTexts() map[Class]string {
	return map[Class]string{
		Unauthorized: "it asks who we are",
		Geo:          "refused because of the country that we come from",
		ServerError:  "the service has a problem of its own ({status})",
		Unexpected:   "something else answers than the service ({status})",
		Captive:      "the login page of a network answers",
		HTTPTimeout:  "connected, and then no answer",
		Slow:         "reached, but slowly",
		Credentials:  "the pull secret or the token is refused",
		Missing:      "it does not have what is wanted",
		HostKey:      "another host key than the known one ({key})",
		Exposed:      "it can be reached, and must not be",
		Malformed:    "what came is not the protocol of this service",
	}
}
