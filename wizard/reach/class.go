package reach

// Class is the kind of a failure, or of a degradation. Each has its own hint.
type Class string

// The classes.
const (
	NXDomain      Class = "dns-nxdomain"
	ServFail      Class = "dns-servfail"
	DNSRefused    Class = "dns-refused" // the resolver serves others, not this machine
	NoResolver    Class = "no-resolver" // this machine is configured with none
	DNSTimeout    Class = "dns-timeout"
	SplitView     Class = "dns-split-view" // the resolver and the name's own servers differ, or the address is internal
	Refused       Class = "tcp-refused"
	TCPTimeout    Class = "tcp-timeout"
	NoRoute       Class = "no-route"
	Prohibited    Class = "prohibited" // a rule of this machine, or of a router that says so
	NoIPv4        Class = "no-ipv4"    // this machine has IPv6 only
	UDPTimeout    Class = "udp-timeout"
	Reset         Class = "connection-reset" // a connection was cut in the middle
	ProxyRefused  Class = "proxy-refused"    // the proxy does not let the connection through
	ProxyAuth     Class = "proxy-auth"
	ProxyPassword Class = "proxy-password"       // the proxy refuses the user name and password that it was given
	ProxyUnknown  Class = "proxy-unresolved"     // the name of the proxy does not resolve
	ProxySilent   Class = "proxy-timeout"        // the proxy does not answer
	ProxyPort     Class = "proxy-port"           // no proxy listens at that port
	Untrusted     Class = "tls-untrusted-issuer" // usually interception; the issuer is in the evidence
	Inspected     Class = "tls-inspected"        // an authority that only this machine trusts has signed for a public service
	SharedIssuer  Class = "tls-shared-issuer"    // one issuer, below a public authority, signs for nearly all services
	WrongHostname Class = "tls-hostname"
	Expired       Class = "tls-expired"
	ClockSkew     Class = "tls-clock-skew" // this machine's clock is wrong, by a certificate, a Date header or NTP
	TLSTimeout    Class = "tls-timeout"    // connected, and no answer to the handshake: loss, a slow link, or packets that are too large
	MTU           Class = "mtu"            // large packets are lost on the way, small ones pass
	Unstable      Class = "unstable"       // reached at the second attempt only, when nothing else was probed
	Loss          Class = "packet-loss"    // the network loses packets: it failed at first, or got no further than a connection
	TLSFailure    Class = "tls-failure"    // no handshake: a version, an alert, or something that is not TLS
	Unauthorized  Class = "http-401"       // reached: the service requires authentication
	Geo           Class = "http-403-geo"
	ServerError   Class = "http-5xx"
	Unexpected    Class = "http-unexpected" // something else than the service answers
	Captive       Class = "captive-portal"
	BlockPage     Class = "block-page"   // a web page where the service would not send one
	HTTPTimeout   Class = "http-timeout" // connected, and then nothing
	Slow          Class = "slow"         // reached, but too slow for an installation
	Credentials   Class = "credentials"  // the service is reached and refuses the pull secret or the token
	Missing       Class = "missing"      // the service is reached and lacks what was requested, e.g. the release
	HostKey       Class = "ssh-host-key" // another host key than the pinned one
	Exposed       Class = "exposed"      // it must not be reachable from here, and is
	Malformed     Class = "malformed"    // garbage, too much of it, or no end of it
)
