package connection

import (
	"crypto/tls"
	"crypto/x509"
	"slices"

	"golang.org/x/crypto/x509roots/fallback/bundle"

	"exoshift/internal/fault"
	"exoshift/wizard/reach"
)

// buildNodeRoots returns the authorities that nodes trust: the public ones, and those of the answers.
func buildNodeRoots(public *x509.CertPool, task reach.Task) (*x509.CertPool, error) {
	if public == nil {
		var err error
		if public, err = parsePublicRoots(); err != nil {
			return nil, fault.New(fault.Internal, "read the list of public authorities", err)
		}
	}
	pool := public.Clone()
	pool.AppendCertsFromPEM([]byte(task.Authorities))
	pool.AppendCertsFromPEM([]byte(task.TrustBundle))
	return pool, nil
}

// parsePublicRoots returns Mozilla's list, from which the nodes' operating system takes its own.
func parsePublicRoots() (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	for root := range bundle.Roots() {
		certificate, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, err
		}
		pool.AddCert(certificate)
	}
	return pool, nil
}

// The services of these groups are public, with the certificates of public authorities. Others may have an authority of
// their own, such as a Lieutenant that somebody else runs.
func isPublicService(group string) bool {
	return slices.Contains([]string{"exoscale", "redhat", "third-party"}, group)
}

// inspection finds out whether this machine trusts a service by an authority that nodes do not trust: somebody opens its TLS
// traffic. Of an authority that nodes trust it keeps which one, as one issuer below it for many services is no accident.
type inspection struct{ *Attempt }

func (a inspection) check(state tls.ConnectionState) {
	if !isPublicService(a.Check.Group) || len(state.VerifiedChains) == 0 {
		return
	}
	between, leaf := x509.NewCertPool(), state.PeerCertificates[0]
	for _, chain := range append(state.VerifiedChains, state.PeerCertificates) {
		for _, certificate := range chain[1:] {
			between.AddCert(certificate)
		}
	}
	_, err := leaf.Verify(x509.VerifyOptions{Roots: a.Deps.nodeRoots, Intermediates: between, CurrentTime: a.Deps.Now()})
	chain := state.VerifiedChains[0]
	if err == nil && len(chain) > 2 {
		a.Record(reach.EvidenceRoot, chain[len(chain)-1].Subject.String())
	}
	if err == nil {
		return
	}
	a.Record(reach.EvidenceAuthority, chain[len(chain)-1].Subject.String())
	a.Degrade(reach.Inspected)
}
