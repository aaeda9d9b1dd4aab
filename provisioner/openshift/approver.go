package openshift

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"exoshift/state"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
)

const (
	// clockSkew is how much earlier than its machine a request may seem to be.
	clockSkew = 10 * time.Second
	// firstRequestWindow is how long after the creation of its machine a node may ask for its first certificate.
	// The cluster's own approver allows 2 hours, but there machines are created by a cluster that runs; here they
	// wait for one, at most for the 24 hours that its first certificates live.
	firstRequestWindow = 24 * time.Hour
)

// admission decides which nodes get certificates, by the rules of the cluster-machine-approver and stricter ones. It
// knows what is expected and what is there; it is made anew for each look at the cluster.
type admission struct {
	domain   string // of the cluster; "" if unknown
	expected map[string]state.ExpectedNode
	existing map[string]bool      // nodes
	approved map[string]time.Time // creation of the latest approved first request, by node
	latest   map[string]string    // name of the latest well-formed pending first request, by node
}

func newAdmission(domain string, expected []state.ExpectedNode, registered []corev1.Node, all []certificatesv1.CertificateSigningRequest) admission {
	a := admission{
		domain:   domain,
		expected: map[string]state.ExpectedNode{},
		existing: map[string]bool{},
		approved: map[string]time.Time{},
		latest:   map[string]string{},
	}
	for _, node := range expected {
		a.expected[node.Name] = node
	}
	for _, node := range registered {
		a.existing[node.Name] = true
	}
	a.survey(all)
	return a
}

// survey finds, for each node, its approved first request and the latest pending one. A kubelet that waits in vain
// asks again about every 15 minutes and forgets its earlier requests: approving one of these would help nobody, and
// the next could then not be told from a forgery.
func (a *admission) survey(all []certificatesv1.CertificateSigningRequest) {
	created := map[string]time.Time{}
	for i := range all {
		csr := &all[i]
		if a.settled(csr) {
			continue
		}
		request, err := parseNodeRequest(csr)
		if err != nil || request.serving {
			continue
		}
		at := csr.CreationTimestamp.Time
		if decided(csr, certificatesv1.CertificateApproved) && !at.Before(a.approved[request.node]) {
			a.approved[request.node] = at
		}
		if pending(csr) && a.timely(request.node, at) == nil && !at.Before(created[request.node]) {
			created[request.node], a.latest[request.node] = at, csr.Name
		}
	}
}

// settled tells whether a request cannot matter for the judgement of first requests: it is for a serving certificate,
// or in the name of a node that exists. Signatures cost the most, and of a thousand nodes nearly all exist most of the
// time; what is judged itself is always verified.
func (a *admission) settled(csr *certificatesv1.CertificateSigningRequest) bool {
	if csr.Spec.SignerName == certificatesv1.KubeletServingSignerName {
		return true
	}
	block, _ := pem.Decode(csr.Spec.Request)
	if block == nil {
		return false
	}
	certificate, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return false
	}
	node, err := nodeNameIn(certificate)
	return err == nil && a.existing[node]
}

// judge returns nil if a pending request may be approved, else why not; and the node's name as far as it is known.
func (a *admission) judge(csr *certificatesv1.CertificateSigningRequest) (node string, err error) {
	request, err := parseNodeRequest(csr)
	if err != nil {
		return request.node, err
	}
	machine, found := a.expected[request.node]
	switch {
	case !found:
		return request.node, errors.New("this installation has no node of that name")
	case request.serving:
		return request.node, a.judgeServing(request, machine)
	}
	return request.node, a.judgeClient(csr, request.node)
}

func (a *admission) judgeClient(csr *certificatesv1.CertificateSigningRequest, node string) error {
	at, before := csr.CreationTimestamp.Time, a.approved[node]
	switch {
	case a.existing[node]:
		return errors.New(state.LeftRegistered)
	case a.timely(node, at) != nil:
		return a.timely(node, at)
	case !before.IsZero() && a.timely(node, before) == nil:
		return fmt.Errorf("a first certificate of this machine was approved already, asked for at %s", before.UTC().Format(time.RFC3339))
	case a.latest[node] != csr.Name:
		return errors.New("the node has asked again since: " + a.latest[node])
	}
	return nil
}

// timely checks the time of a first request against the creation of the node's machine.
func (a *admission) timely(node string, at time.Time) error {
	created := a.expected[node].Created
	age := at.Sub(created)
	switch {
	case created.IsZero():
		return errors.New("the age of the node's machine is unknown")
	case age < -clockSkew:
		return errors.New("it is older than the node's machine")
	case age > firstRequestWindow:
		return fmt.Errorf("it came %s after the node's machine was created, more than %s", age.Round(time.Minute), firstRequestWindow)
	}
	return nil
}

func (a *admission) judgeServing(request nodeRequest, machine state.ExpectedNode) error {
	if !a.existing[request.node] {
		return errors.New("the node has not registered")
	}
	names := []string{machine.Name}
	if a.domain != "" {
		names = append(names, machine.Name+"."+a.domain)
	}
	for _, name := range request.certificate.DNSNames {
		if !slices.Contains(names, name) {
			return fmt.Errorf("it asks for the name %q, which is not the node's", name)
		}
	}
	for _, ip := range request.certificate.IPAddresses {
		address, ok := netip.AddrFromSlice(ip)
		if !ok || !slices.ContainsFunc(machine.Addresses, sameAddress(address.Unmap())) {
			return fmt.Errorf("it asks for the address %s, which is not its machine's", ip)
		}
	}
	return nil
}

func sameAddress(address netip.Addr) func(string) bool {
	return func(text string) bool {
		parsed, err := netip.ParseAddr(text)
		return err == nil && parsed.Unmap() == address
	}
}

// pending tells whether nobody has decided about a request yet.
func pending(csr *certificatesv1.CertificateSigningRequest) bool {
	return !decided(csr, certificatesv1.CertificateApproved) && !decided(csr, certificatesv1.CertificateDenied) &&
		!decided(csr, certificatesv1.CertificateFailed)
}

func decided(csr *certificatesv1.CertificateSigningRequest, decision certificatesv1.RequestConditionType) bool {
	return slices.ContainsFunc(csr.Status.Conditions, func(c certificatesv1.CertificateSigningRequestCondition) bool {
		return c.Type == decision
	})
}
