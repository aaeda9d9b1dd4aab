// Package nodeauthority reads from a cluster the authority by which new nodes verify the machine config server.
package nodeauthority

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"

	corev1 "k8s.io/api/core/v1"
)

const (
	operatorMaps kubeapi.ResourcePath = "v1/configmaps@openshift-machine-config-operator"
	operatorKeys kubeapi.ResourcePath = "v1/secrets@openshift-machine-config-operator"
	systemMaps   kubeapi.ResourcePath = "v1/configmaps@kube-system"
)

// Reader reads the authority.
type Reader struct{ connector *kubeapi.Connector }

// New returns a reader of the connector's cluster.
func New(connector *kubeapi.Connector) *Reader { return &Reader{connector} }

// ReadNodeAuthority returns the certificates, as PEM, by which a new node verifies the machine config server at a host: those that the
// cluster has now, which need not be those of its installation. fault.Conflict: the server's own certificate is not one of theirs, so
// that no node could join.
//
// Since OpenShift 4.19 they are in the ConfigMap machine-config-server-ca; before, the installation's are in root-ca.
func (r *Reader) ReadNodeAuthority(ctx context.Context, host string, now time.Time) ([]byte, error) {
	const op = "read the authority of the machine config server"
	api, err := r.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	current, _, err := kubeapi.Get[corev1.ConfigMap](ctx, api, operatorMaps, "machine-config-server-ca")
	if err != nil {
		return nil, err
	}
	first, _, err := kubeapi.Get[corev1.ConfigMap](ctx, api, systemMaps, "root-ca")
	if err != nil {
		return nil, err
	}
	authority := []byte(cmp.Or(current.Data["ca-bundle.crt"], first.Data["ca.crt"]))
	if len(authority) == 0 {
		return nil, fault.Newf(fault.NotFound, op, "neither the ConfigMap machine-config-server-ca nor root-ca has one").
			WithHint("see what the machine config operator reports: oc get co machine-config")
	}
	served, exists, err := kubeapi.Get[corev1.Secret](ctx, api, operatorKeys, "machine-config-server-tls")
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, fault.Newf(fault.NotFound, op, "the Secret machine-config-server-tls does not exist").WithHint("see what the machine config operator reports: oc get co machine-config")
	}
	if err := verify(served.Data[corev1.TLSCertKey], authority, host, now); err != nil {
		return nil, fault.New(fault.Conflict, op, fmt.Errorf("new nodes could not verify the server, whose certificate is in the Secret machine-config-server-tls: %w", err)).
			WithHint("make a new certificate, as Red Hat's documentation says: oc adm ocp-certificates regenerate-machine-config-server-serving-cert")
	}
	return authority, nil
}

// verify requires that a server's certificate is one of the authority for a host.
func verify(served, authority []byte, host string, now time.Time) error {
	block, rest := pem.Decode(served)
	if block == nil {
		return errors.New("it is no certificate in PEM")
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return err
	}
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return errors.New("the authority has no certificate in PEM")
	}
	between.AppendCertsFromPEM(rest)
	_, err = leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, DNSName: host, CurrentTime: now})
	return err
}
