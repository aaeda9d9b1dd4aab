package reach

// Class is what kind of failure, or of remark, a finding is. Each has a hint of its own.
type Class string

// The classes.
const (
	NXDomain      Class = "dns-nxdomain"
	ServFail      Class = "dns-servfail"
	DNSTimeout    Class = "dns-timeout"
	SplitView     Class = "dns-split-view" // the resolver says something else than the name's own servers, or an inner address
	Refused       Class = "tcp-refused"
	TCPTimeout    Class = "tcp-timeout"
	NoRoute       Class = "no-route"
	UDPTimeout    Class = "udp-timeout"
	Reset         Class = "connection-reset" // a connection was cut in the middle
	ProxyRefused  Class = "proxy-refused"    // the proxy is not there, or does not let us through
	ProxyAuth     Class = "proxy-auth"
	Untrusted     Class = "tls-untrusted-issuer" // usually interception; the issuer is in the evidence
	WrongHostname Class = "tls-hostname"
	Expired       Class = "tls-expired"
	ClockSkew     Class = "tls-clock-skew" // this machine's clock is wrong, by a certificate, a Date header or NTP
	TLSFailure    Class = "tls-failure"    // no handshake: a version, an alert, or something that is not TLS
	Unauthorized  Class = "http-401"       // reached: the service asks who we are
	Geo           Class = "http-403-geo"
	ServerError   Class = "http-5xx"
	Unexpected    Class = "http-unexpected" // something else answers than the service
	Captive       Class = "captive-portal"
	HTTPTimeout   Class = "http-timeout" // connected, and then nothing
	Slow          Class = "slow"         // reached, but so slowly that an installation would suffer
	Credentials   Class = "credentials"  // the service is reached and refuses the pull secret or the token
	Missing       Class = "missing"      // the service is reached and does not have what is wanted, e.g. the release
	HostKey       Class = "ssh-host-key" // another host key than the pinned one
	Exposed       Class = "exposed"      // it must not be reachable from here, and is
	Malformed     Class = "malformed"    // garbage, too much of it, or no end of it
)
