package reach

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
	"time"
)

func buildHint(check Check, r Result) string {
	hint := getClassHint(r)
	if r.Verdict != OK && check.Hint != "" && !isSourceFault(r.Class) {
		hint = strings.TrimSpace(hint + " " + check.Hint)
	}
	return hint
}

// If the failure is the source's, whatever the service, the catalogue's hint about the service would mislead.
func isSourceFault(class Class) bool {
	switch class {
	case ClockSkew, Captive, ProxyAuth, NoRoute, DNSTimeout:
		return true
	}
	return false
}

func getClassHint(r Result) string {
	if r.Class == "" {
		return ""
	}
	text, known := listHints()[r.Class]
	if !known {
		text = "Compare with a machine in another network, and show this report to those who run yours."
	}
	return expandHint(text, r)
}

// Placeholders in braces come from the result, see expandHint.
func listHints() map[Class]string {
	all := listDNSHints()
	for _, layer := range []map[Class]string{listTransportHints(), listTLSHints(), listServiceHints()} {
		maps.Copy(all, layer)
	}
	return all
}

func listDNSHints() map[Class]string {
	return map[Class]string{
		NXDomain:   "Check how {host} is spelled, and ask those who run {resolver} to resolve it: as far as that name server knows, there is no such name.",
		ServFail:   "Ask those who run {resolver} why it cannot look up {host}: that name server reports a failure of its own, often a forwarder that does not answer.",
		DNSTimeout: "Let {machine} reach {resolver} on port 53, UDP and TCP: that name server did not answer.",
		SplitView:  "Ask those who run {resolver} to answer for {host} as the internet does: that name server says {addresses}.",
	}
}

func listTransportHints() map[Class]string {
	return map[Class]string{
		Refused:      "Ask for the firewall to accept connections to {target}: it refuses them at once, unless nothing listens there.",
		TCPTimeout:   "Ask for the firewall to let {target} through: packets get lost without any answer, which is how a firewall drops them.",
		NoRoute:      "Ask those who run the network for a route to {address}: {machine} has none.",
		UDPTimeout:   "Ask for the firewall to let UDP to {target} through, and the answers back in: none came.",
		Reset:        "Ask which firewall cuts connections to {target}, and for an exemption from it: this one was cut in the middle.",
		ProxyRefused: "Ask those who run {proxy} to let connections to {target} through, after a look at whether its address is right.",
		ProxyAuth:    "Give the user name and password of {proxy}, as in http://USER:PASSWORD@HOST:PORT, {where its proxy is set}: it asks for them.",
	}
}

func listTLSHints() map[Class]string {
	return map[Class]string{
		Untrusted:     "Ask for {host} to be exempted from TLS inspection, or have {issuer} trusted: {how that is done there}.",
		WrongHostname: "Find out who answers in place of {host}: the certificate is made for {subject}, so a name server or a proxy leads elsewhere.",
		Expired:       "Tell those who run {host} to renew their certificate: it ended {expires}.",
		ClockSkew:     "Set the clock of {machine}, best by NTP: it is {how far behind or ahead}.",
		TLSFailure:    "Ask which device between {machine} and {target} blocks or breaks TLS: no secure connection could be agreed on.",
	}
}

func listServiceHints() map[Class]string {
	return map[Class]string{
		Unauthorized: "Nothing to do: {host} was reached and asks who we are, as it should.",
		Geo:          "Go out by an address in another country, or ask {host} to serve this one: it refuses where we come from.",
		ServerError:  "Wait some minutes and check again: {host} itself has a problem ({status}).",
		Unexpected:   "Open {url} in a browser in the same network and see who answers: what came ({status}) is not from this service.",
		Captive:      "Log in to the network of {machine} in a browser: its login page answers in place of {host}.",
		HTTPTimeout:  "Ask which proxy or firewall holds back data from {target}: a connection was made, and then nothing came.",
		Slow:         "Find out what makes the way to {host} slow, such as a proxy that scans downloads: gigabytes will take this way.",
		Credentials:  "Get a new pull secret from console.redhat.com and give it in openshift.pullSecret: {host} refuses this one.",
		Missing:      "Choose another version in openshift.version: {host} does not have what is wanted.",
		HostKey:      "Have those who run {host} confirm its host key before anything else: it is {key}, and another one is known.",
		Exposed:      "Take away the security group rule that lets the outside reach {target}: only machines inside the zone may.",
		Malformed:    "Find out what listens at {target}: what it sends is not the protocol of this service.",
	}
}

func expandHint(text string, r Result) string {
	e := r.Evidence
	host := cmp.Or(parseHost(e[EvidenceHost]), parseHost(r.Target))
	return strings.NewReplacer(
		"{host}", host,
		"{target}", cmp.Or(e[EvidenceHost], r.Target),
		"{url}", "https://"+host,
		"{machine}", describeSource(r.Source),
		"{resolver}", cmp.Or(e[EvidenceResolver], "its name server"),
		"{addresses}", cmp.Or(e[EvidenceAddresses], "something else"),
		"{address}", cmp.Or(e[EvidenceAddress], e[EvidenceAddresses], host),
		"{issuer}", cmp.Or(e[EvidenceIssuer], "its unknown issuer"),
		"{subject}", cmp.Or(e[EvidenceSubject], "another name"),
		"{expires}", cmp.Or(e[EvidenceExpires], "some time ago"),
		"{how far behind or ahead}", formatSkew(e[EvidenceSkew]),
		"{how that is done there}", describeTrustStore(r.Source),
		"{where its proxy is set}", describeProxySetting(r.Source),
		"{status}", cmp.Or(e[EvidenceStatus], e[EvidenceError], "an answer that is none"),
		"{proxy}", describeProxy(e[EvidenceProxy]),
		"{key}", cmp.Or(e[EvidenceHostKey], "unknown"),
		"{error}", cmp.Or(e[EvidenceError], "no reason given"),
	).Replace(text)
}

func describeProxy(address string) string {
	if address == "" {
		return "the proxy"
	}
	return "the proxy " + address
}

func describeSource(vantage string) string {
	host, ssh := strings.CutPrefix(vantage, SSHSource)
	switch {
	case vantage == Zone:
		return "the machine in the zone"
	case ssh:
		return "host " + host
	}
	return "this workstation"
}

// The workstation has its own trust store; the other sources get what the answers give the nodes.
func describeTrustStore(vantage string) string {
	if vantage == Workstation {
		return "add its certificate to the trust store of this workstation, and for the nodes name it in openshift.trustBundle of the answers"
	}
	return "name its certificate in openshift.trustBundle of the answers"
}

func describeProxySetting(vantage string) string {
	if vantage == Workstation {
		return "in the environment variables HTTPS_PROXY and HTTP_PROXY"
	}
	return "in openshift.proxy of the answers"
}

// formatSkew rounds, so that two servers which differ by a second have the same text.
func formatSkew(skew string) string {
	off, err := time.ParseDuration(skew)
	if err != nil || off == 0 {
		return "wrong by more than certificates allow"
	}
	side := "ahead"
	if off < 0 {
		off, side = -off, "behind"
	}
	units := []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}}
	for _, unit := range units {
		if off >= 2*unit.length {
			return fmt.Sprintf("about %d %ss %s", off.Round(unit.length)/unit.length, unit.name, side)
		}
	}
	return fmt.Sprintf("%s %s", off, side)
}
