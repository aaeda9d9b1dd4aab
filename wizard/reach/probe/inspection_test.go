package probe

import (
	"crypto/x509"
	"testing"

	"exoshift/wizard/reach"
)

// inspect probes a public service whose certificate is of an authority that this machine alone trusts.
func (l *lab) inspect(group string, task reach.Task) reach.Finding {
	l.t.Helper()
	root := newAuthority(l.t, "Corp Root CA")
	corp := root.below(l.t, "Corp Issuing CA")
	certificate := corp.issue(l.t, service)
	certificate.Certificate = append(certificate.Certificate, root.certificate.Raw)
	l.network.Roots = l.network.Roots.Clone()
	l.network.Roots.AddCert(root.certificate)
	if task.TrustBundle != "" {
		task.TrustBundle = root.pem()
	}
	l.task = task
	l.presenting(certificate)
	return l.probe(reach.Check{URL: "tls://" + service, Group: group})
}

func TestProbe_Inspection(t *testing.T) {
	for name, test := range map[string]struct {
		group string
		task  reach.Task
		class reach.Class
	}{
		"public":                        {"redhat", reach.Task{}, reach.Inspected},
		"public, which the nodes trust": {"redhat", reach.Task{TrustBundle: "of the nodes"}, ""},
		"with an authority of its own":  {"vshn", reach.Task{}, ""},
		"the operator's":                {reach.Customer, reach.Task{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				got := l.inspect(test.group, test.task)
				expect(t, got, test.class, "ok ok ok none", true)
				if named := got.Evidence[reach.EvidenceAuthority]; (named == "CN=Corp Root CA") != (test.class != "") {
					t.Errorf("it names %q", named)
				}
			})
		})
	}
}

// Without a list of its own, a network's public authorities are Mozilla's.
func TestProbe_InspectionByMozillaList(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.network.PublicRoots = nil
		l.presenting(l.authority.issue(t, service))
		expect(t, l.probe(reach.Check{URL: "tls://" + service, Group: "redhat"}), reach.Inspected, "ok ok ok none", true)
		l.network.PublicRoots = x509.NewCertPool()
		l.network.PublicRoots.AddCert(l.authority.certificate)
		expect(t, l.probe(reach.Check{URL: "tls://" + service, Group: "redhat"}), "", "ok ok ok none", true)
	})
}
