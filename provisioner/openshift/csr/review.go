// Package csr reviews the nodes' requests for certificates, and approves those that follow every rule.
package csr

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/internal/stable"
	"exoshift/state"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
)

const (
	// clockSkew is how much a request or a node may seem older than its machine.
	clockSkew = 10 * time.Second
	// firstRequestWindow is how long after the creation of its machine a node may request its first certificate. The cluster's
	// own approver allows 2 hours, but there a running cluster creates the machines; here they wait for the cluster, while people
	// delegate a domain or open a firewall, at most for the 24 hours that its first certificates are valid. A longer window gains
	// an attacker with the bootstrapper's token nothing: only the name of a machine that has not joined can be taken, and its
	// address is still checked before the node may serve.
	firstRequestWindow = 24 * time.Hour
	// maxKeys is for how many keys the machine of a node that has not registered may get its first certificate. A kubelet creates
	// a new key after each failure and after 15 minutes of waiting, while API servers come and go, so a certificate may be issued
	// for a key that no longer exists. An attacker who takes the name of a machine has another key, too: how many more keys are
	// allowed is the operator's decision.
	maxKeys = 1 + state.NewKeys
	// newKeyPause is how long a granted key must remain unused before another is granted: a kubelet that got its certificate
	// registers its node in less, and then nobody else can.
	newKeyPause = 2 * time.Minute
	// recordsKept is how long the API certainly keeps a request whose certificate was issued; afterwards Kubernetes deletes it.
	recordsKept = time.Hour
	// maxPendingPerNode is how many requests of one node may be pending for the same kind of certificate. A waiting kubelet
	// repeats its request about every 15 minutes, 96 times until Kubernetes deletes its first request after 24 hours: a requester
	// with more is no kubelet, and which of the requests are the node's is unknown. The cluster's own approver stops approving
	// anything when about a hundred more requests than nodes are pending; here nobody can block the other nodes.
	maxPendingPerNode = 100
)

// review decides which nodes get certificates, by the rules of the cluster-machine-approver and stricter ones. It is created
// anew for each poll.
type review struct {
	now      time.Time
	domain   string // of the cluster; "" if unknown
	expected map[string]state.ExpectedNode
	existing map[string]*corev1.Node
	granted  map[string][]grant         // of the expected machines, by node
	reviewed map[string]reviewedRequest // of the pending requests, by their names
	waiting  map[requester]int          // requests that only other requests of the same requester prevent
	latest   map[requester]string       // name of the latest of these
}

// Evidence is what one poll found about the requests.
type Evidence struct {
	At       time.Time
	Expected []state.ExpectedNode // the nodes that may get certificates
	Nodes    []corev1.Node
	Requests []certificatesv1.CertificateSigningRequest
}

func newReview(domain string, found Evidence, ever grants) review {
	a := review{
		now:      found.At,
		domain:   domain,
		expected: map[string]state.ExpectedNode{},
		existing: map[string]*corev1.Node{},
		granted:  map[string][]grant{},
		reviewed: map[string]reviewedRequest{},
		waiting:  map[requester]int{},
		latest:   map[requester]string{},
	}
	for _, node := range found.Expected {
		a.expected[node.Name] = node
	}
	for i := range found.Nodes {
		a.existing[found.Nodes[i].Name] = &found.Nodes[i]
	}
	for _, granted := range ever {
		if machine, expected := a.expected[granted.node]; expected && a.checkRequestAge(machine, granted.created) == nil {
			a.granted[granted.node] = append(a.granted[granted.node], granted)
		}
	}
	a.addRequests(found.Requests)
	return a
}

// decide returns nil if a pending request, one of those that r was created from, may be approved, else the reason; and the node's
// name if it is known. Reasons quote foreign text.
func (r *review) decide(csr *certificatesv1.CertificateSigningRequest) (node string, err error) {
	found, known := r.reviewed[csr.Name]
	if !known {
		return "", errors.New("it is no longer pending")
	}
	who := found.requester
	switch {
	case found.refusal != nil:
		return who.node, found.refusal
	case r.waiting[who] > maxPendingPerNode:
		return who.node, fmt.Errorf("%d requests are pending for this certificate, more than a node creates: which of them is the node's is unknown", r.waiting[who])
	case r.latest[who] != csr.Name:
		return who.node, errors.New("the node has made a newer request: " + quoteName(r.latest[who]))
	case !who.serving && !who.known:
		return who.node, r.authorizeKey(r.expected[who.node])
	}
	return who.node, nil
}

type tooManyKeysError struct{ keys int }

