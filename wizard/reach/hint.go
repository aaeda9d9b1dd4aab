package reach

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

func buildHint(check Check, r Result) string {
	hint := getClassHint(r)
	if r.Class == NXDomain && (check.Group == Customer || check.Group == "cluster") { // only a name of the answers may be misspelled
		hint = "Check the spelling of " + parseHost(r.Target) + ". If it is right: " + hint
	}
	if r.Verdict != OK && check.Hint != "" && !isSourceFault(r.Class) {
		hint = strings.TrimSpace(hint + " " + check.Hint)
	}
	return hint
}

// If the failure is the source's, whatever the service, the catalogue's hint about the service would mislead.
func isSourceFault(class Class) bool {
	switch class {
	case ClockSkew, Captive, MTU, Unstable, Loss, SharedIssuer, BlockPage, ProxyAuth, ProxyPassword, ProxyUnknown, ProxySilent, ProxyPort, NoRoute, NoIPv4, DNSTimeout, DNSRefused, NoResolver:
		return true
	}
	return false
}

func getClassHint(r Result) string {
	if r.Class == "" {
		return ""
	}
	text, known := classHints[r.Class]
	if !known {
		text = "Compare with a machine in another network, and show this report to your network team."
	}
	return expandHint(text, r)
}

// Placeholders in braces come from the result, see expandHint.
var classHints = map[Class]string{ //nolint:gochecknoglobals // a table that nothing changes
	NXDomain:   "Ask the operator of {resolver} to resolve {host}: it returned NXDOMAIN.",
	ServFail:   "Ask the operator of {resolver} why it returns SERVFAIL for {host}; often its forwarder does not answer.",
	DNSRefused: "Ask the operator of {resolver} to answer queries of {machine}: it refuses them.",
	NoResolver: "Configure a name server for {machine}, e.g. in /etc/resolv.conf: it has none.",
	DNSTimeout: "Allow {machine} to reach {resolver} on port 53, UDP and TCP: it did not answer.",
	SplitView:  "Ask the operator of {resolver} to return the public address of {host}: it returned {addresses}.",

	Refused:      "Ask to allow connections to {target}: a firewall refuses them, or nothing listens there.",
	TCPTimeout:   "Ask to allow {target} in the firewall: packets are dropped without an answer.",
	NoRoute:      "Ask the network team for a route from {machine} to {address}.",
	Prohibited:   "Ask to allow {target} in the firewall: a router, or a rule of {machine}, rejects it as prohibited.",
	NoIPv4:       "Give {machine} an IPv4 address and a route for it: the installation and the nodes use IPv4.",
	UDPTimeout:   "Ask to allow UDP to {target} and its replies: none arrived.",
	Reset:        "Find the firewall that resets connections to {target}, and ask for an exemption.",
	ProxyRefused: "Ask the operator of {proxy} to allow {target}: it does not let this connection through.",
	ProxyAuth:    "Set the user name and password of {proxy}, as in http://USER:PASSWORD@HOST:PORT, {where its proxy is set}.",

	ProxyPassword: "Correct the user name or the password of {proxy} {where its proxy is set}: it rejects them.",
	ProxyUnknown:  "Correct the host of {proxy} {where its proxy is set}, or ask for its DNS record: the name does not resolve.",
	ProxySilent:   "Ask the network team to allow {machine} to reach {proxy}: it does not answer.",
	ProxyPort:     "Correct the port of {proxy} {where its proxy is set}: no proxy listens there.",

	Untrusted: "Ask to exempt {host} from TLS inspection, or trust {issuer}: {how that is done there}.",
	Inspected: "Add {authority}, which only {machine} trusts, to openshift.trustBundle in the answers if the nodes are behind the same " +
		"TLS inspection, or ask to exempt {host} from it.",
	SharedIssuer: "Ask the network team whether TLS is inspected: {authorities} signs for {host} and for nearly all other services, which have " +
		"many issuers elsewhere. If so, ask to exempt them.",
	WrongHostname: "Find what answers instead of {host}: the certificate is for {subject}, so DNS or a proxy points elsewhere.",
	Expired:       "Ask the operator of {host} to renew its certificate: it expired {expires}.",
	ClockSkew:     "Set the clock of {machine}, preferably by NTP: it is {how far behind or ahead}.",
	TLSTimeout:    "Look for loss or a slow link between {machine} and {target}: it connects, but the handshake gets no answer.",
	MTU: "Lower the MTU of {machine}, e.g. to 1400, or ask the network team to let the ICMP message \"fragmentation needed\" pass: large " +
		"packets to or from {target} are lost, small ones pass.",
	Unstable: "Find out why the network of {machine} is slow or loses packets: {host} was reached at the second attempt only.",
	Loss: "Find where packets between {machine} and {target} are lost, e.g. by mtr: in a wireless network, a cable, a VPN or a line that is " +
		"full; {loss}.",
	TLSFailure: "Find the device between {machine} and {target} that blocks TLS: the handshake failed.",

	Unauthorized: "No action: {host} is reachable and requires authentication, as expected.",
	Geo:          "Use an egress address in another country: {host} blocks this one.",
	ServerError:  "Wait a few minutes and check again: {host} reports an error ({status}).",
	Unexpected:   "Open {url} in a browser in the same network to see what answers: the response ({status}) is not from this service.",
	Captive:      "Log in to the network of {machine} in a browser: its captive portal answers instead of {host}.",
	BlockPage:    "Ask the operator of the web filter to allow {host}: a web page answers instead ({error}).",
	HTTPTimeout:  "Find the proxy or firewall that holds back data from {target}: the connection opens, but no data arrives.",
	Slow:         "Find what slows down {host}, such as a proxy that scans downloads: the installation downloads gigabytes from it.",
	Credentials:  "Get a new pull secret from console.redhat.com and set openshift.pullSecret: {host} rejects this one.",
	Missing:      "Choose another openshift.version: {host} does not have this one.",
	HostKey:      "Ask the operator of {host} to confirm its host key {key} before you continue: it differs from the known one.",
	Exposed:      "Remove the security group rule that exposes {target}: only machines inside the zone may reach it.",
	Malformed:    "Find what listens at {target}: it does not speak the expected protocol.",
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
		"{authority}", cmp.Or(e[EvidenceAuthority], "the authority of the inspection"),
		"{authorities}", formatAuthorities(e),
		"{loss}", cmp.Or(e[EvidenceLoss], "connections need several attempts"),
		"{subject}", cmp.Or(e[EvidenceSubject], "another name"),
		"{expires}", cmp.Or(e[EvidenceExpires], "some time ago"),
		"{how far behind or ahead}", formatSkew(e[EvidenceSkew]),
		"{how that is done there}", describeTrustStore(r.Source),
		"{where its proxy is set}", describeProxySetting(r.Source),
		"{status}", cmp.Or(e[EvidenceStatus], e[EvidenceError], "no status"),
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
		return "add it to the trust store of this workstation, and to openshift.trustBundle in the answers for the nodes"
	}
	return "add it to openshift.trustBundle in the answers"
}

func describeProxySetting(vantage string) string {
	if vantage == Workstation {
		return "in the environment variables HTTPS_PROXY and HTTP_PROXY"
	}
	return "in openshift.proxy in the answers"
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
