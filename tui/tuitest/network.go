package tuitest

import (
	"exoshift/wizard/reach"
)

// Network is a fake network: what a probe of each service returns.
type Network struct {
	Checks []reach.Check
	Wrong  map[string]reach.Result // the failed services by "<source> <ID>"
	Err    error                   // how runs end
}

// NewNetwork returns a network where all services pass.
func NewNetwork() *Network {
	return &Network{Checks: newChecks(), Wrong: map[string]reach.Result{}}
}

// Disrupt sets a bad result.
func (n *Network) Disrupt(source, id string, r reach.Result) *Network {
	n.Wrong[source+" "+id] = r
	return n
}

// Result returns what a probe from a source finds.
func (n *Network) Result(source string, check reach.Check) reach.Result {
	r, wrong := n.Wrong[source+" "+check.ID]
	if !wrong {
		r = reach.Result{Verdict: reach.OK, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK, TLS: reach.LayerOK, HTTP: reach.LayerOK}}
		r.Evidence = map[string]string{reach.EvidenceTime: "61", reach.EvidenceHTTPTime: "30"}
	}
	r.ID, r.Group, r.Target, r.Source, r.Phase = check.ID, check.Group, check.Target(), source, check.Phase
	r.Severity, r.Owner = check.Severity, check.Owner
	return r
}

func newChecks() []reach.Check {
	check := func(id, group, title, url, owner, reason string) reach.Check {
		return reach.Check{
			ID: id, Group: group, Title: title, URL: url, Owner: owner, Reason: reason, Phase: "install", Severity: reach.Must, From: []string{"nodes"},
		}
	}
	checks := []reach.Check{
		check("NET-EXO-001", "exoscale", "The zone's API", "https://api-ch-gva-2.exoscale.com/v2/zone", "exoscale", "Machines are made here."),
		check("NET-EXO-002", "exoscale", "Object storage", "s3://sos-ch-gva-2.exo.io", "exoscale", "The boot image is kept here."),
		check("NET-RH-001", "redhat", "The release", "release://quay.io", "network", "The nodes pull the release image."),
		check("NET-RH-002", "redhat", "Core images", "registry://registry.redhat.io", "network", "The nodes pull the operators."),
		check("NET-RH-003", "redhat", "Blobs of images", "tls://cdn01.quay.io", "network", "The layers of images come from here."),
		check("NET-RH-004", "redhat", "Updates", "graph://api.openshift.com", "redhat", "The cluster asks which updates there are."),
		check("NET-TIME-001", "third-party", "Time", "ntp://1.rhel.pool.ntp.org", "network", "Certificates need the right time."),
		check("NET-GIT-001", "vshn", "Git", "ssh://git.vshn.net:22", "vshn", "The catalog is pushed here."),
		check("CUSTOM-1", "customer", "registry.example.net", "https://registry.example.net/v2/", "customer", "Your own images."),
	}
	checks[5].Severity = reach.May
	return checks
}

// Intercepted is the result of a TLS-intercepting proxy.
func Intercepted() reach.Result {
	return reach.Result{
		Verdict: reach.Fail, Class: reach.Untrusted, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK, TLS: reach.LayerFail, HTTP: reach.LayerNone},
		Evidence: map[string]string{
			reach.EvidenceIssuer: "CN=Corp Proxy CA", reach.EvidenceDNSTime: "3", reach.EvidenceTCPTime: "21", reach.EvidenceTLSTime: "48",
			reach.EvidenceAddress: "203.0.113.9:443", reach.EvidenceResolver: "192.0.2.53:53", reach.EvidenceTime: "72",
		},
		Hint: "Ask for registry.redhat.io to be exempted from TLS inspection, or have CN=Corp Proxy CA trusted, by its certificate in openshift.trustBundle.",
	}
}

// Dropped is the result of a firewall that drops packets.
func Dropped() reach.Result {
	return reach.Result{
		Verdict: reach.Fail, Class: reach.TCPTimeout, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerFail, TLS: reach.LayerNone, HTTP: reach.LayerNone},
		Evidence: map[string]string{reach.EvidenceAddress: "203.0.113.7:443", reach.EvidenceDNSTime: "4", reach.EvidenceTCPTime: "5000", reach.EvidenceTime: "5004"},
		Hint:     "Ask for the firewall to let cdn01.quay.io:443 through: packets get lost without any answer, which is how a firewall drops them.",
	}
}

// Slow is the result of a reachable, but slow service.
func Slow() reach.Result {
	return reach.Result{
		Verdict: reach.Warn, Class: reach.Slow, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK, TLS: reach.LayerOK, HTTP: reach.LayerOK},
		Evidence: map[string]string{reach.EvidenceTime: "4200", reach.EvidenceHTTPTime: "4100"},
		Hint:     "Find out what makes the way to api.openshift.com slow, such as a proxy that scans downloads.",
	}
}