func (e tooManyKeysError) Error() string {
	return fmt.Sprintf("first certificates for %d keys of its machine were already approved, but no node has registered", e.keys)
}

// authorizeKey returns nil if a machine whose node has not registered may get its first certificate for a new key.
func (r *review) authorizeKey(machine state.ExpectedNode) error {
	keys := r.countKeys(machine)
	if keys == 0 {
		return nil
	}
	if keys >= max(machine.Keys, maxKeys) {
		return tooManyKeysError{keys}
	}
	for _, granted := range r.granted[machine.Name] {
		if r.now.Sub(granted.approved) < newKeyPause {
			return fmt.Errorf("a first certificate for another key of its machine was approved at %s: this one waits for %s from then",
				granted.approved.UTC().Format(time.RFC3339), newKeyPause)
		}
	}
	return nil
}

// countKeys counts the keys for which the machine was granted its first certificate, as far as that is known.
func (r *review) countKeys(machine state.ExpectedNode) int {
	different := map[string]bool{}
	for _, granted := range r.granted[machine.Name] {
		different[granted.key] = true
	}
	if machine.NewKeys > 0 {
		return max(len(different), 1+machine.NewKeys)
	}
	return len(different)
}

func (r *review) hasKey(request nodeRequest) bool {
	return slices.ContainsFunc(r.granted[request.node], func(g grant) bool { return g.key == request.publicKey() })
}

func (r *review) authorize(csr *certificatesv1.CertificateSigningRequest, request nodeRequest, who requester) error {
	machine, found := r.expected[request.node]
	switch {
	case !found:
		return errors.New("this installation has no such node")
	case request.serving:
		return r.authorizeServing(csr, request, machine)
	case r.existing[machine.Name] != nil:
		return r.authorizeRecovery(csr, machine)
	case who.known:
		return nil
	}
	return r.checkRequestAge(machine, csr.CreationTimestamp.Time)
}

