package reach

import "strings"

// describeCause returns what a common cause is, and what to do about it.
func (c *outcomeCounts) describeCause(key shared, first Result) (text, hint string) {
	words := c.getCauseWords(key)
	which := strings.NewReplacer("{which}", c.formatWhich(key))
	return expandHint(which.Replace(words[0]), first), expandHint(which.Replace(words[1]), first)
}

// getCauseWords prefers the words for a case in which nothing works.
func (c *outcomeCounts) getCauseWords(key shared) [2]string {
	switch {
	case key.class == NoRoute && key.domain == "" && !c.connected:
		return [2]string{"{machine} has no route to the internet", "Connect {machine} to a network, or ask your network team for internet access."}
	case key.class == NXDomain && key.domain == "" && c.isTotal(key.class):
		return [2]string{"{resolver} does not resolve public names",
			"If a proxy resolves names here, set it {where its proxy is set}; otherwise ask the operator of {resolver} to resolve public names."}
	case (key.class == DNSTimeout || key.class == ServFail) && c.answered[key.evidence]:
		return [2]string{"{resolver} does not answer all DNS queries",
			"Ask the operator of {resolver} about its load, its rate limits and its forwarders: it answers other queries of {machine}."}
	}
	if words, known := listCauseTexts()[key.class]; known {
		return words
	}
	return [2]string{"{which} from {machine} fail alike (" + string(key.class) + ")", getClassHint(Result{Class: key.class})}
}

// formatWhich returns which connections or names a cause is about.
func (c *outcomeCounts) formatWhich(key shared) string {
	things := "outgoing connections"
	if findLayer(key.class) == 0 {
		things = "public names"
	}
	switch {
	case key.domain != "" && findLayer(key.class) == 0:
		return "names of " + key.domain
	case key.domain != "":
		return "connections to " + key.domain
	case key.class == UDPTimeout:
		return "queries by UDP"
	case c.isTotal(key.class):
		return "all " + things
	case 2*c.failed[key.class] > c.tried[key.class]:
		return "most " + things
	}
	return "many " + things
}

// Per class the cause and the fix. Placeholders in braces come from the first result, see expandHint; {which} is replaced
// before.
func listCauseTexts() map[Class][2]string {
	const allow = "Ask the network team to allow {which} from {machine} through the firewall, or set a proxy {where its proxy is set}."
	return map[Class][2]string{
		ClockSkew: {"the clock of {machine} is {how far behind or ahead}", "Set the clock of {machine}, preferably by NTP, and check again."},
		Captive: {"the network of {machine} requires a login",
			"Log in to the network of {machine} in a browser and check again: its captive portal answers instead of these services."},
		NoRoute: {"{machine} has no route for {which}", "Ask the network team for routes for {which} from {machine}."},
		NoIPv4:  {"{machine} has no IPv4 here, only IPv6", "Give {machine} an IPv4 address and a route for it: the installation and the nodes use IPv4."},
		Prohibited: {"a firewall prohibits {which} from {machine}",
			"Ask the network team to allow {which} from {machine}: a router, or a rule of {machine}, rejects them as prohibited."},
		ProxyAuth: {"{proxy} requires authentication",
			"Set the user name and password of {proxy}, as in http://USER:PASSWORD@HOST:PORT, {where its proxy is set}."},
		ProxyRefused:  {"{proxy} does not let the connections through", "Ask the operator of {proxy} to allow these connections."},
		ProxyPassword: {"{proxy} rejects the user name or the password", "Correct the user name or the password of {proxy} {where its proxy is set}."},
		ProxyUnknown: {"the name of {proxy} does not resolve",
			"Correct the host of {proxy} {where its proxy is set}, or ask for its DNS record."},
		ProxySilent: {"{proxy} does not answer", "Ask the network team to allow {machine} to reach {proxy}."},
		ProxyPort:   {"no proxy listens at {proxy}", "Correct the port of {proxy} {where its proxy is set}."},
		BlockPage: {"a web page answers {which} from {machine}: {error}",
			"Ask the operator of the web filter to allow these services for {machine}: its page answers instead."},
		TLSTimeout: {"{which} from {machine} open, but the TLS handshake gets no answer",
			"Look for loss or a slow link on the way of {which} from {machine}."},
		MTU: {"large packets from or to {machine} are lost: the MTU is too large",
			"Lower the MTU of {machine}, e.g. to 1400, or ask the network team to let the ICMP message \"fragmentation needed\" pass: small packets do."},
		Unstable: {"the network of {machine} is slow or loses packets",
			"Find out why: these services were reached only when nothing else was probed at the same time."},
		Loss: {"the network of {machine} loses packets",
			"Find where they are lost, e.g. by mtr to several of these services: in a wireless network, a cable, a VPN or a line that is full; {loss}."},
		Untrusted: {"signed by {issuer}, not trusted by {machine}",
			"Most likely TLS inspection: ask to exempt these hosts, or trust {issuer}: {how that is done there}."},
		Inspected: {"TLS is inspected: {authority}, which is not a public authority, signs for unrelated services",
			"If the nodes are behind the same inspection, they need {authority} in openshift.trustBundle in the answers; otherwise ask to exempt these hosts."},
		SharedIssuer: {"TLS is probably inspected: {authorities}, signs for nearly all services, which have many issuers elsewhere",
			"Ask the network team whether TLS is inspected here, and to exempt these hosts. Machines trust the public authority, so nothing else shows it."},
		DNSTimeout: {"{resolver} does not answer DNS queries", "Allow {machine} to reach {resolver} on port 53, UDP and TCP."},
		DNSRefused: {"{resolver} refuses DNS queries of {machine}", "Ask the operator of {resolver} to answer queries of {machine}, or use another name server."},
		NoResolver: {"{machine} has no name server", "Configure a name server for {machine}, e.g. in /etc/resolv.conf."},
		ServFail: {"{resolver} fails to answer DNS queries",
			"Ask the operator of {resolver} why it returns SERVFAIL for these names; often its forwarder does not answer."},
		NXDomain: {"{resolver} does not resolve {which}", "Ask the operator of {resolver} to resolve {which}."},
		SplitView: {"{resolver} answers {addresses} for all of them",
			"Ask the operator of {resolver} to return the public addresses of these names."},
		TCPTimeout: {"{which} from {machine} time out", allow},
		Refused:    {"{which} from {machine} are refused", allow},
		UDPTimeout: {"{which} from {machine} are not answered", "Ask the network team to allow {which} from {machine}, and the replies."},
		Reset:      {"{which} from {machine} are reset", "Find the firewall that resets {which} from {machine}, and ask for an exemption."},
		TLSFailure: {"the TLS handshake of {which} from {machine} fails",
			"Find the device between {machine} and these services that blocks TLS, and ask for an exemption."},
		HTTPTimeout: {"{which} from {machine} open, but no data arrives",
			"Find the proxy or firewall that holds back data for {machine}: these connections open, but no data arrives."},
		ServerError: {"{which} from {machine} end with a server error ({status})",
			"Find the gateway or proxy that returns {status} to {machine}; if there is none, wait a few minutes and check again."},
		Expired: {"expired certificates of {issuer}",
			"Ask the operator of these services, or of the TLS inspection, to renew the certificates of {issuer}; check the clock of {machine}."},
		WrongHostname: {"a certificate for {subject} is shown by several services",
			"Find what answers instead of these services: DNS or a proxy leads {machine} to {subject}."},
		Geo: {"{which} from {machine} are blocked for its country or network", "Use an egress address in another country, or ask for an exemption."},
	}
}
