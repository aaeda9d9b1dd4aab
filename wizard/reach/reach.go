// Package reach finds out what an installation cannot reach: which service, from where, at which layer, and what to ask
// for. It holds the catalogue's choice, the run of the checks, the report and what is made of it; package probe below it
// speaks the protocols.
package reach

import (
	"time"
)

// Check is one service that is probed, with everything filled in.
type Check struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"` // a few words
	Group    string   `json:"group"` // vshn, redhat, third-party, exoscale, cluster or customer
	URL      string   `json:"url"`   // what is probed; its scheme is the kind of the probe, see Kind
	From     []string `json:"from"`  // who needs it: installer, nodes, load-balancers
	Phase    string   `json:"phase"`
	Owner    string   `json:"owner"`
	Severity Severity `json:"severity"`
	Needs    []string `json:"needs,omitempty"`  // IDs of checks without which this one says nothing
	Expect   []int    `json:"expect,omitempty"` // HTTP statuses that count as reached; none: what the probe takes
	Reason   string   `json:"reason"`           // what it is needed for, one sentence
	Hint     string   `json:"hint,omitempty"`   // what to do about it, beyond what the class of the failure says
}

// Severity is how much depends on a service.
type Severity string

// The severities. Only a service that must be reached keeps an installation from its start.
const (
	Must   Severity = "must"
	Should Severity = "should"
	May    Severity = "may"
)

// Verdict is how a check ended.
type Verdict string

// The verdicts. A failure that nothing depends on for certain is a warning.
const (
	OK      Verdict = "ok"
	Warn    Verdict = "warn"
	Fail    Verdict = "fail"
	Skipped Verdict = "skipped"
)

// Layer is how one layer of a connection was.
type Layer string

// The states of a layer. None: it was not needed, or not come to.
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
	HTTP Layer `json:"http"` // the protocol that is spoken on top, whichever it is
}

// Finding is what a probe found out.
type Finding struct {
	Class    Class // "": all is well and there is nothing to add
	Layers   Layers
	Evidence map[string]string // see the keys Evidence...
	// Degraded: the service was reached, but something about it is not as it should be.
	Degraded bool
	// Unknown says why nothing can be found out from this vantage, e.g. "a proxy carries no UDP"; usually empty. The
	// check is skipped because of it.
	Unknown string
}

// IsReached tells whether the service can be used.
func (f Finding) IsReached() bool { return f.Degraded || f.Class == "" || f.Class == Unauthorized }

// Keys of the evidence. Values are short and hold no control characters and no secret; durations are whole milliseconds.
const (
	EvidenceResolver  = "resolver"  // who was asked for the name
	EvidenceAddresses = "addresses" // what the name resolves to
	EvidenceAddress   = "address"   // that was connected to
	EvidenceIPv4      = "ipv4"      // how that family is by itself
	EvidenceIPv6      = "ipv6"
	EvidenceProxy     = "proxy"  // "host:port" that the connection went through
	EvidenceIssuer    = "issuer" // of the server's certificate, e.g. "CN=Corp Proxy CA"
	EvidenceSubject   = "subject"
	EvidenceExpires   = "expires"  // of the server's certificate, RFC 3339
	EvidenceStatus    = "status"   // HTTP status, or the first line of the answer
	EvidenceSkew      = "skew"     // this machine's clock against the server's, e.g. "+3m12s": ahead
	EvidenceError     = "error"    // what the operating system or the library said
	EvidenceHost      = "host"     // where it failed, if that is not the check's own target, e.g. a CDN host
	EvidenceHostKey   = "host_key" // fingerprint of the SSH host key that was seen
	EvidenceSkipped   = "skipped"  // why it was not probed
	EvidenceDNSTime   = "dns_ms"   //
	EvidenceTCPTime   = "tcp_ms"   //
	EvidenceTLSTime   = "tls_ms"   //
	EvidenceHTTPTime  = "http_ms"  //
	EvidenceTime      = "took_ms"  // the whole probe
)

// Result is how one check ended, as reports have it.
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

// Report is how all checks ended.
type Report struct {
	V       int       `json:"v"` // 1
	Started time.Time `json:"started"`
	TookMS  int64     `json:"took_ms"`
	Results []Result  `json:"results"` // in the order of the checks; all of one vantage, then those of the next
}

// The vantages. SSHVantage is followed by a host.
const (
	Workstation = "workstation"
	Zone        = "zone"
	SSHSource   = "ssh:"
)

// Task is all that a vantage is given for a run. It may hold the pull secret: whoever stores it keeps it private.
type Task struct {
	Source       string  `json:"vantage"`
	Checks       []Check `json:"checks"`
	Skips        []Skip  `json:"skips,omitempty"`
	Distribution string  `json:"distribution,omitempty"` // ocp or okd
	Version      string  `json:"version,omitempty"`      // of OpenShift, or a channel; "" if nobody said
	PullSecret   string  `json:"pullSecret,omitempty"`   // "" if nobody gave one
	Authorities  string  `json:"authorities,omitempty"`  // PEM, trusted besides those of the machine
	Proxy        *Proxy  `json:"proxy,omitempty"`        // used in place of the machine's own; nil: the machine's own
	NodesProxy   *Proxy  `json:"nodesProxy,omitempty"`   // that of the nodes, with its password, for the checks of this very proxy
}

// Proxy is how the nodes of the cluster get out. The URLs may hold a password.
type Proxy struct {
	HTTP    string `json:"http,omitempty"`
	HTTPS   string `json:"https,omitempty"`
	NoProxy string `json:"noProxy,omitempty"`
}

// Skip is a check that somebody decided not to make.
type Skip struct {
	ID     string    `json:"id"`
	Reason string    `json:"reason"`
	Until  time.Time `json:"until,omitzero"` // from then on it is made again; zero: this run only
}