// authorizeRecovery is for a node that has registered. While its machine runs, it renews its certificate by itself. Only one whose
// machine was off beyond the end of its certificate requests another one as if it were new: the node is that machine's, it is not
// ready, and the request is younger than the start of its machine.
func (r *review) authorizeRecovery(csr *certificatesv1.CertificateSigningRequest, machine state.ExpectedNode) error {
	node := r.existing[machine.Name]
	if machine.Started.IsZero() || isReady(node) {
		return errors.New(state.SkippedRegistered)
	}
	if err := checkMachine(node, machine); err != nil {
		return err
	}
	return checkRecoveryAge(machine, csr.CreationTimestamp.Time)
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func checkRecoveryAge(machine state.ExpectedNode, at time.Time) error {
	age := at.Sub(machine.Started)
	switch {
	case age < -clockSkew:
		return errors.New("it is older than the last start of the node's machine")
	case age > firstRequestWindow:
		return fmt.Errorf("it came %s after the node's machine was started, more than %s", age.Round(time.Minute), firstRequestWindow)
	}
	return nil
}

// checkRequestAge is about the first certificate of a machine's node, or the first one since the machine was started again.
func (r *review) checkRequestAge(machine state.ExpectedNode, at time.Time) error {
	if r.existing[machine.Name] != nil && !machine.Started.IsZero() {
		return checkRecoveryAge(machine, at)
	}
	age := at.Sub(machine.Created)
	switch {
	case machine.Created.IsZero():
		return errors.New("the age of the node's machine is unknown")
	case age < -clockSkew:
		return errors.New("it is older than the node's machine")
	case age > firstRequestWindow:
		return fmt.Errorf("it came %s after the node's machine was created, more than %s", age.Round(time.Minute), firstRequestWindow)
	}
	return nil
}

func (r *review) authorizeServing(csr *certificatesv1.CertificateSigningRequest, request nodeRequest, machine state.ExpectedNode) error {
	node := r.existing[machine.Name]
	if node == nil {
		return errors.New("the node has not registered")
	}
	if err := r.checkNode(csr, node, machine); err != nil {
		return err
	}
	names := []string{machine.Name}
	if r.domain != "" {
		names = append(names, machine.Name+"."+r.domain)
	}
	for _, name := range request.certificate.DNSNames {
		if !slices.Contains(names, name) {
			return fmt.Errorf("it requests the name %q, which is not the node's", name)
		}
	}
	for _, ip := range request.certificate.IPAddresses {
		if address, ok := netip.AddrFromSlice(ip); !ok || !isMachineAddress(machine, address) {
			return fmt.Errorf("it requests the address %s, which is not its machine's", ip)
		}
	}
	return nil
}

// checkNode checks that an existing node is on the expected machine: its first certificate was approved, by us or by the
// bootstrap machine, which approves all requests, and its address is the machine's. The request of a node that is old enough was
// deleted.
func (r *review) checkNode(csr *certificatesv1.CertificateSigningRequest, node *corev1.Node, machine state.ExpectedNode) error {
	if err := checkMachine(node, machine); err != nil {
		return err
	}
	if len(r.granted[machine.Name]) == 0 && csr.CreationTimestamp.Sub(node.CreationTimestamp.Time) < recordsKept {
		return errors.New("the node's first certificate was not approved")
	}
	return nil
}

// checkMachine checks that an existing node belongs to this machine, and not to an earlier one of its name: by its age, and by every
// address that it reports.
func checkMachine(node *corev1.Node, machine state.ExpectedNode) error {
	switch {
	case machine.Created.IsZero():
		return errors.New("the age of the node's machine is unknown")
	case node.CreationTimestamp.Sub(machine.Created) < -clockSkew:
		return errors.New("the node registered before its machine was created: it belongs to an earlier machine")
	}
	for _, address := range node.Status.Addresses {
		if address.Type != corev1.NodeInternalIP && address.Type != corev1.NodeExternalIP {
			continue
		}
		if parsed, err := netip.ParseAddr(address.Address); err != nil || !isMachineAddress(machine, parsed) {
			return fmt.Errorf("the node reports the address %q, which is not its machine's", address.Address)
		}
	}
	return nil
}

func isMachineAddress(machine state.ExpectedNode, address netip.Addr) bool {
	return slices.ContainsFunc(machine.Addresses, func(text string) bool {
		parsed, err := netip.ParseAddr(text)
		return err == nil && parsed.Unmap() == address.Unmap()
	})
}

type requester struct {
	node    string
	serving bool
	known   bool // its machine was already granted a first certificate for the same key
}

// reviewedRequest is a pending request with the reason to refuse it that the request alone or its node gives, if any.
type reviewedRequest struct {
	request   nodeRequest
	requester requester
	refusal   error
}

// addRequests parses each pending request once. Of a node's requests for the same certificate only the latest counts: a waiting
// kubelet repeats its request and forgets the earlier ones. Approving one of these would be useless, and the next could not be
// distinguished from a forgery. Requests for a key that was already granted are grouped separately, so that requests for other
// keys cannot block them.
func (r *review) addRequests(all []certificatesv1.CertificateSigningRequest) {
	others := map[requester][]*certificatesv1.CertificateSigningRequest{}
	for i := range all {
		csr := &all[i]
		if !isPending(csr) {
			continue
		}
		request, err := parseNodeRequest(csr)
		who := requester{request.node, request.serving, false}
		if err == nil {
			who.known = !request.serving && r.hasKey(request)
			err = r.authorize(csr, request, who)
		}
		r.reviewed[csr.Name] = reviewedRequest{request, who, err}
		if err == nil {
			others[who] = append(others[who], csr)
		}
	}
	for who, waiting := range others {
		if r.waiting[who] = len(waiting); len(waiting) <= maxPendingPerNode {
			r.latest[who] = r.findNewest(waiting)
		}
	}
}

// findNewest returns the name of the latest request with a valid signature, "" if there is none. Verifying signatures is by far
// the most expensive check, so it comes last and stops at the first valid one: ten thousand forgeries cost little more than
// listing them.
func (r *review) findNewest(others []*certificatesv1.CertificateSigningRequest) string {
	stable.Sort(others, func(x, y *certificatesv1.CertificateSigningRequest) int {
		return cmp.Or(y.CreationTimestamp.Compare(x.CreationTimestamp.Time), strings.Compare(y.Name, x.Name))
	})
	for _, csr := range others {
		found := r.reviewed[csr.Name]
		if found.refusal = found.request.checkSignature(); found.refusal == nil {
			return csr.Name
		}
		r.reviewed[csr.Name] = found
	}
	return ""
}

func isPending(csr *certificatesv1.CertificateSigningRequest) bool {
	return !hasDecision(csr, certificatesv1.CertificateApproved) && !hasDecision(csr, certificatesv1.CertificateDenied) &&
		!hasDecision(csr, certificatesv1.CertificateFailed)
}

func hasDecision(csr *certificatesv1.CertificateSigningRequest, decision certificatesv1.RequestConditionType) bool {
	return slices.ContainsFunc(csr.Status.Conditions, func(c certificatesv1.CertificateSigningRequestCondition) bool {
		return c.Type == decision
	})
}
