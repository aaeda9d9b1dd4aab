// Package reach finds out which services an installation cannot reach, from where, at which layer, and what to request.
// It selects checks from the catalogue, runs them, and evaluates the report; package probe below it implements the
// protocols.
package reach

import (
	"time"

	"exoshift/assets"
)

// Check is one service to probe, without placeholders.
type Check struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"` // a few words
	Group    string   `json:"group"` // vshn, redhat, third-party, exoscale, cluster or customer
	URL      string   `json:"url"`   // what is probed; its scheme is the kind of the probe, see Kind
	From     []string `json:"from"`  // who needs it: installer, nodes, load-balancers
	Phase    string   `json:"phase"`
	Owner    string   `json:"owner"`
	Severity Severity `json:"severity"`
	Needs    []string `json:"needs,omitempty"`  // IDs of checks without which this one is meaningless
	Expect   []int    `json:"expect,omitempty"` // HTTP statuses that count as reached; none: what the probe takes
	// Answer is what only this service answers, of plain HTTP and HTTPS; nil: any answer counts.
	Answer *assets.Answer `json:"answer,omitempty"`
	Reason string         `json:"reason"`         // what it is needed for, one sentence
	Hint   string         `json:"hint,omitempty"` // what to do about it, beyond the hint of the failure's class
}

// Severity is the importance of a service.
type Severity string

// The severities. Only Must prevents the start of an installation.
const (
	Must   Severity = "must"
	Should Severity = "should"
	May    Severity = "may"
)

// Verdict is the outcome of a check.
type Verdict string

// The verdicts. The failure of a service that is not certainly required is a warning.
const (
	OK      Verdict = "ok"
	Warn    Verdict = "warn"
	Fail    Verdict = "fail"
	Skipped Verdict = "skipped"
)

// Layer is the state of one layer of a connection.
type Layer string

// The states of a layer. None: not needed, or not reached.
const (
	LayerOK   Layer = "ok"
	LayerFail Layer = "fail"
	LayerNone Layer = "none"
)

// Layers are the layers of a connection, in the order in which they are reached.
type Layers struct {
	DNS  Layer `json:"dns"`
	TCP  Layer `json:"tcp"` // the transport, which is UDP for NTP and DNS
	TLS  Layer `json:"tls"`
	HTTP Layer `json:"http"` // the application protocol, whichever it is
}

// Finding is the outcome of a probe.
type Finding struct {
	Class    Class // "": well, with nothing to add
	Layers   Layers
	Evidence map[string]string // see the keys Evidence...
	// Degraded: the service was reached, but with a defect.
	Degraded bool
	// Unknown is the reason why nothing can be found out from this source, e.g. "a proxy carries no UDP"; usually empty.
	// The check is skipped because of it.
	Unknown string
}

// IsReached reports whether the service can be used.
func (f Finding) IsReached() bool { return f.Degraded || f.Class == "" || f.Class == Unauthorized }

// Keys of the evidence. Values are short and hold no control characters and no secret; durations are whole milliseconds.
const (
	EvidenceResolver  = "resolver"  // the resolver
	EvidenceAddresses = "addresses" // what the name resolves to
	EvidenceAddress   = "address"   // of the connection
	EvidenceIPv4      = "ipv4"      // state of that address family alone
	EvidenceIPv6      = "ipv6"
	EvidenceProxy     = "proxy"     // "host:port" that the connection went through
	EvidenceIssuer    = "issuer"    // of the server's certificate, e.g. "CN=Corp Proxy CA"
	EvidenceAuthority = "authority" // at the top of the server's certificates, if it is not a public one
	EvidenceRoot      = "root"      // the public authority above the issuer of the server's certificate
	EvidenceLoss      = "loss"      // how many of some connections lost a packet
	EvidenceSubject   = "subject"
	EvidenceExpires   = "expires"  // of the server's certificate, RFC 3339
	EvidenceStatus    = "status"   // HTTP status, or the first line of the answer
	EvidenceSkew      = "skew"     // skew of this machine's clock to the server's, e.g. "+3m12s": ahead
	EvidenceError     = "error"    // the message of the operating system or library
	EvidenceHost      = "host"     // where it failed, if that is not the check's own target, e.g. a CDN host
	EvidenceHostKey   = "host_key" // fingerprint of the server's SSH host key
	EvidenceSkipped   = "skipped"  // why it was not probed
	EvidenceDNSTime   = "dns_ms"   //
	EvidenceTCPTime   = "tcp_ms"   //
	EvidenceTLSTime   = "tls_ms"   //
	EvidenceHTTPTime  = "http_ms"  //
	EvidenceTime      = "took_ms"  // the whole probe
)

// Result is the outcome of one check, as in reports.
type Result struct {
	ID       string            `json:"id"`
	Group    string            `json:"group"`
	Target   string            `json:"target"`  // "host:port"
	Source   string            `json:"vantage"` // workstation, zone or ssh:HOST
	Phase    string            `json:"phase"`
	Severity Severity          `json:"severity"`
	Verdict  Verdict           `json:"verdict"`
	Class    Class             `json:"class"`
	Layers   Layers            `json:"layers"`
	Evidence map[string]string `json:"evidence"`
	Hint     string            `json:"hint"`
	Owner    string            `json:"owner"`
}

// Report is the outcome of all checks.
type Report struct {
	V       int       `json:"v"` // 1
	Started time.Time `json:"started"`
	TookMS  int64     `json:"took_ms"`
	Results []Result  `json:"results"` // in the order of the checks, grouped by source
}

// The sources. The prefix for SSH is followed by a host.
const (
	Workstation = "workstation"
	Zone        = "zone"
	SSHSource   = "ssh:"
)

// Task is the input of a source for a run. It may hold the pull secret: whoever stores it keeps it private.
type Task struct {
	Source       string  `json:"vantage"`
	Checks       []Check `json:"checks"`
	Skips        []Skip  `json:"skips,omitempty"`
	Distribution string  `json:"distribution,omitempty"` // ocp or okd
	Version      string  `json:"version,omitempty"`      // "" if not chosen
	PullSecret   string  `json:"pullSecret,omitempty"`   // "" if not given
	Authorities  string  `json:"authorities,omitempty"`  // PEM, trusted besides those of the machine
	TrustBundle  string  `json:"trustBundle,omitempty"`  // PEM, which the nodes trust besides public authorities
	Proxy        *Proxy  `json:"proxy,omitempty"`        // used in place of the machine's own; nil: the machine's own
	NodesProxy   *Proxy  `json:"nodesProxy,omitempty"`   // that of the nodes, with its password, for the checks of this very proxy
}

// Proxy is the proxy by which the nodes of the cluster reach the internet. The URLs may hold a password.
type Proxy struct {
	HTTP    string `json:"http,omitempty"`
	HTTPS   string `json:"https,omitempty"`
	NoProxy string `json:"noProxy,omitempty"`
}

// Skip is a check that the operator excluded.
type Skip struct {
	ID     string    `json:"id"`
	Reason string    `json:"reason"`
	Until  time.Time `json:"until,omitzero"` // from then on it is made again; zero: this run only
}
